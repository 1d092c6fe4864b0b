/** A workflow as an agent of front ends: whether it is offered, how an app is connected, what it is told. */
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import {
  type FrontEndCall,
  type FrontEndOffer,
  frontEndOfferQuery,
  useFrontEndToken,
  useOfferToFrontEnds,
} from '@/api/agui'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { statusOfRun } from '@/live/run-status'
import {
  Button,
  Callout,
  Chip,
  CodeBlock,
  CopyButton,
  EmptyState,
  ErrorBox,
  RelativeTime,
  Skeleton,
  StatusWord,
  Switch,
  toast,
} from '@/ui'
import { AguiTest } from './AguiTest'
import './share.css'

export interface DoorProps {
  readonly workflow: { readonly id: string; readonly name: string }
}

export default function AguiDoor({ workflow }: DoorProps) {
  const t = useT()
  const offer = useQuery(frontEndOfferQuery(workflow.id))
  if (offer.data) return <Shown workflow={workflow} offer={offer.data} />
  if (!offer.error) return <Skeleton rows={5} />
  return (
    <ErrorBox
      error={asApiError(offer.error)}
      title={t('agui.load_failed')}
      actions={
        <Button size="small" onClick={() => void offer.refetch()}>
          {t('common.retry')}
        </Button>
      }
    />
  )
}

interface ShownProps extends DoorProps {
  readonly offer: FrontEndOffer
}

function Shown({ workflow, offer }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  return (
    <section className="grid grid-cols-1 gap-6" aria-label={t('agui.title')}>
      <Head workflow={workflow} offer={offer} />
      <Address offer={offer} />
      <Setup workflow={workflow} offer={offer} token={token} onToken={setToken} />
      <AguiTest offer={offer} token={token} />
      <section className="grid grid-cols-1 gap-2" aria-label={t('agui.calls')}>
        <h3 className="section-title">{t('agui.calls')}</h3>
        <p className="text-sm text-muted">
          {t('agui.who_text')}{' '}
          <a className="link" href={docsHref('sharing')}>
            {t('agui.more')}
          </a>
        </p>
        <Calls calls={offer.calls} />
      </section>
    </section>
  )
}

/** Whether it is offered, and what keeps it from being run. */
function Head({ workflow, offer }: ShownProps) {
  const t = useT()
  const may = useMay('editor')
  const change = useOfferToFrontEnds(workflow.id)
  const fail = (thrown: unknown) => toast.error(failureOf(thrown))
  return (
    <header className="grid grid-cols-1 gap-3">
      <div className="share-head">
        <h2 className="text-lg font-semibold">{t('agui.title')}</h2>
        {may ? (
          <Switch
            label={t('agui.offered')}
            checked={offer.offered}
            disabled={change.isPending}
            onChange={(on) => change.mutate(on, { onError: fail })}
          />
        ) : (
          <Chip>{t(offer.offered ? 'agui.is_offered' : 'agui.is_not_offered')}</Chip>
        )}
      </div>
      {offer.version === null ? (
        <Callout tone="waiting">
          {t('agui.unpublished')} <Link href={`/workflows/${workflow.id}`}>{t('agui.to_editor')}</Link>
        </Callout>
      ) : offer.runnable ? null : (
        <Callout tone="failed">{t('agui.not_runnable', { version: String(offer.version) })}</Callout>
      )}
    </header>
  )
}

function Address({ offer }: { readonly offer: FrontEndOffer }) {
  const t = useT()
  const sites = offer.origins.join(', ')
  return (
    <section className="grid grid-cols-1 gap-1.5" aria-label={t('agui.address')}>
      <h3 className="section-title">{t('agui.address')}</h3>
      <div className="well flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-40 break-all">{offer.url}</code>
        <CopyButton text={offer.url} label={t('agui.copy_address')} />
      </div>
      <p className="text-xs text-muted">
        {t('agui.address_text')} {sites ? t('agui.origins', { sites }) : t('agui.origins_none')}
      </p>
    </section>
  )
}

interface SetupProps extends ShownProps {
  /** The token made last; "" = none yet. */
  readonly token: string
  readonly onToken: (token: string) => void
}

function Setup({ workflow, offer, token, onToken }: SetupProps) {
  const t = useT()
  const may = useMay('editor')
  const make = useFrontEndToken(workflow.id)
  const name = t('agui.token_name', { workflow: workflow.name }).slice(0, 100)
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('agui.setup')}>
      <div className="share-head">
        <h3 className="section-title">{t('agui.setup')}</h3>
        {may ? (
          <Button
            icon={<KeyRound aria-hidden />}
            busy={make.isPending}
            onClick={() => make.mutate(name, { onSuccess: onToken })}
          >
            {t('agui.new_token')}
          </Button>
        ) : (
          <span className="text-sm text-muted">{t('agui.viewer')}</span>
        )}
      </div>
      {make.error ? <ErrorBox error={asApiError(make.error)} /> : null}
      {token ? <Callout tone="waiting">{t('agui.token_once')}</Callout> : null}
      <p className="text-sm text-muted">{t('agui.setup_text')}</p>
      <CodeBlock code={snippetOf(offer, token || t('agui.token_here'))} label={t('agui.setup')} />
      {offer.takes_text || offer.version === null ? null : (
        <p className="text-xs text-muted">{t('agui.values_text')}</p>
      )}
    </section>
  )
}

/** A front end in a few lines, ready to copy. */
export function snippetOf({ url, takes_text }: FrontEndOffer, token: string): string {
  const says = takes_text
    ? `agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Hello' })\nawait agent.runAgent({}, {`
    : `await agent.runAgent({ forwardedProps: {} }, {`
  return `import { HttpAgent } from '@ag-ui/client'

const agent = new HttpAgent({
  url: '${url}',
  headers: { Authorization: 'Bearer ${token}' },
})
${says}
  onTextMessageContentEvent: ({ event }) => console.log(event.delta),
})`
}

function Calls({ calls }: { readonly calls: readonly FrontEndCall[] }) {
  const t = useT()
  if (calls.length === 0)
    return <EmptyState flush title={t('agui.no_calls')} text={t('agui.no_calls_text')} />
  return (
    <ul className="share-calls">
      {calls.map((call) => (
        <li key={call.run}>
          <Link href={`/runs/${call.run}`}>
            <RelativeTime value={call.at} />
          </Link>
          <span className="min-w-0 truncate">{call.by ?? t('agui.someone_gone')}</span>
          <StatusWord status={statusOfRun(call.state, call.waits_for_person)} />
        </li>
      ))}
    </ul>
  )
}
