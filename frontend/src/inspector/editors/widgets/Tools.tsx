/** What a model may use: tools of servers, workflows, and functions of Patchbay itself. */
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Lock, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { asChoices, useWorkflowNames, useWorkflowSearch } from '@/api/choices'
import { serversQuery, type ToolName } from '@/api/servers'
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
import { Button, Checkbox, IconButton, RiskBadge, Segmented, Select, Skeleton, visible } from '@/ui'
import { type Choice, SearchMenu } from '@/ui/floating/search-select'
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
  const names = useWorkflowNames(namesOf(value, 'workflows'))
  return (
    <FieldFrame label={String(field.schema.title ?? field.name)} errors={errors}>
      <div className="inspector-stack">
        <Servers value={value} onChange={set} />
        <Names value={value} kind="workflows" names={names} onChange={set} />
        <Names value={value} kind="local" onChange={set} />
        {form.disabled ? null : (
          <Add
            value={value}
            workflows={isRecord(member(parts, 'workflows'))}
            functions={known}
            onChange={set}
          />
        )}
      </div>
    </FieldFrame>
  )
}

interface PartProps {
  value: unknown
  onChange: (next: unknown, place: string) => void
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

const KINDS = ['server', 'local', 'workflow'] as const
type Kind = (typeof KINDS)[number]

/** A choice of one kind among those of all: two kinds may have one of the same name. */
const ofKind = (kind: Kind, group: string) => (choice: Choice) => ({
  value: `${kind} ${choice.value}`,
  label: choice.label,
  group,
})

/** What can still be added: servers and functions as far as they match what is typed, and the workflows found for it. */
function useAddable(value: unknown, functions: readonly string[], workflows: boolean) {
  const t = useT()
  const { choices, none } = useServerChoices()
  const [open, setOpen] = useState(false)
  const results = useWorkflowSearch(open && workflows, true)
  const typed = results.search.trim().toLowerCase()
  const chosen = {
    server: serversOf(value).map((entry) => entry.server),
    workflow: namesOf(value, 'workflows'),
    local: namesOf(value, 'local'),
  }
  const left = (kind: Kind, all: readonly Choice[]) =>
    all.filter((choice) => !chosen[kind].includes(choice.value))
  const matching = (all: readonly Choice[]) =>
    all.filter((choice) => `${choice.label} ${choice.value}`.toLowerCase().includes(typed))
  const published = asChoices(results, ({ slug, name }) => ({ value: slug, label: name }))
  const named = functions.map((name) => ({ value: name, label: name }))
  const servers = left('server', choices)
  return {
    none,
    any: workflows || servers.length + left('local', named).length > 0,
    setOpen,
    choices: {
      ...published,
      options: [
        ...matching(servers).map(ofKind('server', t('inspector.tools_of_server'))),
        ...matching(left('local', named)).map(ofKind('local', t('inspector.functions'))),
        ...left('workflow', published.options).map(ofKind('workflow', t('inspector.workflow_tools'))),
      ],
    },
  }
}

/** The one button that adds: a server's tools, a function, a workflow. */
function Add({
  value,
  workflows,
  functions,
  onChange,
}: PartProps & { workflows: boolean; functions: readonly string[] }) {
  const t = useT()
  const { none, any, setOpen, choices } = useAddable(value, functions, workflows)
  const add = (picked: string) => {
    const kind = KINDS.find((kind) => picked.startsWith(`${kind} `)) ?? 'server'
    const name = picked.slice(kind.length + 1)
    const place = `+${name}`
    if (kind === 'server') {
      const entries = serversOf(value).map((choice) => choice.entry)
      onChange(withServers(value, [...entries, { server: name }]), place)
      return
    }
    const list = kind === 'local' ? 'local' : 'workflows'
    onChange(withNames(value, list, [...namesOf(value, list), name]), place)
  }
  return (
    <>
      {any ? (
        <div>
          <SearchMenu
            label={t('canvas.add_tools')}
            choices={choices}
            onPick={add}
            onOpenChange={setOpen}
            trigger={
              <Button size="small" icon={<Plus aria-hidden />}>
                {t('canvas.add_tools')}
              </Button>
            }
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
  names,
  onChange,
}: PartProps & { kind: 'workflows' | 'local'; names?: ReadonlyMap<string, string> }) {
  const t = useT()
  const form = useNodeForm()
  const chosen = namesOf(value, kind)
  return chosen.map((name) => {
    const label = names?.get(name) ?? name
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
