/** A workflow as an agent of others: whether it is offered, its address and card, code for a client, a live test.
 * Its words are those of the feature `agent`: load them with it. */
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Agent, type AgentCall, agentQuery, useAgentToken, useChangeAgent } from '@/api/agent'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
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
  TabPanel,
  Tabs,
  toast,
  useTabsId,
} from '@/ui'
import { AgentTest } from './AgentTest'
import { codeOf, KITS, type Kit } from './agent-kits'
import './share.css'

export interface AgentDoorProps {
  readonly workflow: { readonly id: string; readonly name: string }
}

// biome-ignore lint/style/noDefaultExport: loaded lazily, like a page, by the one that lists all doors
export default function AgentDoor({ workflow }: AgentDoorProps) {
  const t = useT()
  const agent = useQuery(agentQuery(workflow.id))
  if (agent.data) return <Shown workflow={workflow} agent={agent.data} />
  if (!agent.error) return <Skeleton rows={6} />
  return (
    <ErrorBox
      error={asApiError(agent.error)}
      title={t('agent.load_failed')}
      actions={
        <Button size="small" onClick={() => void agent.refetch()}>
          {t('common.retry')}
        </Button>
      }
    />
  )
}

interface ShownProps extends AgentDoorProps {
  readonly agent: Agent
}

function Shown({ workflow, agent }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  return (
    <div className="grid min-w-0 grid-cols-1 gap-6">
      <Head workflow={workflow} agent={agent} />
      <section className="grid grid-cols-1 gap-3" aria-label={t('agent.address')}>
        <Address title={t('agent.address')} url={agent.url} copy={t('agent.copy_address')} />
        <Address title={t('agent.card')} url={agent.card_url} copy={t('agent.copy_card')} />
      </section>
      <NewToken workflow={workflow} token={token} onToken={setToken} />
      <Code url={agent.url} token={token} />
      <AgentTest agent={agent} token={token} />
      <section className="grid grid-cols-1 gap-2" aria-label={t('agent.calls')}>
        <h3 className="section-title">{t('agent.calls')}</h3>
        <Calls calls={agent.calls} />
      </section>
    </div>
  )
}

/** Whether it is offered, and what keeps it from being called. */
function Head({ workflow, agent }: ShownProps) {
  const t = useT()
  const may = useMay('editor')
  const change = useChangeAgent(workflow.id)
  const set = (body: Parameters<typeof change.mutate>[0]) =>
    change.mutate(body, { onError: (thrown: unknown) => toast.error(failureOf(thrown)) })
  return (
    <header className="grid grid-cols-1 gap-3">
      <div className="share-head">
        <h2 className="text-lg font-semibold">{t('agent.title')}</h2>
        {may ? (
          <Switch
            label={t('agent.offered')}
            checked={agent.offered}
            disabled={change.isPending}
            onChange={(on) => set({ expose_as_agent: on })}
          />
        ) : (
          <Chip>{t(agent.offered ? 'agent.is_offered' : 'agent.is_not_offered')}</Chip>
        )}
      </div>
      <p className="text-sm text-muted">{t('agent.about')}</p>
      {may ? (
        <Switch
          label={t('agent.public')}
          hint={t('agent.public_hint')}
          checked={agent.public}
          disabled={change.isPending}
          onChange={(on) => set({ agent_card_public: on })}
        />
      ) : null}
      {agent.version === null ? (
        <Callout tone="waiting">
          {t('agent.unpublished')} <Link href={`/workflows/${workflow.id}`}>{t('agent.to_editor')}</Link>
        </Callout>
      ) : agent.runnable ? null : (
        <Callout tone="failed">{t('agent.not_runnable', { version: String(agent.version) })}</Callout>
      )}
    </header>
  )
}

interface AddressProps {
  readonly title: string
  readonly url: string
  readonly copy: string
}

function Address({ title, url, copy }: AddressProps) {
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <h3 className="section-title">{title}</h3>
      <div className="well flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-40 break-all">{url}</code>
        <CopyButton text={url} label={copy} />
      </div>
    </div>
  )
}

interface NewTokenProps extends AgentDoorProps {
  readonly token: string
  readonly onToken: (token: string) => void
}

function NewToken({ workflow, token, onToken }: NewTokenProps) {
  const t = useT()
  const may = useMay('editor')
  const make = useAgentToken(workflow.id)
  const name = t('agent.token_name', { workflow: workflow.name }).slice(0, 100)
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('agent.token')}>
      <div className="share-head">
        <h3 className="section-title">{t('agent.token')}</h3>
        {may ? (
          <Button
            icon={<KeyRound aria-hidden />}
            busy={make.isPending}
            onClick={() => make.mutate(name, { onSuccess: onToken })}
          >
            {t('agent.new_token')}
          </Button>
        ) : null}
      </div>
      <p className="text-sm text-muted">{t(may ? 'agent.token_text' : 'agent.viewer')}</p>
      {make.error ? <ErrorBox error={asApiError(make.error)} /> : null}
      {token ? <Callout tone="waiting">{t('agent.token_once')}</Callout> : null}
    </section>
  )
}

function Code({ url, token }: { readonly url: string; readonly token: string }) {
  const t = useT()
  const id = useTabsId()
  const [kit, setKit] = useState<Kit>('python')
  const { install, code } = codeOf(kit, url, token || t('agent.token_here'))
  const items = KITS.map((value) => ({ value, label: codeOf(value, '', '').name }))
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('agent.setup')}>
      <h3 className="section-title">{t('agent.setup')}</h3>
      <Tabs label={t('agent.kits')} id={id} value={kit} onChange={setKit} items={items} small />
      <TabPanel id={id} value={kit}>
        <div className="grid grid-cols-1 gap-1.5">
          <p className="text-xs text-muted">{t('agent.install', { command: install })}</p>
          <CodeBlock code={code} label={t('agent.setup')} maxHeight={360} />
        </div>
      </TabPanel>
    </section>
  )
}

function Calls({ calls }: { readonly calls: readonly AgentCall[] }) {
  const t = useT()
  if (calls.length === 0)
    return <EmptyState flush title={t('agent.no_calls')} text={t('agent.no_calls_text')} />
  return (
    <ul className="share-calls">
      {calls.map((call) => (
        <li key={call.run}>
          <Link href={`/runs/${call.run}`}>
            <RelativeTime value={call.at} />
          </Link>
          <span className="min-w-0 truncate">{call.by ?? t('agent.someone_gone')}</span>
          <StatusWord status={statusOfRun(call.state, call.waits_for_person)} />
        </li>
      ))}
    </ul>
  )
}
