/** Where one is signed in; each can be ended from here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut, Monitor, Smartphone } from 'lucide-react'
import { api, asApiError } from '@/api/client'
import type { components } from '@/api/schema'
import { signOut } from '@/api/session'
import { type Translate, useT } from '@/i18n'
import { Button, Chip, ErrorBox, IconButton, RelativeTime, Skeleton, toast } from '@/ui'
import { ListingRow } from '../listing'
import { deviceOf, isHandheld } from './device'

type Session = components['schemas']['Session']

const KEY = ['session']

function nameOf(t: Translate, session: Session): string {
  const { browser, system } = deviceOf(session.user_agent)
  if (browser && system) return t('people.session_on', { browser, system })
  return browser ?? system ?? t('people.session_browser')
}

export function Sessions() {
  const t = useT()
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await api.get('/api/me/sessions')).results,
  })
  const refetch = () => void client.invalidateQueries({ queryKey: KEY })
  const end = useMutation({
    mutationFn: (key: string) => api.delete('/api/me/sessions/{key}', { params: { path: { key } } }),
    onSettled: refetch,
  })
  const endAll = useMutation({
    mutationFn: () => api.post('/api/me/sessions/end'),
    onSuccess: ({ ended }) => toast.ok(t('people.sessions_ended', { n: ended })),
    onSettled: refetch,
  })
  const failed = error ?? end.error ?? endAll.error
  return (
    <section className="grid gap-3" aria-labelledby="sessions">
      <h3 id="sessions">{t('people.sessions')}</h3>
      {failed ? <ErrorBox error={asApiError(failed)} /> : null}
      {!data && !error ? <Skeleton rows={2} /> : null}
      {data ? (
        <ul className="overflow-hidden rounded-md border border-line">
          {data.map((session) => (
            <ListingRow key={session.id}>
              {isHandheld(session.user_agent) ? (
                <Smartphone size={16} strokeWidth={1.5} aria-hidden className="flex-none text-muted" />
              ) : (
                <Monitor size={16} strokeWidth={1.5} aria-hidden className="flex-none text-muted" />
              )}
              <span className="min-w-0 flex-1" data-tip={session.user_agent}>
                <span className="font-medium">{nameOf(t, session)}</span>{' '}
                <code className="font-mono text-xs text-muted">{session.ip}</code>
              </span>
              {session.current ? (
                <Chip tone="ok">{t('people.session_here')}</Chip>
              ) : (
                <>
                  <span className="text-xs text-muted">
                    {t('people.session_seen')} <RelativeTime value={session.last_seen_at} />
                  </span>
                  <IconButton
                    label={t('people.session_end', { device: nameOf(t, session) })}
                    busy={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id)}
                  >
                    <LogOut />
                  </IconButton>
                </>
              )}
            </ListingRow>
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void signOut()}>{t('app.sign_out')}</Button>
        <Button
          busy={endAll.isPending}
          blocked={data && data.length < 2 ? t('people.sessions_alone') : undefined}
          onClick={() => endAll.mutate()}
        >
          {t('people.sessions_end')}
        </Button>
      </div>
    </section>
  )
}
