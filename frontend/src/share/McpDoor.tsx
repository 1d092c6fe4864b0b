/** A workflow as a tool of MCP clients: whether it is offered, what a model reads of it, how a client is set up. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { type Offer, offerQuery, useChangeOffer } from '@/api/offer'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Callout, Chip, Switch, TextArea, toast } from '@/ui'
import { ClientSetup } from './ClientSetup'
import type { DoorProps } from './doors'
import { LiveTest } from './LiveTest'
import { Address, Calls, DoorFailed, DoorLoading, DoorPage, Unpublished, WhoMayCall } from './parts'

const LONGEST = 1024

export function McpDoor({ workflow }: DoorProps) {
  const { data, error, refetch } = useQuery(offerQuery(workflow.id))
  if (data) return <Shown workflow={workflow} offer={data} />
  return error ? <DoorFailed error={error} onRetry={refetch} /> : <DoorLoading />
}

interface ShownProps extends DoorProps {
  readonly offer: Offer
}

function Shown({ workflow, offer }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  return (
    <DoorPage
      side={
        <>
          <WhoMayCall />
          <Calls calls={offer.calls} />
        </>
      }
    >
      <Head workflow={workflow.id} offer={offer} />
      <Address url={offer.url} hint={t('share.address_text')} />
      <Words workflow={workflow.id} offer={offer} text={workflow.description} />
      <ClientSetup workflow={workflow} offer={offer} token={token} onToken={setToken} />
      <LiveTest offer={offer} token={token} />
    </DoorPage>
  )
}

/** Whether it is offered, and what keeps it from being called. */
function Head({ workflow, offer }: { readonly workflow: string; readonly offer: Offer }) {
  const t = useT()
  const may = useMay('editor')
  const change = useChangeOffer(workflow)
  const fail = (thrown: unknown) => toast.error(failureOf(thrown))
  return (
    <header className="grid grid-cols-1 gap-3">
      <div className="share-head">
        <h2 className="text-lg font-semibold">{t('share.mcp_tool')}</h2>
        {may ? (
          <Switch
            label={t('share.offered')}
            checked={offer.offered}
            disabled={change.isPending}
            onChange={(on) => change.mutate({ expose_as_tool: on }, { onError: fail })}
          />
        ) : (
          <Chip>{t(offer.offered ? 'share.is_offered' : 'share.is_not_offered')}</Chip>
        )}
      </div>
      {offer.version === null ? (
        <Unpublished workflow={workflow} />
      ) : offer.runnable ? null : (
        <Callout tone="failed">{t('share.not_runnable', { version: String(offer.version) })}</Callout>
      )}
    </header>
  )
}

interface WordsProps {
  readonly workflow: string
  readonly offer: Offer
  readonly text: string
}

/** The tool's name and description, and what its nodes may do. */
function Words({ workflow, offer, text }: WordsProps) {
  const t = useT()
  const may = useMay('editor')
  const change = useChangeOffer(workflow)
  const [saved, setSaved] = useState(text)
  const [written, setWritten] = useState(text)
  const save = () => change.mutate({ description: written }, { onSuccess: () => setSaved(written) })
  return (
    <section className="grid grid-cols-1 gap-3" aria-label={t('share.words')}>
      <div className="grid grid-cols-1 gap-1">
        <h3 className="section-title">{t('share.name')}</h3>
        <code>{offer.name}</code>
      </div>
      <TextArea
        label={t('share.description')}
        hint={t('share.description_hint')}
        aside={`${written.length} / ${LONGEST}`}
        readOnly={!may}
        maxLength={LONGEST}
        rows={3}
        value={written}
        onChange={setWritten}
        error={change.error ? asApiError(change.error).message : undefined}
      />
      {written === saved ? null : (
        <div className="flex gap-2">
          <Button variant="primary" busy={change.isPending} onClick={save}>
            {t('common.save')}
          </Button>
          <Button onClick={() => setWritten(saved)}>{t('common.cancel')}</Button>
        </div>
      )}
      {offer.version === null ? null : <Hints offer={offer} />}
    </section>
  )
}

function Hints({ offer }: { readonly offer: Offer }) {
  const t = useT()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Chip>
        {t(offer.read_only ? 'share.reads' : offer.destructive ? 'share.destroys' : 'share.writes')}
      </Chip>
      {offer.asks_person ? <Chip tone="person">{t('share.asks')}</Chip> : null}
      <span className="text-xs text-muted">{t('share.hints_text', { version: String(offer.version) })}</span>
    </div>
  )
}
