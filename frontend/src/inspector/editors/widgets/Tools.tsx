/** What a model may use: tools of servers, workflows, and functions of Patchbay itself. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Lock, X } from 'lucide-react'
import { useState } from 'react'
import { serversQuery, type Tool } from '@/api/servers'
import { workflowsQuery } from '@/api/workflows'
import { isRecord, member } from '@/forms'
import { useGraph } from '@/graph/context'
import { serverName } from '@/graph/describe'
import {
  namesOf,
  type ServerChoice,
  serversOf,
  withFixed,
  withInclude,
  withNames,
  withServers,
} from '@/graph/tool-choice'
import { useT } from '@/i18n'
import { Checkbox, IconButton, RiskBadge, Segmented, Select, Skeleton } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm, ValueEntry } from '../../node-form'
import { useTools } from '../ToolConfig'
import type { ConfigField } from './widgets'

export function Tools({ field }: { field: ConfigField }) {
  const form = useNodeForm()
  const errors = useFieldErrors([field.name])
  const value = form.node.config[field.name]
  const set = (next: unknown, place: string) => form.edit.config([field.name], next, [place])
  const local = member(member(member(field.schema, 'properties'), 'local'), 'items')
  const functions = member(local, 'enum')
  return (
    <FieldFrame label={String(field.schema.title ?? field.name)} errors={errors}>
      <div className="inspector-stack">
        <Servers value={value} onChange={set} />
        {isRecord(member(member(field.schema, 'properties'), 'workflows')) ? (
          <Workflows value={value} onChange={set} />
        ) : null}
        {Array.isArray(functions) ? (
          <Functions
            value={value}
            onChange={set}
            known={functions.filter((one) => typeof one === 'string')}
          />
        ) : null}
      </div>
    </FieldFrame>
  )
}

interface PartProps {
  value: unknown
  onChange: (next: unknown, place: string) => void
}

function Servers({ value, onChange }: PartProps) {
  const t = useT()
  const form = useNodeForm()
  const registered = useQuery(serversQuery).data
  const declared = Object.keys(useGraph((state) => state.graph.mcp_servers) ?? {})
  const choices = serversOf(value)
  const taken = choices.map((one) => one.server)
  const free = [
    ...declared.map((name) => ({ value: name, label: t('inspector.in_document', { name }) })),
    ...(registered ?? [])
      .filter((one) => !declared.includes(one.slug))
      .map((one) => ({ value: one.slug, label: one.name })),
  ].filter((option) => !taken.includes(option.value))
  const replace = (index: number, entry: unknown, place: string) =>
    onChange(
      withServers(
        value,
        choices.map((one, at) => (at === index ? entry : one.entry)),
      ),
      `${index}:${place}`,
    )
  return (
    <>
      {choices.map((choice, index) => (
        <ServerRow
          // biome-ignore lint/suspicious/noArrayIndexKey: an inline server has no identity but its place
          key={index}
          choice={choice}
          title={
            registered?.find((one) => one.slug === choice.server || one.id === choice.server)?.name ??
            serverName(choice.server)
          }
          onChange={(entry, place) => replace(index, entry, place)}
          onRemove={() =>
            onChange(
              withServers(
                value,
                choices.filter((_, at) => at !== index).map((one) => one.entry),
              ),
              `-${index}`,
            )
          }
        />
      ))}
      {form.disabled || free.length === 0 ? null : (
        <Select
          aria-label={t('inspector.add_tools_of')}
          value=""
          options={[{ value: '', label: t('inspector.add_tools_of') }, ...free]}
          onChange={(server) => {
            if (server === '') return
            onChange(withServers(value, [...choices.map((one) => one.entry), { server }]), `+${server}`)
          }}
        />
      )}
      {registered?.length === 0 && declared.length === 0 ? (
        <p className="field-hint">{t('inspector.no_servers_yet')}</p>
      ) : null}
    </>
  )
}

interface ServerRowProps {
  choice: ServerChoice
  title: string
  onChange: (entry: unknown, place: string) => void
  onRemove: () => void
}

function ServerRow({ choice, title, onChange, onRemove }: ServerRowProps) {
  const t = useT()
  const form = useNodeForm()
  const slug = typeof choice.server === 'string' ? choice.server : ''
  const listed = useTools(slug)
  const [open, setOpen] = useState(false)
  const tools = (listed.tools ?? []).filter((tool) => !tool.gone)
  const count =
    choice.include === undefined
      ? t('inspector.all_tools')
      : t('inspector.tools_of', { chosen: choice.include.length, all: tools.length })
  return (
    <div className="inspector-tools">
      <div className="inspector-tools-head">
        <button
          type="button"
          className="inspector-tools-open"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
          <span className="inspector-tools-name">{title}</span>
          <span className="field-type">{count}</span>
        </button>
        {form.disabled ? null : (
          <IconButton
            size="small"
            label={t('inspector.remove_tools_of', { server: title })}
            onClick={onRemove}
          >
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {open ? (
        <div className="inspector-tools-body">
          <Segmented
            small
            label={t('inspector.which_tools', { server: title })}
            value={choice.include === undefined ? 'all' : 'some'}
            disabled={form.disabled}
            options={[
              { value: 'all', label: t('inspector.all_tools') },
              { value: 'some', label: t('inspector.some_tools') },
            ]}
            onChange={(next) =>
              onChange(
                withInclude(choice, next === 'all' ? undefined : tools.map((tool) => tool.name)),
                'which',
              )
            }
          />
          {listed.loading ? <Skeleton rows={3} row={28} /> : null}
          {listed.tools?.length === 0 ? <p className="field-hint">{t('inspector.tools_unknown')}</p> : null}
          {[...tools, ...missing(choice, tools)].map((tool) => (
            <ToolRow key={tool.name} tool={tool} choice={choice} all={tools} onChange={onChange} />
          ))}
        </div>
      ) : null}
    </div>
  )
}

type Row = Pick<Tool, 'name'> & Partial<Tool>

function propertyNames(schema: unknown): string[] {
  const properties = member(schema, 'properties')
  return isRecord(properties) ? Object.keys(properties) : []
}

/** Tools that are chosen and that the server does not list: kept, and shown so. */
function missing(choice: ServerChoice, tools: readonly Tool[]): Row[] {
  return (choice.include ?? [])
    .filter((name) => !tools.some((tool) => tool.name === name))
    .map((name) => ({ name }))
}

function ToolRow({
  tool,
  choice,
  all,
  onChange,
}: {
  tool: Row
  choice: ServerChoice
  all: readonly Tool[]
  onChange: (entry: unknown, place: string) => void
}) {
  const t = useT()
  const form = useNodeForm()
  const chosen = choice.include === undefined || choice.include.includes(tool.name)
  const fixed = choice.fixed[tool.name] ?? {}
  const parameters = propertyNames(tool.input_schema)
  const free = parameters.filter((name) => !Object.hasOwn(fixed, name))
  const [fixing, setFixing] = useState(false)
  const fixable = chosen && parameters.length > 0 && !form.disabled
  return (
    <div className="inspector-tool">
      <div className="inspector-tool-head" data-tip={tool.description || undefined}>
        {choice.include === undefined ? (
          <span className="inspector-tool-name">{tool.name}</span>
        ) : (
          <Checkbox
            checked={chosen}
            disabled={form.disabled}
            label={<span className="inspector-tool-name">{tool.name}</span>}
            onChange={(next) => {
              const order = all.map((one) => one.name)
              const kept = choice.include ?? []
              const include = next ? [...kept, tool.name] : kept.filter((name) => name !== tool.name)
              onChange(
                withInclude(
                  choice,
                  include.toSorted((left, right) => order.indexOf(left) - order.indexOf(right)),
                ),
                tool.name,
              )
            }}
          />
        )}
        <span className="form-aside">
          {tool.risk ? <RiskBadge level={tool.risk.level} reasons={tool.risk.reasons} /> : null}
          {tool.risk === undefined ? (
            <span className="field-type">{t('inspector.gone_tool', { name: '' }).trim()}</span>
          ) : null}
          {fixable ? (
            <IconButton
              size="small"
              label={t('inspector.fix_parameters', { tool: tool.name })}
              aria-expanded={fixing || Object.keys(fixed).length > 0}
              onClick={() => setFixing(!fixing)}
            >
              <Lock aria-hidden />
            </IconButton>
          ) : null}
        </span>
      </div>
      {Object.entries(fixed).map(([name, value]) => (
        <div key={name} className="inspector-row">
          <span className="inspector-fixed">{name}</span>
          <ValueEntry
            label={t('inspector.fixed_value', { name })}
            value={value}
            onChange={(next) =>
              onChange(withFixed(choice, tool.name, name, next ?? ''), `${tool.name}.${name}`)
            }
          />
          {form.disabled ? null : (
            <IconButton
              size="small"
              label={t('inspector.free_parameter', { name })}
              onClick={() => onChange(withFixed(choice, tool.name, name, undefined), `-${tool.name}.${name}`)}
            >
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      {fixing && fixable && free.length > 0 ? (
        <Select
          aria-label={t('inspector.fix_parameter_of', { tool: tool.name })}
          value=""
          options={[
            { value: '', label: t('inspector.fix_parameter') },
            ...free.map((name) => ({ value: name, label: name })),
          ]}
          onChange={(name) => {
            if (name !== '') onChange(withFixed(choice, tool.name, name, ''), `+${tool.name}.${name}`)
          }}
        />
      ) : null}
    </div>
  )
}

function Workflows({ value, onChange }: PartProps) {
  const t = useT()
  const listed = useInfiniteQuery(workflowsQuery).data?.pages.flatMap((page) => page.results) ?? []
  const published = listed.filter((one) => one.published_version !== null)
  return (
    <Names
      chosen={namesOf(value, 'workflows')}
      known={published.map((one) => ({ value: one.slug, label: one.name }))}
      add={t('inspector.add_workflow_tool')}
      onChange={(names, place) => onChange(withNames(value, 'workflows', names), `workflows:${place}`)}
    />
  )
}

function Functions({ value, onChange, known }: PartProps & { known: readonly string[] }) {
  const t = useT()
  return (
    <Names
      chosen={namesOf(value, 'local')}
      known={known.map((name) => ({ value: name, label: name }))}
      add={t('inspector.add_function')}
      onChange={(names, place) => onChange(withNames(value, 'local', names), `local:${place}`)}
    />
  )
}

interface NamesProps {
  chosen: readonly string[]
  known: readonly { value: string; label: string }[]
  add: string
  onChange: (names: readonly string[], place: string) => void
}

/** Names that were chosen, and a list of those that may be added. */
function Names({ chosen, known, add, onChange }: NamesProps) {
  const t = useT()
  const form = useNodeForm()
  const free = known.filter((one) => !chosen.includes(one.value))
  if (free.length === 0 && chosen.length === 0) return null
  return (
    <>
      {chosen.map((name) => {
        const label = known.find((one) => one.value === name)?.label ?? name
        return (
          <div key={name} className="inspector-tools">
            <div className="inspector-tools-head">
              <span className="inspector-tools-open">
                <span className="inspector-tools-name">{label}</span>
                {label === name ? null : <span className="field-type">{name}</span>}
              </span>
              {form.disabled ? null : (
                <IconButton
                  size="small"
                  label={t('inspector.remove_row', { name: label })}
                  onClick={() =>
                    onChange(
                      chosen.filter((one) => one !== name),
                      `-${name}`,
                    )
                  }
                >
                  <X aria-hidden />
                </IconButton>
              )}
            </div>
          </div>
        )
      })}
      {form.disabled || free.length === 0 ? null : (
        <Select
          aria-label={add}
          value=""
          options={[{ value: '', label: add }, ...free]}
          onChange={(name) => {
            if (name !== '') onChange([...chosen, name], `+${name}`)
          }}
        />
      )}
    </>
  )
}
