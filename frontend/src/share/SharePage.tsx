/** A workflow as a tool of MCP clients: whether it is offered, what a model reads of it, how a client is set up. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { asApiError, failureOf } from '@/api/client'
import { type Offer, type OfferedCall, offerQuery, useChangeOffer } from '@/api/offer'
import { useMay } from '@/api/queries'
import { fetchWorkflow } from '@/api/workflows'
import { useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { statusOfRun } from '@/live/run-status'
import {
  Button,
  Callout,
  Chip,
  CopyButton,
  EmptyState,
  ErrorBox,
  PageBar,
  RelativeTime,
  Scroll,
  Skeleton,
  StatusWord,
  Switch,
  TextArea,
  toast,
  visible,
} from '@/ui'
import { ClientSetup } from './ClientSetup'
import { LiveTest } from './LiveTest'
import './share.css'

const LONGEST = 1024

export default function SharePage() {
  const { id = '' } = useParams<{ id: string }>()
  const t = useT()
  const workflow = useQuery({ queryKey: ['workflow', 'shared', id], queryFn: () => fetchWorkflow(id) })
  const offer = useQuery(offerQuery(id))
  const error = workflow.error ?? offer.error
  if (workflow.data && offer.data) return <Shown workflow={workflow.data} offer={offer.data} />
  return (
    <>
      <PageBar title={t('share.title')} />
      {error ? (
        <div className="p-4">
          <ErrorBox
            error={asApiError(error)}
            title={t('share.load_failed')}
            actions={
              <Button size="small" onClick={() => void Promise.all([workflow.refetch(), offer.refetch()])}>
                {t('common.retry')}
              </Button>
            }
          />
        </div>
      ) : (
        <Skeleton rows={6} />
      )}
    </>
  )
}

interface ShownProps {
  readonly workflow: { readonly id: string; readonly name: string; readonly description: string }
  readonly offer: Offer
}

function Shown({ workflow, offer }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  const crumbs = [
    { label: t('app.workflows'), href: '/workflows' },
    { label: visible(workflow.name), href: `/workflows/${workflow.id}` },
  ]
  return (
    <>
      <PageBar title={t('share.title')} crumbs={crumbs} />
      <Scroll label={t('share.title')} className="flex-1 bg-surface">
        <div className="share-page">
          <div className="share-main">
            <Head workflow={workflow.id} offer={offer} />
            <Address url={offer.url} />
            <Words workflow={workflow.id} offer={offer} text={workflow.description} />
            <ClientSetup workflow={workflow} offer={offer} token={token} onToken={setToken} />
            <LiveTest offer={offer} token={token} />
          </div>
          <aside className="share-side" aria-label={t('share.calls')}>
            <h3 className="section-title">{t('share.who')}</h3>
            <p className="text-sm text-muted">
              {t('share.who_text')}{' '}
              <a className="link" href={docsHref('sharing')}>
                {t('share.more')}
              </a>
            </p>
            <h3 className="section-title">{t('share.calls')}</h3>
            <Calls calls={offer.calls} />
          </aside>
        </div>
      </Scroll>
    </>
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
        <Callout tone="waiting">
          {t('share.unpublished')} <Link href={`/workflows/${workflow}`}>{t('share.to_editor')}</Link>
        </Callout>
      ) : offer.runnable ? null : (
        <Callout tone="failed">{t('share.not_runnable', { version: String(offer.version) })}</Callout>
      )}
    </header>
  )
}

function Address({ url }: { readonly url: string }) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-1.5" aria-label={t('share.address')}>
      <h3 className="section-title">{t('share.address')}</h3>
      <div className="well flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-40 break-all">{url}</code>
        <CopyButton text={url} label={t('share.copy_address')} />
      </div>
      <p className="text-xs text-muted">{t('share.address_text')}</p>
    </section>
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

function Calls({ calls }: { readonly calls: readonly OfferedCall[] }) {
  const t = useT()
  if (calls.length === 0)
    return <EmptyState flush title={t('share.no_calls')} text={t('share.no_calls_text')} />
  return (
    <ul className="share-calls">
      {calls.map((call) => (
        <li key={call.run}>
          <Link href={`/runs/${call.run}`}>
            <RelativeTime value={call.at} />
          </Link>
          <span className="min-w-0 truncate">{call.by ?? t('share.someone_gone')}</span>
          <StatusWord status={statusOfRun(call.state, call.waits_for_person)} />
        </li>
      ))}
    </ul>
  )
}
