/** How a model gets its tools: all of them, or by searching; with their number and what their definitions cost. */
import { useQueries } from '@tanstack/react-query'
import { toolNamesQuery } from '@/api/servers'
import { isRecord, member } from '@/forms'
import { useGraph } from '@/graph/context'
import { namesOf, serversOf } from '@/graph/nodes/tool-choice'
import { sentenceGap, useT } from '@/i18n'
import { compact, Segmented } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import type { ConfigField } from './widgets'

interface Offered {
  readonly count: number
  readonly tokens: number
  /** Something is chosen of which neither is known here. */
  readonly more: boolean
  readonly loading: boolean
}

/** What a node's tools come to, as far as their servers have listed them. */
function useOffered(tools: unknown): Offered {
  const declared = useGraph((state) => state.graph.mcp_servers)
  const choices = serversOf(tools)
  const known = (server: unknown): server is string =>
    typeof server === 'string' && server !== '' && !isRecord(member(declared, server))
  const lists = useQueries({
    queries: choices.map(({ server }) => {
      const slug = known(server) ? server : ''
      return { ...toolNamesQuery(slug), enabled: slug !== '' }
    }),
  })
  const chosen = choices.map(({ include }, index) =>
    (lists[index]?.data ?? []).filter((tool) => !tool.gone && (include?.includes(tool.name) ?? true)),
  )
  const workflows = namesOf(tools, 'workflows').length
  const others = workflows + namesOf(tools, 'local').length
  const all = chosen.flat()
  return {
    count: all.length + others,
    tokens: all.reduce((sum, tool) => sum + tool.tokens, 0),
    more: others > 0 || chosen.some((list) => list.length === 0),
    loading: lists.some((list) => list.isLoading),
  }
}

const numberIn = (schema: unknown, name: string): number => {
  const limit = member(member(schema, 'x-limits'), name)
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}

function useOptions(schema: Record<string, unknown>) {
  const values = Array.isArray(schema.enum) ? schema.enum.map(String) : []
  const titles = Array.isArray(schema['x-enum-titles']) ? schema['x-enum-titles'].map(String) : []
  return values.map((value, index) => ({ value, label: titles[index] ?? value }))
}

/** What it comes to, and what follows of it. */
function Cost({ schema, mode, offered }: { schema: unknown; mode: string; offered: Offered }) {
  const t = useT()
  const { count, tokens, more } = offered
  const most = numberIn(schema, 'offered')
  const beyond = count > numberIn(schema, 'tools') || tokens > numberIn(schema, 'tokens')
  const searched = mode === 'search' || (mode === 'automatic' && beyond)
  const size = { n: count, tokens: compact(tokens) }
  return (
    <p className="field-hint" role="status">
      {t(more ? 'inspector.tools_cost_least' : 'inspector.tools_cost', size)}
      {sentenceGap()}
      {searched
        ? t('inspector.tools_searched')
        : count > most
          ? t('inspector.tools_too_many', { most })
          : t('inspector.tools_offered')}
    </p>
  )
}

export function ToolSearch({ field }: { field: ConfigField }) {
  const form = useNodeForm()
  const { schema, name } = field
  const offered = useOffered(form.node.config.tools)
  const set = form.node.config[name]
  const errors = useFieldErrors([name])
  const options = useOptions(schema)
  const mode = String(set ?? schema.default)
  if (offered.count === 0 && !offered.more && set === undefined) return null
  return (
    <FieldFrame
      label={String(schema.title ?? name)}
      errors={errors}
      hint={typeof schema.description === 'string' ? schema.description : undefined}
    >
      <Segmented
        small
        label={String(schema.title ?? name)}
        value={mode}
        options={options}
        disabled={form.disabled}
        onChange={(next) => form.edit.config([name], next === schema.default ? undefined : next, [])}
      />
      {offered.count > 0 && !offered.loading ? <Cost schema={schema} mode={mode} offered={offered} /> : null}
    </FieldFrame>
  )
}
