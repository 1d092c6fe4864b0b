/** An agent is asked as a client would ask it: its card is read, a message is sent, and its task is followed. */
import { Send } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { type Agent, readCard, sendMessage, type TaskEvent } from '@/api/agent'
import { useT } from '@/i18n'
import { Button, duration, StatusIcon, TextArea, TextField, visible } from '@/ui'

interface Step {
  readonly name: string
  readonly text: string
  readonly ms: number
  readonly good: boolean
  /** Which artifact it tells of. */
  readonly artifact?: string
}

type Update = NonNullable<TaskEvent['artifactUpdate']>

const GOOD = new Set(['submitted', 'working', 'input_required', 'auth_required', 'completed'])
const KNOWN = new Set([...GOOD, 'failed', 'canceled'])

const stateOf = (event: TaskEvent): string =>
  (event.statusUpdate ?? event.task)?.status.state.replace('TASK_STATE_', '').toLowerCase() ?? ''

/** What an event says beside its state: the agent's words, or what it gave. */
function wordsOf(event: TaskEvent): string {
  const parts = event.artifactUpdate?.artifact.parts ?? event.statusUpdate?.status.message?.parts ?? []
  return parts
    .map((part) => part.text ?? (event.artifactUpdate ? JSON.stringify(part.data ?? '') : ''))
    .filter(Boolean)
    .join('\n')
}

/** The steps with a piece of an artifact: one that goes on, or is told anew, stays one step. */
function withPiece(steps: readonly Step[], { artifact, append }: Update, text: string, ms: number) {
  const at = steps.findIndex((step) => step.artifact === artifact.artifactId)
  const earlier = append && at >= 0 ? (steps[at]?.text ?? '') : ''
  const before = earlier && artifact.parts[0]?.text === undefined ? `${earlier}\n` : earlier
  const step = {
    name: 'artifactUpdate',
    text: before + text,
    ms,
    good: true,
    artifact: artifact.artifactId,
  }
  return at < 0 ? [...steps, step] : steps.map((each, index) => (index === at ? step : each))
}

/** What happens to a message, as it happens. */
function useAgentTest(agent: Agent, token: string) {
  const t = useT()
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [busy, setBusy] = useState(false)
  const [run, setRun] = useState('')
  const stateText = (state: string) =>
    KNOWN.has(state) ? t(`agent.state_${state}` as 'agent.state_working') : state
  const send = async (parts: Parameters<typeof sendMessage>[2]) => {
    const begun = performance.now()
    const step = (name: string, text: string, good = true) =>
      setSteps((before) => [...before, { name, text, good, ms: performance.now() - begun }])
    setSteps([])
    setRun('')
    setBusy(true)
    let doing = 'agent-card.json'
    try {
      const { name, version } = await readCard(agent.card_url, token)
      step(doing, t('agent.read_card', { name, version }))
      doing = 'SendStreamingMessage'
      for await (const event of sendMessage(agent.url, token, parts)) {
        if (event.task) setRun(event.task.id)
        if (event.artifactUpdate) {
          const update = event.artifactUpdate
          const ms = performance.now() - begun
          setSteps((steps) => withPiece(steps, update, wordsOf(event), ms))
          continue
        }
        const state = stateOf(event)
        const words = [state ? stateText(state) : '', wordsOf(event)].filter(Boolean).join(': ')
        step(event.task ? 'task' : 'statusUpdate', words, !state || GOOD.has(state))
      }
    } catch (thrown) {
      step(doing, thrown instanceof Error ? thrown.message : String(thrown), false)
    }
    setBusy(false)
  }
  return { steps, busy, run, send }
}

/** What is written, as a part of a message; null = it is no JSON. */
function partOf(text: string, takesText: boolean) {
  if (takesText) return { text }
  try {
    return { data: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

export function AgentTest({ agent, token }: { readonly agent: Agent; readonly token: string }) {
  const t = useT()
  const { steps, busy, run, send } = useAgentTest(agent, token)
  const [written, setWritten] = useState(agent.takes_text ? '' : '{}')
  const [wrong, setWrong] = useState(false)
  const blocked = token ? (agent.offered ? undefined : t('agent.needs_offer')) : t('agent.needs_token')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (blocked !== undefined || busy || !written.trim()) return
    const part = partOf(written, agent.takes_text)
    setWrong(part === null)
    if (part) void send([part])
  }
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('agent.test')}>
      <h3 className="section-title">{t('agent.test')}</h3>
      <p className="text-xs text-muted">{t('agent.test_text')}</p>
      <form className="grid grid-cols-1 gap-2" onSubmit={submit}>
        {agent.takes_text ? (
          <TextField label={t('agent.message')} value={written} onChange={setWritten} />
        ) : (
          <TextArea
            label={t('agent.data')}
            mono
            rows={4}
            value={written}
            onChange={setWritten}
            error={wrong ? t('agent.not_json') : undefined}
          />
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" icon={<Send aria-hidden />} busy={busy} blocked={blocked}>
            {t('agent.send')}
          </Button>
          {run ? (
            <Link className="link" href={`/runs/${run}`}>
              {t('agent.open_run')}
            </Link>
          ) : null}
        </div>
      </form>
      <Steps steps={steps} />
    </section>
  )
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const t = useT()
  return (
    <ol className="share-steps" aria-live="polite">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <li key={index}>
          <StatusIcon
            status={step.good ? 'succeeded' : 'failed'}
            label={t(step.good ? 'agent.ok' : 'agent.failed')}
          />
          <code>{step.name}</code>
          <span className="min-w-0 whitespace-pre-wrap break-words">{visible(step.text)}</span>
          <span className="text-xs text-muted tabular-nums">{duration(step.ms)}</span>
        </li>
      ))}
    </ol>
  )
}
