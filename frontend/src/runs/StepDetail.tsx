/** One step: what went in, what it called with which answers, what came out, how often it was tried, what went wrong. */

import { ChevronDown, ChevronRight, X } from 'lucide-react'
import { useState } from 'react'
import type { LlmCall, RunFold, Step, ToolCall } from '@/api/fold'
import { statusOfStep } from '@/api/run-status'
import { useNow, useRunView } from '@/api/run-store'
import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import {
  CodeBlock,
  cost,
  duration,
  ErrorBox,
  IconButton,
  number,
  Segmented,
  StatusIcon,
  StatusWord,
} from '@/ui'
import { Content } from './Content'
import { brief } from './event-text'
import { type Shape, ShapeChoice, ValueView } from './ValueView'

export interface StepDetailProps {
  readonly step: Step
  readonly fold: RunFold
  readonly title: string
  /** An earlier moment is shown: nothing ticks. */
  readonly still?: boolean
  readonly onClose?: () => void
}

export function StepDetail({ step, fold, title, still = false, onClose }: StepDetailProps) {
  const t = useT()
  const [raw, setRaw] = useState(false)
  const status = statusOfStep(step, fold)
  return (
    <section className="step" aria-label={title}>
      <header className="dock-head">
        <StatusIcon status={status} size={16} />
        <h2 className="truncate">{title}</h2>
        <span className="text-xs text-muted tabular-nums truncate flex-1">
          <StepMeta step={step} fold={fold} still={still} />
        </span>
        <Segmented
          label={t('runs.view')}
          small
          value={raw ? 'raw' : 'story'}
          onChange={(value) => setRaw(value === 'raw')}
          options={[
            { value: 'story', label: t('runs.step_story') },
            { value: 'raw', label: t('runs.step_raw') },
          ]}
        />
        {onClose ? (
          <IconButton label={t('runs.step_close')} size="small" onClick={onClose}>
            <X />
          </IconButton>
        ) : null}
      </header>
      <div className="step-body">{raw ? <RawStep step={step} /> : <Story step={step} />}</div>
    </section>
  )
}

function StepMeta({ step, fold, still }: { step: Step; fold: RunFold; still: boolean }) {
  const t = useT()
  const going = !still && step.endedAt === null && fold.endedAt === null
  const clock = useNow(going)
  const end =
    step.endedAt ??
    fold.endedAt ??
    (going ? Math.max(clock, fold.lastAt ?? 0) : (fold.lastAt ?? step.startedAt))
  const waited = step.waits.reduce((sum, wait) => sum + Math.max(0, (wait.to ?? end) - wait.from), 0)
  const { input_tokens, output_tokens, cost: dollars } = step.usage
  const parts = [
    step.path.length > 0 ? t('runs.row_round', { n: (step.path.at(-1)?.index ?? 0) + 1 }) : '',
    step.attempt > 1 ? t('runs.row_attempt', { n: step.attempt }) : '',
    t('runs.row_worked', { time: duration(Math.max(0, end - step.startedAt - waited)) }),
    waited > 0 ? t('runs.row_waited', { time: duration(waited) }) : '',
    input_tokens + output_tokens > 0 ? t('runs.tokens', { n: input_tokens + output_tokens }) : '',
    dollars > 0 ? cost(dollars) : '',
  ]
  return <>{parts.filter(Boolean).join(' · ')}</>
}

function Story({ step }: { step: Step }) {
  const t = useT()
  const view = useRunView()
  const [shape, setShape] = useState<Shape>('tree')
  const text = step.llmCalls.length === 0 ? (view?.textOf(step, null) ?? step.text) : ''
  // One call, as a tool node makes it: what went in stands in the call.
  const saidByCall = step.toolCalls.length === 1 && step.llmCalls.length === 0
  const tried = step.attempts.filter((attempt) => attempt.code !== null && attempt.attempt < step.attempt)
  return (
    <>
      {step.error ? <StepError error={step.error} /> : null}
      {step.progress && step.endedAt === null ? <ProgressLine progress={step.progress} /> : null}
      {tried.length > 0 ? (
        <Section title={t('runs.step_attempts')}>
          <ul className="grid gap-0.5 text-sm">
            {tried.map((attempt) => (
              <li key={attempt.attempt} data-tone="waiting">
                {t('runs.attempt_ended', {
                  n: attempt.attempt,
                  code: attempt.code ?? '',
                  time: duration((attempt.to ?? attempt.from) - attempt.from),
                })}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {saidByCall ? null : (
        <Section title={t('runs.step_input')}>
          <ValueView value={step.input} shape={shape} label={t('runs.step_input')} maxHeight={200} />
        </Section>
      )}
      {step.toolCalls.length + step.llmCalls.length > 0 ? (
        <Section title={t('runs.step_calls')}>
          <div className="grid gap-1">
            {callsOf(step).map(({ key, tool, llm }, at, all) =>
              tool ? (
                <ToolCard
                  key={key}
                  call={tool}
                  step={step}
                  opened={all.length === 1 || at === all.length - 1}
                />
              ) : llm ? (
                <LlmCard key={key} call={llm} />
              ) : null,
            )}
          </div>
        </Section>
      ) : null}
      {text ? (
        <Section title={t('runs.step_text')}>
          <p className="whitespace-pre-wrap break-words">{text}</p>
        </Section>
      ) : null}
      {step.logs.length > 0 ? (
        <Section title={t('runs.step_logs')}>
          <CodeBlock
            code={step.logs.map((log) => `${log.level.padEnd(7)} ${log.text}`).join('\n')}
            small
            maxHeight={160}
            label={t('runs.step_logs')}
          />
        </Section>
      ) : null}
      {step.state === 'SUCCESS' ? (
        <Section title={t('runs.step_output')} aside={<ShapeChoice value={shape} onChange={setShape} />}>
          <ValueView value={step.output} shape={shape} label={t('runs.step_output')} maxHeight={320} />
        </Section>
      ) : null}
    </>
  )
}

function StepError({ error }: { error: NonNullable<Step['error']> }) {
  const t = useT()
  const detail = error.detail
  return (
    <ErrorBox
      error={error}
      tone={error.code === 'MCP_TIMEOUT' || error.code === 'WORKER_LOST' ? 'waiting' : 'failed'}
    >
      {detail !== null && detail !== undefined && JSON.stringify(detail) !== '{}' ? (
        isRef(detail) ? (
          <ValueView value={detail} shape="json" label={t('runs.step_error')} />
        ) : (
          <CodeBlock code={wordsOf(detail)} small maxHeight={160} label={t('runs.step_error')} />
        )
      ) : null}
    </ErrorBox>
  )
}

/** What the other side said, where it said something; else all there is. */
function wordsOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  const { text, raw, stderr } = detail as { text?: unknown; raw?: unknown; stderr?: unknown }
  const words = [text, raw, Array.isArray(stderr) ? stderr.join('\n') : stderr].filter(
    (one) => typeof one === 'string' && one !== '',
  )
  return words.length > 0 ? words.join('\n') : JSON.stringify(detail, null, 2)
}

function ProgressLine({ progress }: { progress: NonNullable<Step['progress']> }) {
  const { total, message } = progress
  const share = total ? Math.min(1, progress.progress / total) : null
  return (
    <div className="grid gap-1">
      <div className="flex gap-2 text-sm">
        <span className="truncate flex-1">{message ?? ''}</span>
        <span className="text-muted tabular-nums">
          {number(progress.progress)}
          {total ? ` / ${number(total)}` : ''}
        </span>
      </div>
      {share === null ? null : (
        <progress className="meter" value={share} max={1} aria-label={message ?? undefined} />
      )}
    </div>
  )
}

function Section({
  title,
  aside,
  children,
}: {
  title: string
  aside?: React.ReactNode
  children: React.ReactNode
}) {
  return (
    <section className="grid gap-1 min-w-0">
      <div className="flex items-center gap-2 min-h-5">
        <h3 className="section-title flex-1">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

interface AnyCall {
  readonly key: string
  readonly from: number
  readonly tool: ToolCall | null
  readonly llm: LlmCall | null
}

function callsOf(step: Step): AnyCall[] {
  const tools = step.toolCalls.map(
    (tool, at): AnyCall => ({ key: `tool ${at}`, from: tool.from, tool, llm: null }),
  )
  const models = step.llmCalls.map(
    (llm, at): AnyCall => ({ key: `llm ${at}`, from: llm.from, tool: null, llm }),
  )
  return [...tools, ...models].sort((one, other) => one.from - other.from)
}

function ToolCard({ call, step, opened }: { call: ToolCall; step: Step; opened: boolean }) {
  const t = useT()
  const [open, setOpen] = useState(opened)
  const lost = call.to === null && (step.endedAt !== null || call.attempt < step.attempt)
  const status = call.to === null ? (lost ? 'failed' : 'running') : call.isError ? 'failed' : 'succeeded'
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <div className="call">
      <button type="button" className="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon status={status} />
        <strong>{call.server ? `${call.server}/${call.tool}` : call.tool}</strong>
        <span className="truncate flex-1 text-muted">{brief(call.arguments, 120)}</span>
        <span className="text-muted tabular-nums">{call.ms === null ? '' : duration(call.ms)}</span>
        <Chevron aria-hidden />
      </button>
      {open ? (
        <div className="call-body">
          <span className="text-muted">{t('runs.call_in')}</span>
          <ValueView value={call.arguments} shape="json" label={t('runs.call_in')} maxHeight={160} />
          <span className="text-muted">{t('runs.call_out')}</span>
          <div className="grid gap-1 min-w-0">
            {lost ? <p data-tone="waiting">{t('runs.call_no_answer')}</p> : null}
            {call.to === null && !lost ? <p className="text-muted">{t('runs.call_running')}</p> : null}
            {call.isError ? (
              <StatusWord status="failed" className="text-sm">
                {t('runs.call_error')}
              </StatusWord>
            ) : null}
            {call.to === null ? null : <Content content={call.content} structured={call.structured} />}
          </div>
        </div>
      ) : null}
    </div>
  )
}

function LlmCard({ call }: { call: LlmCall }) {
  const t = useT()
  const [open, setOpen] = useState(true)
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <div className="call">
      <button type="button" className="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon status={call.to === null ? 'running' : 'succeeded'} />
        <strong>{call.model}</strong>
        <span className="flex-1" />
        <span className="text-muted tabular-nums">
          {[
            call.usage ? t('runs.tokens', { n: call.usage.input_tokens + call.usage.output_tokens }) : '',
            call.ms === null ? '' : duration(call.ms),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <Chevron aria-hidden />
      </button>
      {open && call.text ? <p className="p-2 whitespace-pre-wrap break-words">{call.text}</p> : null}
    </div>
  )
}

const MOST_RAW = 200

function RawStep({ step }: { step: Step }) {
  const t = useT()
  const view = useRunView()
  const events = (view?.events ?? []).filter((event) => event.step === step.id).slice(-MOST_RAW)
  return (
    <CodeBlock
      code={events.map((event) => JSON.stringify(event, null, 2)).join('\n')}
      small
      label={t('runs.step_raw')}
    />
  )
}
