/** A workflow as an agent: whether it is offered, its address and card, code for a client, a live test. */
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { type Agent, agentQuery, useAgentToken, useChangeAgent } from '@/api/agent'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Callout, Chip, CodeBlock, ErrorBox, Switch, TabPanel, Tabs, toast, useTabsId } from '@/ui'
import { AgentTest } from './AgentTest'
import { codeOf, KITS, type Kit } from './agent-kits'
import type { DoorProps } from './doors'
import { Address, Calls, DoorFailed, DoorLoading, DoorPage, Unpublished, WhoMayCall } from './parts'

export function AgentDoor({ workflow }: DoorProps) {
  const { data, error, refetch } = useQuery(agentQuery(workflow.id))
  if (data) return <Shown workflow={workflow} agent={data} />
  return error ? <DoorFailed error={error} onRetry={refetch} /> : <DoorLoading />
}

interface ShownProps extends DoorProps {
  readonly agent: Agent
}

function Shown({ workflow, agent }: ShownProps) {
  const t = useT()
  const [token, setToken] = useState('')
  return (
    <DoorPage
      side={
        <>
          <WhoMayCall />
          <Calls calls={agent.calls} />
        </>
      }
    >
      <Head workflow={workflow} agent={agent} />
      <Address url={agent.url} />
      <Address url={agent.card_url} title={t('agent.card')} copy={t('agent.copy_card')} />
      <NewToken workflow={workflow} token={token} onToken={setToken} />
      <Code url={agent.url} token={token} />
      <AgentTest agent={agent} token={token} />
    </DoorPage>
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
        <Unpublished workflow={workflow.id} />
      ) : agent.runnable ? null : (
        <Callout tone="failed">{t('agent.not_runnable', { version: String(agent.version) })}</Callout>
      )}
    </header>
  )
}

interface NewTokenProps extends DoorProps {
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
