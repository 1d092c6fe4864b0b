/** What a model may use: tools of servers, workflows, and functions of Patchbay itself. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Lock, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { serversQuery, type ToolName } from '@/api/servers'
import { workflowsQuery } from '@/api/workflows'
import { isRecord, member } from '@/forms'
import { useGraph } from '@/graph/context'
import { serverName } from '@/graph/nodes/describe'
import {
  namesOf,
  type ServerChoice,
  serversOf,
  withFixed,
  withInclude,
  withNames,
  withServers,
} from '@/graph/nodes/tool-choice'
import { useT } from '@/i18n'
import {
  Button,
  Checkbox,
  IconButton,
  Menu,
  type MenuEntry,
  RiskBadge,
  Segmented,
  Select,
  Skeleton,
  visible,
} from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm, ValueEntry } from '../../node-form'
import { useTool, useTools } from '../ToolConfig'
import type { ConfigField } from './widgets'

export function Tools({ field }: { field: ConfigField }) {
  const form = useNodeForm()
  const errors = useFieldErrors([field.name])
  const value = form.node.config[field.name]
  const set = (next: unknown, place: string) => form.edit.config([field.name], next, [place])
  const parts = member(field.schema, 'properties')
  const functions = member(member(member(parts, 'local'), 'items'), 'enum')
  const known = Array.isArray(functions) ? functions.filter((entry) => typeof entry === 'string') : []
  const workflows = usePublished(isRecord(member(parts, 'workflows')))
  return (
    <FieldFrame label={String(field.schema.title ?? field.name)} errors={errors}>
      <div className="inspector-stack">
        <Servers value={value} onChange={set} />
        <Names value={value} kind="workflows" known={workflows} onChange={set} />
        <Names
          value={value}
          kind="local"
          known={known.map((name) => ({ value: name, label: name }))}
          onChange={set}
        />
        {form.disabled ? null : <Add value={value} workflows={workflows} functions={known} onChange={set} />}
      </div>
    </FieldFrame>
  )
}

interface Choice {
  value: string
  label: string
}

interface PartProps {
  value: unknown
  onChange: (next: unknown, place: string) => void
}

/** Published workflows, by slug. */
function usePublished(wanted: boolean): readonly Choice[] {
  const listed = useInfiniteQuery({ ...workflowsQuery, enabled: wanted }).data
  const all = listed?.pages.flatMap((page) => page.results) ?? []
  return all
    .filter((workflowSummary) => workflowSummary.published_version !== null)
    .map((workflowSummary) => ({ value: workflowSummary.slug, label: workflowSummary.name }))
}

/** Servers that a node may name: those of the document first, then the registry's. */
function useServerChoices(): { choices: readonly Choice[]; none: boolean } {
  const t = useT()
  const registered = useQuery(serversQuery).data
  const declared = Object.keys(useGraph((state) => state.graph.mcp_servers) ?? {})
  const choices = [
    ...declared.map((name) => ({ value: name, label: t('inspector.in_document', { name }) })),
    ...(registered ?? [])
      .filter((entry) => !declared.includes(entry.slug))
      .map((entry) => ({ value: entry.slug, label: entry.name })),
  ]
  return { choices, none: registered !== undefined && choices.length === 0 }
}

/** The one button that adds: a server's tools, a workflow, a function. */
function Add({
  value,
  workflows,
  functions,
  onChange,
}: PartProps & { workflows: readonly Choice[]; functions: readonly string[] }) {
  const t = useT()
  const { choices, none } = useServerChoices()
  const chosen = serversOf(value)
  const taken = {
    servers: chosen.map((serverChoice) => serverChoice.server),
    workflows: namesOf(value, 'workflows'),
    local: namesOf(value, 'local'),
  }
  const named = (kind: 'workflows' | 'local', all: readonly Choice[]) =>
    all
      .filter((choice) => !taken[kind].includes(choice.value))
      .map((choice) => ({
        label: choice.label,
        onSelect: () => onChange(withNames(value, kind, [...taken[kind], choice.value]), `+${choice.value}`),
      }))
  const servers = choices
    .filter((choice) => !taken.servers.includes(choice.value))
    .map((choice) => ({
      label: choice.label,
      onSelect: () =>
        onChange(
          withServers(value, [...chosen.map((entry) => entry.entry), { server: choice.value }]),
          `+${choice.value}`,
        ),
    }))
  const groups = [
    { title: t('inspector.tools_of_server'), items: servers },
    { title: t('inspector.workflow_tools'), items: named('workflows', workflows) },
    {
      title: t('inspector.functions'),
      items: named(
        'local',
        functions.map((name) => ({ value: name, label: name })),
      ),
    },
  ].filter((group) => group.items.length > 0)
  return (
    <>
      {groups.length > 0 ? (
        <div>
          <Menu
            align="start"
            label={t('inspector.add_tools')}
            trigger={
              <Button size="small" icon={<Plus aria-hidden />}>
                {t('inspector.add_tools')}
              </Button>
            }
            items={groups.flatMap((group): MenuEntry[] => [
              { kind: 'label', label: group.title },
              ...group.items,
            ])}
          />
        </div>
      ) : null}
      <p className="field-hint">{none ? t('inspector.no_servers_yet') : t('inspector.drop_tools')}</p>
    </>
  )
}

function Servers({ value, onChange }: PartProps) {
  const registered = useQuery(serversQuery).data
  const choices = serversOf(value)
  const replace = (index: number, entry: unknown, place: string) =>
    onChange(
      withServers(
        value,
        choices.map((choice, position) => (position === index ? entry : choice.entry)),
      ),
      `${index}:${place}`,
    )
  return choices.map((choice, index) => (
    <ServerRow
      // biome-ignore lint/suspicious/noArrayIndexKey: an inline server has no identity but its place
      key={index}
      choice={choice}
      title={
        registered?.find((entry) => entry.slug === choice.server || entry.id === choice.server)?.name ??
        serverName(choice.server)
      }
      onChange={(entry, place) => replace(index, entry, place)}
      onRemove={() =>
        onChange(
          withServers(
            value,
            choices.filter((_, position) => position !== index).map((choice) => choice.entry),
          ),
          `-${index}`,
        )
      }
    />
  ))
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
            <ToolRow
              key={tool.name}
              server={slug}
              tool={tool}
              choice={choice}
              all={tools}
              onChange={onChange}
            />
          ))}
        </div>
      ) : null}
    </div>
  )
}

type Row = Pick<ToolName, 'name'> & Partial<ToolName>

function propertyNames(schema: unknown): string[] {
  const properties = member(schema, 'properties')
  return isRecord(properties) ? Object.keys(properties) : []
}

/** Tools that are chosen and that the server does not list: kept, and shown so. */
function missing(choice: ServerChoice, tools: readonly ToolName[]): Row[] {
  return (choice.include ?? [])
    .filter((name) => !tools.some((tool) => tool.name === name))
    .map((name) => ({ name }))
}

function ToolRow({
  server,
  tool,
  choice,
  all,
  onChange,
}: {
  server: string
  tool: Row
  choice: ServerChoice
  all: readonly ToolName[]
  onChange: (entry: unknown, place: string) => void
}) {
  const t = useT()
  const form = useNodeForm()
  const chosen = choice.include === undefined || choice.include.includes(tool.name)
  const fixed = choice.fixed[tool.name] ?? {}
  const [fixing, setFixing] = useState(false)
  const fixable = chosen && (tool.parameters ?? 0) > 0 && !form.disabled
  const schema = useTool(server, tool.name, fixing && fixable).data?.input_schema
  const free = propertyNames(schema).filter((name) => !Object.hasOwn(fixed, name))
  return (
    <div className="inspector-tool">
      <div className="inspector-tool-head" data-tip={tool.description || undefined}>
        {choice.include === undefined ? (
          <span className="inspector-tool-name">{visible(tool.name)}</span>
        ) : (
          <Checkbox
            checked={chosen}
            disabled={form.disabled}
            label={<span className="inspector-tool-name">{visible(tool.name)}</span>}
            onChange={(next) => {
              const order = all.map((entry) => entry.name)
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

/** Workflows or functions that were chosen. */
function Names({
  value,
  kind,
  known,
  onChange,
}: PartProps & { kind: 'workflows' | 'local'; known: readonly Choice[] }) {
  const t = useT()
  const form = useNodeForm()
  const chosen = namesOf(value, kind)
  return chosen.map((name) => {
    const label = known.find((choice) => choice.value === name)?.label ?? name
    return (
      <div key={name} className="inspector-tools">
        <div className="inspector-tools-head">
          <span className="inspector-tools-open">
            <span className="inspector-tools-name">{label}</span>
            <span className="field-type">
              {kind === 'local' ? t('inspector.function') : t('inspector.workflow_tool')}
            </span>
          </span>
          {form.disabled ? null : (
            <IconButton
              size="small"
              label={t('inspector.remove_row', { name: label })}
              onClick={() =>
                onChange(
                  withNames(
                    value,
                    kind,
                    chosen.filter((text) => text !== name),
                  ),
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
  })
}
