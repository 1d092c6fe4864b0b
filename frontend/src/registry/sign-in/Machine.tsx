/** A server at which Patchbay signs in itself: what went wrong, and a token at once for who does not want to wait. */
import { KeyRound } from 'lucide-react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Callout, ErrorBox } from '@/ui'
import { type SignInState, useFetchToken } from './data'
import { problemOf } from './problem'

export interface MachineProps {
  readonly server: Server
  readonly shown: SignInState
  /** Only what asks for somebody's doing. */
  readonly brief: boolean
}

export function Machine({ server, shown, brief }: MachineProps) {
  const t = useT()
  const fetching = useFetchToken(server.id)
  const ended = shown.state === 'ended'
  const failure = fetching.error ? asApiError(fetching.error) : problemOf(shown)
  const button = (
    <Button
      variant={failure ? 'primary' : 'plain'}
      icon={<KeyRound />}
      busy={fetching.isPending}
      blocked={shown.may_sign_in ? undefined : t('signin.fetch_admins')}
      onClick={() => fetching.mutate()}
    >
      {failure ? t('signin.fetch_again') : t('signin.fetch')}
    </Button>
  )
  if (failure)
    return (
      <ErrorBox error={failure} {...(ended ? { title: t('signin.machine_refused') } : {})} actions={button} />
    )
  if (brief || shown.state === 'signed_in') return null
  return (
    <Callout tone="idle">
      <div className="grid justify-items-start gap-1">
        <p className="font-semibold">{t('signin.machine')}</p>
        <p className="text-sm text-muted">{t('signin.machine_text')}</p>
        <div className="pt-1">{button}</div>
      </div>
    </Callout>
  )
}
