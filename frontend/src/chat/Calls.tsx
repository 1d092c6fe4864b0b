/** The tools that a run called: one line, which unfolds to a line for each. */
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { listOf, useT } from '@/i18n'
import { duration, visible } from '@/ui'

interface Shown {
  readonly server: string
  readonly tool: string
  readonly arguments: string
  readonly ms: number | null
  readonly failed: boolean
  readonly going?: boolean
}

export function Calls({ calls }: { readonly calls: readonly Shown[] }) {
  const t = useT()
  const [first] = calls
  if (!first) return null
  const failed = calls.some((call) => call.failed)
  const going = calls.some((call) => call.going)
  const ms = calls.reduce((sum, call) => sum + (call.ms ?? 0), 0)
  const names = listOf([...new Set(calls.map(({ tool }) => tool))].map(visible))
  return (
    <details className="chat-calls">
      <summary>
        <State failed={failed} going={going} />
        <b>{calls.length === 1 ? visible(first.tool) : t('chat.calls', { n: calls.length })}</b>
        <span className="chat-call-args">{calls.length === 1 ? visible(first.arguments) : names}</span>
        {going ? null : <span className="text-muted tabular-nums">{duration(ms)}</span>}
      </summary>
      <ul>
        {calls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call is its place
          <li key={index}>
            <State failed={call.failed} going={call.going ?? false} />
            <span className="font-mono text-xs">
              {visible(call.server ? `${call.server}/${call.tool}` : call.tool)}
            </span>
            {call.ms === null ? null : (
              <span className="text-xs text-muted tabular-nums">{duration(call.ms)}</span>
            )}
            <code className="chat-call-whole">{visible(call.arguments)}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

function State({ failed, going }: { readonly failed: boolean; readonly going: boolean }) {
  const t = useT()
  const Icon = going ? LoaderCircle : failed ? CircleAlert : CircleCheck
  const tone = going ? 'running' : failed ? 'failed' : 'ok'
  return (
    <span className="status" data-tone={tone}>
      <Icon size={14} aria-hidden className={going ? 'animate-spin' : undefined} />
      <span className="sr-only">
        {t(going ? 'chat.call_going' : failed ? 'chat.call_failed' : 'chat.call_done')}
      </span>
    </span>
  )
}
