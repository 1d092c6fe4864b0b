/** Raw messages as they went over the wire, masked by the server; times count from the beginning. */
import { useT } from '@/i18n'
import type { WireMessage } from '@/registry/mutations'
import { CopyButton, duration, Scroll, visible } from '@/ui'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** What a message is, in a few words: `tools/call id 7`, `result id 7`. */
export function headline(message: unknown): string {
  if (!isObject(message)) return ''
  const id = message.id === undefined || message.id === null ? '' : ` id ${String(message.id)}`
  if (typeof message.method === 'string') return `${message.method}${id}`
  if (message.error !== undefined) return `error${id}`
  if (message.result !== undefined) return `result${id}`
  return id.trim()
}

/** The part of a message that its headline does not say. */
export function body(message: unknown): unknown {
  if (!isObject(message)) return message
  return (
    message.params ?? message.result ?? message.error ?? (message.method === undefined ? message : undefined)
  )
}

type Exchange = NonNullable<WireMessage['http']>

const lines = (headers: Exchange['headers']): string =>
  Object.entries(headers)
    .map(([name, value]) => `\n  ${name}: ${value}`)
    .join('')

/** An HTTP answer as it is read: what was asked with which headers, status and headers of the answer. */
const exchanged = (http: Exchange): string =>
  `HTTP ${http.status}${lines(http.headers)}\n  ⟵ ${http.method} ${http.url}${lines(http.sent)}`

const text = (entry: WireMessage): string => {
  if (entry.http) return exchanged(entry.http)
  if (entry.raw !== undefined) return `\n${entry.raw}`
  const rest = body(entry.message)
  if (rest === undefined) return ''
  return `\n${typeof rest === 'string' ? rest : JSON.stringify(rest, null, 1)}`
}

export function Messages({ messages, maxHeight }: { messages: readonly WireMessage[]; maxHeight?: number }) {
  const t = useT()
  if (messages.length === 0) return <p className="text-muted">{t('registry.no_messages')}</p>
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <Scroll label={t('registry.messages')} className="well well-small flex-1" style={{ maxHeight }}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the exchange
          <div key={index} className="pb-2 last:pb-0">
            <span className="text-muted tabular-nums">
              {message.at_ms === null ? '' : `${duration(message.at_ms)} `}
              <span aria-hidden>{message.direction === 'out' ? '→' : '←'}</span>
              <span className="sr-only">
                {message.direction === 'out' ? t('registry.sent') : t('registry.received')}
              </span>
            </span>{' '}
            {headline(message.message)}
            {visible(text(message))}
          </div>
        ))}
      </Scroll>
      <div className="absolute top-1 right-1 rounded-md bg-well">
        <CopyButton
          text={messages
            .map((message) => message.raw ?? JSON.stringify(message.http ?? message.message))
            .join('\n')}
          label={t('registry.copy_messages')}
        />
      </div>
    </div>
  )
}
