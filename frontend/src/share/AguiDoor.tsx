/** A workflow as an agent of front ends: whether it is offered, how an app is connected, what it is told. */
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { type FrontEndOffer, frontEndOfferQuery, useFrontEndToken, useOfferToFrontEnds } from '@/api/agui'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { listOf, sentencesOf, useT } from '@/i18n'
import { Button, Callout, Chip, CodeBlock, ErrorBox, Switch, toast } from '@/ui'
import { AguiTest } from './AguiTest'
import type { DoorProps } from './doors'
import { Address, Calls, DoorFailed, DoorLoading, DoorPage, Unpublished, WhoMayCall } from './parts'

export function AguiDoor({ workflow }: DoorProps) {
  const { data, error, refetch } = useQuery(frontEndOfferQuery(workflow.id))
  if (data) return <Shown workflow={workflow} offer={data} />
  return error ? <DoorFailed error={error} onRetry={refetch} /> : <DoorLoading />
}

interface ShownProps extends DoorProps {
  readonly offer: FrontEndOffer
}

function Shown({ workflow, offer }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  const sites = listOf(offer.origins)
  return (
    <DoorPage
      side={
        <>
          <WhoMayCall text={t('agui.who_text')} />
          <Calls calls={offer.calls} />
        </>
      }
    >
      <Head workflow={workflow} offer={offer} />
      <Address
        url={offer.url}
        hint={sentencesOf([
          t('agui.address_text'),
          sites ? t('agui.origins', { sites }) : t('agui.origins_none'),
        ])}
      />
      <Setup workflow={workflow} offer={offer} token={token} onToken={setToken} />
      <AguiTest offer={offer} token={token} />
    </DoorPage>
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
        <Unpublished workflow={workflow.id} />
      ) : offer.runnable ? null : (
        <Callout tone="failed">{t('agui.not_runnable', { version: String(offer.version) })}</Callout>
      )}
    </header>
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
