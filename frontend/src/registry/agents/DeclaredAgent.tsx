/** An agent that a workflow declares and an admin approved: its card, its skills, and what changed in them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, asApiError } from '@/api/client'
import { type DeclaredAgent as Known, readAgent } from '@/api/declared-agents'
import { useMay } from '@/api/queries'
import type { Declaration, Tool } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Callout, Diff, ErrorBox, RelativeTime, Skeleton, visible } from '@/ui'

const SHOWN = 50

const cardQuery = (digest: string) => ({
  queryKey: ['declaration', 'card', digest],
  queryFn: () => readAgent(digest),
})

/** Sends what an admin does about the card, and keeps what it is then. */
function useCard(digest: string, send: () => Promise<Known>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (known) => {
      client.setQueryData(cardQuery(digest).queryKey, known)
      return client.invalidateQueries({ queryKey: ['declaration'] })
    },
    onError: () => client.invalidateQueries({ queryKey: cardQuery(digest).queryKey }),
  })
}

const definition = ({ name, title, description, input_schema, output_schema, annotations }: Defined) =>
  JSON.stringify({ name, title, description, input_schema, output_schema, annotations }, null, 2)
type Defined = NonNullable<Tool['pinned']>

/** The skills that are not as they were accepted, and the way to accept them as they are shown. */
function Changes({ known }: { readonly known: Known }) {
  const t = useT()
  const may = useMay('admin')
  const accept = useCard(known.hash, () =>
    api.post('/api/mcp/declarations/{digest}/card/accept', {
      params: { path: { digest: known.hash } },
      body: { version: known.version },
    }),
  )
  const changed = known.skills.filter((skill) => skill.changed)
  return (
    <Callout tone="waiting">
      <div className="grid min-w-0 grid-cols-1 gap-2">
        <p className="text-sm">{t('agents.declared_changed', { n: changed.length })}</p>
        {changed.slice(0, SHOWN).map((skill) =>
          skill.pinned ? (
            <section
              key={skill.name}
              aria-label={t('agents.declared_changes', { skill: visible(skill.name) })}
            >
              <h4 className="font-mono text-sm break-words">{visible(skill.name)}</h4>
              <Diff before={definition(skill.pinned)} after={definition(skill)} around={2} />
            </section>
          ) : null,
        )}
        {changed.length > SHOWN ? <p>{t('agents.more', { n: changed.length - SHOWN })}</p> : null}
        {accept.error ? <ErrorBox error={asApiError(accept.error)} /> : null}
        <Button
          className="w-fit"
          blocked={may ? undefined : t('registry.admins_only')}
          busy={accept.isPending}
          onClick={() => accept.mutate()}
        >
          {t('agents.declared_accept')}
        </Button>
      </div>
    </Callout>
  )
}

/** What the card says. */
function Card({ known }: { readonly known: Known }) {
  const t = useT()
  const { card, skills } = known
  if (!card) return <p className="text-sm text-muted">{t('agents.declared_unread')}</p>
  return (
    <>
      <p className="text-sm break-words">
        <span className="font-medium">{visible(card.name)}</span>{' '}
        <span className="text-muted">
          {[card.version, card.protocol].filter(Boolean).map(visible).join(' · ')}
        </span>
      </p>
      {card.description ? (
        <p className="text-sm break-words text-muted">{visible(card.description)}</p>
      ) : null}
      <p className="font-mono text-xs break-all text-muted">{visible(card.url)}</p>
      <section aria-label={t('agents.list_skills')}>
        <h4 className="text-sm font-semibold">{t('agents.skills', { n: skills.length })}</h4>
        <ul className="mt-1 grid max-h-48 grid-cols-1 gap-1 overflow-auto text-sm">
          {skills.slice(0, SHOWN).map((skill) => (
            <li key={skill.name} className="min-w-0 break-words">
              <span className="font-medium">{visible(skill.title || skill.name)}</span>{' '}
              <span className="text-muted">{visible(skill.description.split('\n')[0] ?? '')}</span>
            </li>
          ))}
          {skills.length > SHOWN ? (
            <li className="text-muted">{t('agents.more', { n: skills.length - SHOWN })}</li>
          ) : null}
        </ul>
      </section>
    </>
  )
}

export function DeclaredAgent({ declaration }: { readonly declaration: Declaration }) {
  const t = useT()
  const may = useMay('admin')
  const { data: known, error } = useQuery(cardQuery(declaration.hash))
  const read = useCard(declaration.hash, () =>
    api.post('/api/mcp/declarations/{digest}/card', { params: { path: { digest: declaration.hash } } }),
  )
  const failed = read.error ?? (known ? null : error)
  return (
    <li className="grid min-w-0 grid-cols-1 gap-2 border-b border-line pb-4 last:border-0 last:pb-0">
      <b className="font-semibold break-words">{visible(declaration.name)}</b>
      {known ? <Card known={known} /> : error ? null : <Skeleton rows={2} />}
      {known && known.changed > 0 ? <Changes known={known} /> : null}
      {failed ? <ErrorBox error={asApiError(failed)} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-xs text-muted" role="status">
          {known?.card ? (
            <>
              {t('agents.declared_read')} <RelativeTime value={known.card.read_at} />
              {read.isSuccess && known.changed === 0 ? ` · ${t('agents.declared_unchanged')}` : ''}
            </>
          ) : null}
        </p>
        <Button
          blocked={may ? undefined : t('registry.admins_only')}
          busy={read.isPending}
          onClick={() => read.mutate()}
        >
          {known?.card ? t('agents.declared_read_again') : t('agents.declared_read_now')}
        </Button>
      </div>
    </li>
  )
}
