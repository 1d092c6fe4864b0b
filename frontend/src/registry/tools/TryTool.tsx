/** Try a tool from its form. The gate holds here too: a call that would ask shows its risk and waits for a yes. */
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Hand, Play } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type ApiError, api, asApiError } from '@/api/client'
import type { ApprovalDetail } from '@/api/json-types'
import { useMay } from '@/api/queries'
import { type Server, TOOLS_AT_ONCE, type Tool, toolPagesQuery, toolQuery } from '@/api/servers'
import { type FieldErrors, localErrors, SchemaForm, startValue } from '@/forms'
import { isRecord } from '@/forms/pointer'
import { useT } from '@/i18n'
import type { Call } from '@/registry/mutations'
import { Messages } from '@/registry/server/Messages'
import { Content, ErrorFacts } from '@/results'
import {
  Button,
  Callout,
  duration,
  ErrorBox,
  RiskBadge,
  Scroll,
  Segmented,
  Select,
  StatusWord,
  TextField,
  useDebounced,
  visible,
} from '@/ui'

export interface Tried {
  readonly server: string
  readonly tool: string
}

/** `arguments.a.b` and `a.b` of the contract's `fields` as JSON pointers, which the form shows at its fields. */
export function pointers(fields: ApiError['fields']): Record<string, readonly string[]> {
  const out: Record<string, readonly string[]> = {}
  for (const [name, sentences] of Object.entries(fields)) {
    const path = name.replace(/^arguments\.?/, '')
    out[path === '' ? '' : path.startsWith('/') ? path : `/${path.split('.').join('/')}`] = sentences
  }
  return out
}

function Approval({
  error,
  busy,
  onCall,
  onLeave,
}: {
  error: ApiError
  busy: boolean
  onCall: () => void
  onLeave: () => void
}) {
  const t = useT()
  const { risk } = (error.detail ?? {}) as ApprovalDetail
  return (
    <Callout tone="person" icon={<Hand size={16} aria-hidden />}>
      <div className="grid gap-2" role="alert">
        <p className="flex items-center gap-2 font-semibold">
          {t('registry.asks_first')} {risk ? <RiskBadge level={risk.level} /> : null}
        </p>
        <ul className="grid gap-0.5 text-sm text-muted">
          {(risk?.reasons.length ? risk.reasons : [error.message]).map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        <div className="flex gap-2">
          <Button variant="primary" busy={busy} onClick={onCall}>
            {t('registry.call_anyway')}
          </Button>
          <Button onClick={onLeave}>{t('common.cancel')}</Button>
        </div>
      </div>
    </Callout>
  )
}

/** What came back under its head, or the messages that went over the wire for it. */
export function Views({
  head,
  messages,
  children,
}: {
  readonly head: ReactNode
  readonly messages: Call['messages']
  readonly children: ReactNode
}) {
  const t = useT()
  const [view, setView] = useState<'result' | 'messages'>('result')
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        {head}
        <span className="ml-auto" />
        <Segmented<typeof view>
          small
          label={t('registry.answer_view')}
          value={view}
          onChange={setView}
          options={[
            { value: 'result', label: t('registry.result') },
            { value: 'messages', label: t('registry.messages') },
          ]}
        />
      </div>
      {view === 'result' ? children : <Messages messages={messages} />}
    </>
  )
}

function Answered({ call }: { call: Call }) {
  const t = useT()
  const head = (
    <>
      <StatusWord status={call.is_error ? 'failed' : 'succeeded'}>
        {call.is_error ? t('registry.tool_error') : t('registry.ok')}
      </StatusWord>
      <span className="text-xs text-muted tabular-nums">
        {duration(call.ms)} · {t('registry.blocks', { n: call.content.length })}
      </span>
    </>
  )
  return (
    <Views head={head} messages={call.messages}>
      <Scroll label={t('registry.result')} className="flex-1">
        <Content content={call.content} structured={call.structured} maxHeight={360} />
      </Scroll>
    </Views>
  )
}

/** A call that failed: what the error carries, and the messages of the call where there are some. */
export function Failed({ error }: { error: ApiError }) {
  const t = useT()
  const { messages, ...rest } = isRecord(error.detail) ? error.detail : {}
  const detail: unknown = isRecord(error.detail) ? rest : error.detail
  const box = (
    <Scroll label={t('results.details')} className="flex-1">
      <ErrorBox error={error}>
        <ErrorFacts error={{ message: error.message, detail, fields: error.fields }} />
      </ErrorBox>
    </Scroll>
  )
  if (!Array.isArray(messages) || messages.length === 0) return box
  return (
    <Views
      head={<StatusWord status="failed">{t('registry.call_failed')}</StatusWord>}
      messages={messages as Call['messages']}
    >
      {box}
    </Views>
  )
}

function Form({ tool }: { tool: Tool }) {
  const t = useT()
  const may = useMay('editor')
  const client = useQueryClient()
  const [value, setValue] = useState<unknown>(() => startValue(tool.input_schema) ?? {})
  const [match, setMatch] = useState<FieldErrors>({})
  const call = useMutation({
    mutationFn: (confirm: boolean) =>
      api.post('/api/mcp/tools/call', {
        body: { server: tool.server, tool: tool.name, arguments: value ?? {}, confirm },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['server', 'pages'] }),
  })
  const error = call.error ? asApiError(call.error) : null
  const asks = error?.code === 'APPROVAL_REQUIRED'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const local = localErrors(tool.input_schema, value ?? {}, t)
    setMatch(local)
    if (Object.keys(local).length > 0) return call.reset()
    call.mutate(false)
  }
  return (
    <div className="try-tool">
      <form className="grid content-start gap-3 overflow-auto border-line px-4 pb-3" onSubmit={submit}>
        {tool.description ? (
          <p className="line-clamp-3 text-sm text-muted">{visible(tool.description)}</p>
        ) : null}
        <SchemaForm
          schema={tool.input_schema}
          value={value}
          onChange={setValue}
          errors={error ? pointers(error.fields) : match}
          idPrefix={`try-${tool.server}-${tool.name}`}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            variant="primary"
            icon={<Play />}
            busy={call.isPending}
            blocked={may ? undefined : t('registry.editors_only')}
          >
            {t('registry.call')}
          </Button>
          <span className="text-xs text-muted">
            {t(HINTS[tool.policy === 'auto' ? tool.risk.level : tool.policy])}
          </span>
        </div>
      </form>
      <div className="flex min-h-0 min-w-0 flex-col gap-2 px-4 pb-3 phone:pt-3">
        {asks && error ? (
          <Approval
            error={error}
            busy={call.isPending}
            onCall={() => call.mutate(true)}
            onLeave={() => call.reset()}
          />
        ) : null}
        {error && !asks ? <Failed error={error} /> : null}
        {call.data ? <Answered call={call.data} /> : null}
        {!call.data && !error ? (
          <p className="text-muted">{call.isPending ? t('registry.calling') : t('registry.try_hint')}</p>
        ) : null}
      </div>
    </div>
  )
}

const HINTS = {
  LOW: 'registry.runs_at_once',
  MEDIUM: 'registry.runs_at_once',
  HIGH: 'registry.will_ask',
  allow: 'registry.runs_at_once',
  ask: 'registry.will_ask',
  deny: 'registry.is_denied',
} as const

export function TryTool({
  servers,
  tried,
  fallback,
  onTried,
}: {
  readonly servers: readonly Server[]
  readonly tried: Tried | null
  /** The server whose first tool stands ready while none was chosen. */
  readonly fallback: string | undefined
  readonly onTried: (tried: Tried) => void
}) {
  const t = useT()
  const [picked, setPicked] = useState<{ server: string; tried: Tried | null }>()
  const [filter, setFilter] = useState('')
  const search = useDebounced(filter.trim())
  const enabled = servers.filter((server) => server.enabled)
  const wish = picked && picked.tried === tried ? picked.server : (tried?.server ?? fallback)
  const server = enabled.find((entry) => entry.slug === wish) ?? enabled[0]
  const { data } = useInfiniteQuery({
    ...toolPagesQuery(server?.id ?? '', search),
    enabled: server !== undefined,
    placeholderData: keepPreviousData,
  })
  const [first] = data?.pages ?? []
  const tools = (first?.results ?? []).filter(
    (entry) => !entry.gone && !entry.problem && entry.server === server?.slug,
  )
  const name = tried && tried.server === server?.slug ? tried.tool : tools[0]?.name
  const listed = tools.find((tool) => tool.name === name)
  const { data: alone, error: gone } = useQuery({
    ...toolQuery(server?.id ?? '', name ?? ''),
    enabled: server !== undefined && name !== undefined && first !== undefined && listed === undefined,
    retry: false,
  })
  const found = listed ?? (alone?.name === name && alone?.server === server?.slug ? alone : undefined)
  // a link may be older than the tool it names
  const tool = found ?? (gone ? tools[0] : undefined)
  if (!server || (first && first.total === 0 && !filter && enabled.length === 1))
    return <p className="p-4 text-muted">{t('registry.nothing_to_try')}</p>
  const options = tool && !tools.includes(tool) ? [tool, ...tools] : tools
  return (
    <div className="try-place">
      <div className="flex flex-wrap items-center gap-2 px-4">
        {enabled.length > 1 ? (
          <Select
            className="w-40"
            aria-label={t('registry.server_to_try')}
            value={server.slug}
            onChange={(next) => {
              setFilter('')
              setPicked({ server: next, tried })
            }}
            options={enabled.map((entry) => ({ value: entry.slug, label: entry.name }))}
          />
        ) : null}
        <Select
          className="min-w-40 max-w-80 flex-1"
          aria-label={t('registry.tool_to_try')}
          value={tool?.name ?? ''}
          onChange={(next) => onTried({ server: server.slug, tool: next })}
          options={[
            ...(tool ? [] : [{ value: '', label: t('registry.choose_tool'), disabled: true }]),
            ...options.map((option) => ({
              value: option.name,
              label: `${option.server}/${visible(option.name)}`,
            })),
          ]}
        />
        {filter || (first && first.total > TOOLS_AT_ONCE) ? (
          <TextField
            className="w-40"
            inputType="search"
            placeholder={t('registry.filter_tools')}
            aria-label={t('registry.filter_tools_to_try')}
            value={filter}
            onChange={setFilter}
          />
        ) : null}
      </div>
      {tool ? (
        <Form key={`${tool.server}/${tool.name}`} tool={tool} />
      ) : first ? (
        <p className="px-4 text-muted">
          {filter ? t('registry.no_tool_fits') : t('registry.nothing_to_try')}
        </p>
      ) : null}
    </div>
  )
}
