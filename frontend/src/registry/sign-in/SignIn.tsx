/** How one is signed in at a server by OAuth: whether, as whom, until when, and what went wrong. */
import { useQuery } from '@tanstack/react-query'
import { KeyRound, LogOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import {
  Button,
  Callout,
  Confirm,
  dateTime,
  ErrorBox,
  LoadFailed,
  RelativeTime,
  Skeleton,
  visible,
} from '@/ui'
import { type SignInState, signInQuery, useBeginSignIn, useSignOut } from './data'
import { Machine } from './Machine'
import { problemOf } from './problem'
import { Steps } from './Steps'

export interface SignInProps {
  readonly server: Server
  /** Only what asks for somebody's doing. */
  readonly brief?: boolean
}

export function SignIn({ server, brief = false }: SignInProps) {
  const { data, error, refetch } = useQuery(signInQuery(server.id))
  if (error) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return brief ? null : <Skeleton rows={3} />
  return (
    <div className="grid grid-cols-1 gap-4">
      {data.machine ? (
        <Machine server={server} shown={data} brief={brief} />
      ) : (
        <NeededSignIn server={server} shown={data} />
      )}
      {brief ? null : <Facts server={server} shown={data} />}
      {brief ? null : <Steps steps={data.steps} />}
    </div>
  )
}

/** What keeps calls from working, and the button that mends it. */
function NeededSignIn({ server, shown }: { readonly server: Server; readonly shown: SignInState }) {
  const t = useT()
  const begin = useBeginSignIn(server)
  const sound = shown.state === 'signed_in'
  if (sound && shown.needs.length === 0 && !begin.error && !shown.problem) return null
  const button = (
    <Button
      variant="primary"
      icon={<KeyRound />}
      busy={begin.isPending || begin.isSuccess}
      blocked={shown.may_sign_in ? undefined : t('signin.admins')}
      onClick={() => begin.mutate()}
    >
      {shown.state === 'none' ? t('signin.sign_in') : t('signin.again')}
    </Button>
  )
  const failure = begin.error ? asApiError(begin.error) : problemOf(shown)
  if (failure) {
    const title = shown.state === 'ended' && !begin.error ? t('signin.ended') : undefined
    return <ErrorBox error={failure} {...(title ? { title } : {})} actions={button} />
  }
  return (
    <Callout tone="waiting">
      <div className="grid justify-items-start gap-1">
        <p className="font-semibold">{headline(shown, t)}</p>
        <p className="text-sm text-muted">
          {sound
            ? t('signin.needs_text')
            : shown.shared
              ? t('signin.nobody_text')
              : t('signin.nobody_own_text')}
        </p>
        <div className="pt-1">{button}</div>
      </div>
    </Callout>
  )
}

function headline(shown: SignInState, t: ReturnType<typeof useT>): string {
  if (shown.state === 'signed_in') return t('signin.needs', { scopes: visible(shown.needs.join(' ')) })
  return shown.shared ? t('signin.nobody') : t('signin.nobody_own')
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

function Facts({ server, shown }: { readonly server: Server; readonly shown: SignInState }) {
  const t = useT()
  if (shown.state === 'none') return null
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('signin.title')}>
      <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm">
        <Row name={t('signin.signed_in_as')}>
          <span className="font-medium">
            {shown.machine ? t('signin.machine_name') : visible(shown.signed_in_as) || t('signin.unnamed')}
          </span>
          <span className="text-muted">
            {shown.signed_in_by ? ` · ${t('signin.by', { email: shown.signed_in_by })}` : ''}
            {` · ${shown.shared ? t('signin.whole_team') : t('signin.only_you')}`}
          </span>
        </Row>
        <Row name={t('signin.issuer')}>{visible(shown.issuer)}</Row>
        <Row name={t('signin.scopes')}>
          {shown.scopes.length > 0 ? (
            <code className="font-mono text-xs">{visible(shown.scopes.join(' '))}</code>
          ) : (
            t('signin.no_scopes')
          )}
        </Row>
        <Row name={t('signin.expires')}>
          <Until shown={shown} />
        </Row>
        <Row name={t('signin.known_as')}>
          <code className="font-mono text-xs break-all">{visible(shown.client_id)}</code>
        </Row>
      </dl>
      {shown.state === 'signed_in' && shown.may_sign_in ? (
        <Out server={server} machine={shown.machine} />
      ) : null}
    </section>
  )
}

/** Until when the token is good, and whether that needs somebody. */
function Until({ shown }: { readonly shown: SignInState }) {
  const t = useT()
  return (
    <>
      {shown.expires_at ? dateTime(shown.expires_at) : t('signin.expires_unknown')}
      <span className="text-muted">
        {' · '}
        {!shown.renews ? (
          t('signin.not_renewed')
        ) : shown.refreshed_at ? (
          <>
            {t(shown.machine ? 'signin.fetched' : 'signin.refreshed', {
              when: dateTime(shown.refreshed_at),
            })}{' '}
            (
            <RelativeTime value={shown.refreshed_at} />)
          </>
        ) : (
          t('signin.not_refreshed')
        )}
      </span>
    </>
  )
}

function Out({ server, machine }: { readonly server: Server; readonly machine: boolean }) {
  const t = useT()
  const action = machine ? t('signin.drop') : t('signin.out')
  const [asking, setAsking] = useState(false)
  const out = useSignOut(server.id)
  return (
    <div>
      <Button size="small" icon={<LogOut />} onClick={() => setAsking(true)}>
        {action}
      </Button>
      <Confirm
        open={asking}
        danger
        onOpenChange={setAsking}
        title={t(machine ? 'signin.drop_title' : 'signin.out_title', { server: visible(server.name) })}
        action={action}
        busy={out.isPending}
        onConfirm={() => out.mutate(undefined, { onSuccess: () => setAsking(false) })}
      >
        <p>{machine ? t('signin.drop_text') : t('signin.out_text')}</p>
        {out.error ? <ErrorBox error={asApiError(out.error)} /> : null}
      </Confirm>
    </div>
  )
}
