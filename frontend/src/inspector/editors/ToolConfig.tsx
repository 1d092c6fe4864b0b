/** A tool node: which server, which tool, and its arguments by the tool's own schema. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { Shield } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { Link } from 'wouter'
import { serversQuery, type Tool, type ToolName, toolNamesQuery, toolQuery } from '@/api/servers'
import { isRecord, localErrors, member, SchemaForm, startValue } from '@/forms'
import { useGraph, useGraphStore } from '@/graph/context'
import { serverName } from '@/graph/nodes/describe'
import { useT } from '@/i18n'
import { Callout, ErrorBox, Select, Skeleton, visible } from '@/ui'
import { useFieldErrors, useNodeForm } from '../node-form'
import { together } from '../problems'
import { useHeld } from '../typing'
import { useDeclared, useSkills } from './declared-agent'

const ANYTHING = { type: 'object' }

export function ToolConfig() {
  const form = useNodeForm()
  const { config } = form.node
  const server = typeof config.server === 'string' ? config.server : ''
  const listed = useTools(server)
  const opened = useTool(server, config.tool)
  const tool = opened.data
  return (
    <>
      <div className="inspector-pair">
        <ServerSelect />
        <ToolSelect server={server} tools={listed.tools} />
      </div>
      <ToolNotice tool={tool} />
      <Arguments
        tool={tool}
        loading={listed.loading || opened.isLoading}
        error={listed.error ?? opened.error}
        never={listed.tools?.length === 0}
      />
      {tool ? <PolicyLine tool={tool} server={server} /> : null}
    </>
  )
}

/** What there is of a registered server; of what is written into the document only the skills of agents are known. */
export function useTools(server: string) {
  const declared = useDeclared(server)
  const skills = useSkills(server)
  const names = useQuery({ ...toolNamesQuery(server), enabled: server !== '' && !declared })
  const query: UseQueryResult<readonly ToolName[]> = declared ? skills : names
  return { tools: query.data, loading: query.isLoading, error: query.error }
}

/** One tool that its server has listed, with its schemas. */
export function useTool(server: string, name: unknown, enabled = true) {
  const declared = useDeclared(server)
  const skills = useSkills(server).data
  const listed = useTools(server).tools?.some((tool) => tool.name === name) ?? false
  const query = useQuery({ ...toolQuery(server, String(name)), enabled: enabled && listed && !declared })
  if (!declared) return query
  return { data: skills?.find((skill) => skill.name === name), isLoading: false, error: null }
}

/** The server of a node: one of the registry, or one that the document declares. */
export function ServerSelect() {
  const t = useT()
  const form = useNodeForm()
  const { server } = form.node.config
  const servers = useQuery(serversQuery)
  const declared = useGraph((state) => state.graph.mcp_servers)
  const inDocument = Object.keys(declared ?? {})
  const options = [
    { value: '', label: t('inspector.choose_server') },
    ...inDocument.map((name) => ({ value: name, label: t('inspector.in_document', { name }) })),
    ...(servers.data ?? [])
      .filter((server) => !inDocument.includes(server.slug))
      .map((server) => ({ value: server.slug, label: server.name })),
  ]
  const inline = isRecord(server)
  const value = inline ? '(inline)' : typeof server === 'string' ? server : ''
  if (inline) options.push({ value, label: t('inspector.inline_server', { name: serverName(server) }) })
  else if (!options.some((option) => option.value === value)) {
    const byId = servers.data?.find((server) => server.id === value)
    options.push({
      value,
      label: byId?.name ?? (servers.data ? t('inspector.unknown_server', { name: value }) : value),
    })
  }
  return (
    <Select
      label={t('inspector.server')}
      value={value}
      options={options}
      disabled={form.disabled}
      error={useFieldErrors(['server'])[0]}
      onChange={(next) => {
        if (next !== value) form.edit.config(['server'], next === '' ? undefined : next)
      }}
    />
  )
}

function ToolSelect({ server, tools }: { server: string; tools: readonly ToolName[] | undefined }) {
  const t = useT()
  const form = useNodeForm()
  const client = useQueryClient()
  const store = useGraphStore()
  const choices = useRef(0)
  const name = typeof form.node.config.tool === 'string' ? form.node.config.tool : ''
  const options = [
    { value: '', label: t('inspector.choose_tool') },
    ...(tools ?? [])
      .filter((tool) => !tool.gone || tool.name === name)
      .map((tool) => ({ value: tool.name, label: visible(tool.name) })),
  ]
  if (!options.some((option) => option.value === name)) {
    options.push({ value: name, label: tools?.length ? t('inspector.gone_tool', { name }) : name })
  }
  return (
    <Select
      label={t('inspector.tool')}
      value={name}
      options={options}
      disabled={form.disabled}
      error={useFieldErrors(['tool'])[0]}
      onChange={async (next) => {
        choices.current += 1
        const choice = choices.current
        const { id } = form.node
        const known = tools?.find((tool) => tool.name === next)
        const tool =
          known && !('input_schema' in known)
            ? await client.fetchQuery(toolQuery(server, next)).catch(() => undefined)
            : (known as Tool | undefined)
        // the node as it is by now: one goes on typing, or chooses again, while the tool is read
        const now = store.getState().graph.nodes.find((node) => node.id === id)
        if (now && choice === choices.current)
          form.edit.config([], withTool(now.config, next, tool?.input_schema))
      }}
    />
  )
}

/** Arguments that the other tool takes too are kept, its required defaults come along. */
function withTool(config: Record<string, unknown>, tool: string, schema: unknown): Record<string, unknown> {
  const before = isRecord(config.arguments) ? config.arguments : {}
  const properties = member(schema, 'properties')
  const kept = isRecord(properties)
    ? Object.entries(before).filter(([name]) => Object.hasOwn(properties, name))
    : []
  const start = startValue(schema)
  return { ...config, tool, arguments: { ...(isRecord(start) ? start : {}), ...Object.fromEntries(kept) } }
}

function ToolNotice({ tool }: { tool: Tool | undefined }) {
  const t = useT()
  if (!tool) return null
  return (
    <>
      {tool.description ? (
        <p className="field-hint form-hint" title={visible(tool.description)}>
          {visible(tool.description)}
        </p>
      ) : null}
      {tool.changed ? <Callout tone="waiting">{t('inspector.definition_changed')}</Callout> : null}
    </>
  )
}

function Arguments({
  tool,
  loading,
  error,
  never,
}: {
  tool: Tool | undefined
  loading: boolean
  error: unknown
  never: boolean
}) {
  const t = useT()
  const form = useNodeForm()
  const { node, errors } = form
  const values = node.config.arguments
  const schema = tool?.input_schema ?? ANYTHING
  const current = useMemo(() => {
    const text = Object.fromEntries(
      Object.entries(errors)
        .filter(([pointer]) => pointer.startsWith('/arguments'))
        .map(([pointer, sentences]) => [pointer.slice('/arguments'.length), sentences]),
    )
    if (!tool) return text
    // What the server says of the arguments as a whole is said at the fields, where the page can tell which they are.
    const whole = text[''] !== undefined
    const match = localErrors(tool.input_schema, isRecord(values) ? values : {}, t, { required: whole })
    const { '': _whole, ...fields } = text
    return together(whole && Object.keys(match).length > 0 ? fields : text, match)
  }, [errors, tool, values, t])
  const shown = useHeld(current, form.typing)
  if (loading) return <Skeleton rows={3} row={44} />
  if (!tool && !node.config.tool) return <p className="field-hint">{t('inspector.no_tool')}</p>
  return (
    <>
      {error instanceof Error && !tool ? (
        <ErrorBox
          tone="waiting"
          error={{ code: '', message: t('inspector.tools_failed'), hint: error.message }}
        />
      ) : null}
      {never ? <p className="field-hint">{t('inspector.tools_unknown')}</p> : null}
      <SchemaForm
        key={`${node.id} ${String(node.config.tool)}`}
        schema={schema}
        value={isRecord(values) ? values : {}}
        onChange={(next, path) => form.edit.config(['arguments'], next ?? {}, path)}
        errors={shown}
        mode="expression"
        scope={form.scope}
        disabled={form.disabled}
        idPrefix={`${node.id}-arguments`}
      />
    </>
  )
}

const RISK_WORD = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high' } as const

/** What the gate will do with this call, and where an admin changes it. */
function PolicyLine({ tool, server }: { tool: Tool; server: string }) {
  const t = useT()
  const declared = useDeclared(server) !== undefined
  const risk = tool.risk.level
  const asks = tool.policy === 'ask' || tool.changed || (tool.policy === 'auto' && risk === 'HIGH')
  const policy = t(`inspector.policy_${tool.policy}`)
  const level = t(`common.risk_${RISK_WORD[risk]}`)
  const words =
    tool.policy === 'deny'
      ? t('inspector.never_runs')
      : asks
        ? t('inspector.asks_first', { policy, risk: level })
        : t('inspector.runs_without_asking', { policy, risk: level })
  return (
    <p
      className="inspector-policy"
      data-tone={tool.policy === 'deny' ? 'failed' : undefined}
      data-tip={tool.risk.reasons.join(' · ') || undefined}
    >
      <Shield aria-hidden />
      <span>{words}</span>
      {declared ? null : (
        <Link className="link" href={`/registry/${server}/tools`}>
          {t('inspector.change')}
        </Link>
      )}
    </p>
  )
}
