/** What the inspector shows when no single node is selected: an edge, a note or group, several things, the workflow. */
import { ArrowRight, Group, StickyNote, Trash2, Workflow } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { isRecord } from '@/forms'
import { useGraph, useGraphStore } from '@/graph/context'
import { patchAnnotation, remove } from '@/graph/edit/edits'
import { distinctTitles } from '@/graph/nodes/describe'
import type { Annotation, Graph, GraphEdge, Problem } from '@/graph/types'
import { type Key, useT } from '@/i18n'
import { NamedRows } from '@/inspector/editors/Rows'
import { InputsBuilder } from '@/inspector/editors/Start'
import { FieldFrame } from '@/inspector/node-form'
import { Button, Select, TextArea, TextField } from '@/ui'
import { Budgets } from './Budgets'
import { Concurrency } from './Concurrency'
import { type HeaderActions, PanelButtons } from './Header'
import { ManyFields } from './Many'
import { ProblemList } from './ProblemList'

interface PlainHeadProps {
  icon: ReactNode
  title: string
  sub?: string
  actions: HeaderActions
}

function PlainHead({ icon, title, sub, actions }: PlainHeadProps) {
  return (
    <header className="inspector-head">
      <span className="tile">{icon}</span>
      <div className="inspector-name">
        <h2 className="truncate">{title}</h2>
        {sub ? <div className="inspector-sub inspector-sub-words">{sub}</div> : null}
      </div>
      <PanelButtons {...actions} />
    </header>
  )
}

export interface OtherProps {
  readOnly: boolean
  actions: HeaderActions
  problems: readonly Problem[]
}

export function EdgeInspector({ edge, readOnly, actions, problems }: OtherProps & { edge: GraphEdge }) {
  const t = useT()
  const store = useGraphStore()
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const titles = useMemo(() => distinctTitles(graph.nodes, types), [graph.nodes, types])
  const name = (id: string) => titles.get(id) ?? id
  const select = (id: string) => store.getState().select({ nodes: [id] })
  return (
    <>
      <PlainHead
        icon={<ArrowRight aria-hidden />}
        title={t('inspector.edge')}
        sub={edge.id}
        actions={actions}
      />
      <div className="inspector-body">
        <ProblemList problems={problems.filter((problem) => problem.edge === edge.id)} />
        <FieldFrame label={t('inspector.edge_from')}>
          <div>
            <Button onClick={() => select(edge.source)}>
              {name(edge.source)} <code>{edge.source_port}</code>
            </Button>
          </div>
        </FieldFrame>
        <FieldFrame label={t('inspector.edge_to')}>
          <div>
            <Button onClick={() => select(edge.target)}>
              {name(edge.target)} <code>{edge.target_port}</code>
            </Button>
          </div>
        </FieldFrame>
        {readOnly ? null : (
          <div>
            <Button
              variant="danger"
              icon={<Trash2 aria-hidden />}
              onClick={() => store.getState().commit('delete', (now) => remove(now, { edges: [edge.id] }))}
            >
              {t('inspector.delete_edge')}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

/** How a document names a secret. */
const SECRET = `$\u007bsecret:name}`

const APPROVERS = ['anyone', 'not_starter', 'two_people', 'two_others'] as const

const COLOURS = ['grey', 'yellow', 'blue', 'green', 'purple'] as const

export function AnnotationInspector({
  annotation,
  readOnly,
  actions,
}: OtherProps & { annotation: Annotation }) {
  const t = useT()
  const store = useGraphStore()
  const { id, kind } = annotation
  const set = (patch: Partial<Annotation>) =>
    store.getState().commit(kind, (graph) => patchAnnotation(graph, id, patch), {
      merge: `${id}:${Object.keys(patch).join(',')}`,
    })
  return (
    <>
      <PlainHead
        icon={kind === 'group' ? <Group aria-hidden /> : <StickyNote aria-hidden />}
        title={t(kind === 'group' ? 'inspector.group' : 'inspector.note')}
        actions={actions}
      />
      <div className="inspector-body">
        {kind === 'group' ? (
          <TextField
            label={t('inspector.group_title')}
            value={annotation.text}
            disabled={readOnly}
            onChange={(text) => set({ text })}
          />
        ) : (
          <TextArea
            label={t('inspector.note_text')}
            value={annotation.text}
            rows={8}
            disabled={readOnly}
            onChange={(text) => set({ text })}
          />
        )}
        <Select
          label={t('inspector.colour')}
          value={annotation.color ?? 'grey'}
          disabled={readOnly}
          options={COLOURS.map((colour) => ({
            value: colour as string,
            label: t(`inspector.colour_${colour}` as Key as 'inspector.colour_grey'),
          }))}
          onChange={(color) => set({ color })}
        />
        {readOnly ? null : (
          <div>
            <Button
              variant="danger"
              icon={<Trash2 aria-hidden />}
              onClick={() =>
                store.getState().commit('delete', (graph) => remove(graph, { annotations: [id] }))
              }
            >
              {t('inspector.delete_annotation')}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

export function ManyInspector({
  count,
  readOnly,
  actions,
}: {
  count: number
  readOnly: boolean
  actions: HeaderActions
}) {
  const t = useT()
  return (
    <>
      <PlainHead
        icon={<Workflow aria-hidden />}
        title={t('inspector.many', { n: count })}
        actions={actions}
      />
      <div className="inspector-body">
        <p className="field-hint">{t('inspector.many_hint')}</p>
        <ManyFields readOnly={readOnly} />
      </div>
    </>
  )
}

/** The document itself: what a run asks for, its variables, its environment, its language. */
export function WorkflowInspector({ readOnly, actions, problems }: OtherProps) {
  const t = useT()
  const store = useGraphStore()
  const graph = useGraph((state) => state.graph)
  const start = graph.nodes.find((node) => node.type === 'start')
  const set = (key: keyof Graph, value: unknown, place = '') =>
    store.getState().commit(
      'document',
      (now) => {
        const { [key]: _before, ...rest } = now
        return (value === undefined ? rest : { ...now, [key]: value }) as Graph
      },
      { merge: `document:${key}${place}` },
    )
  const setInputs = (inputs: Record<string, unknown>, place: string) =>
    store.getState().commit(
      'config',
      (now) => ({
        ...now,
        nodes: now.nodes.map((node) =>
          node.id === start?.id ? { ...node, config: { ...node.config, inputs } } : node,
        ),
      }),
      { merge: `${start?.id}:inputs:${place}` },
    )
  const inputs = start?.config.inputs
  return (
    <>
      <PlainHead
        icon={<Workflow aria-hidden />}
        title={t('inspector.workflow')}
        sub={t('inspector.workflow_hint')}
        actions={actions}
      />
      <div className="inspector-body">
        <ProblemList problems={problems.filter((problem) => !problem.node && !problem.edge)} />
        {start ? (
          <FieldFrame label={t('inspector.inputs')} hint={t('inspector.inputs_hint')}>
            <InputsBuilder
              files
              empty={t('inspector.no_inputs')}
              schema={isRecord(inputs) ? inputs : {}}
              disabled={readOnly}
              onChange={setInputs}
            />
          </FieldFrame>
        ) : null}
        <Variables
          value={graph.variables ?? {}}
          disabled={readOnly}
          onChange={(next, place) => set('variables', next, place)}
        />
        <FieldFrame
          label={t('inspector.environment')}
          hint={t('inspector.environment_hint', { example: SECRET })}
        >
          <NamedRows
            value={graph.env ?? {}}
            disabled={readOnly}
            add={t('inspector.add_env')}
            base="NAME"
            onChange={(next, place) => set('env', Object.keys(next).length > 0 ? next : undefined, place)}
          />
        </FieldFrame>
        <Budgets
          value={graph.budgets}
          disabled={readOnly}
          onChange={(next, place) => set('budgets', next, place)}
        />
        <Concurrency
          value={graph.concurrency}
          disabled={readOnly}
          onChange={(next, place) => set('concurrency', next, place)}
        />
        <Select
          label={t('inspector.approvers')}
          hint={t('inspector.approvers_hint')}
          value={graph.approvers ?? 'anyone'}
          disabled={readOnly}
          options={APPROVERS.map((text) => ({ value: text as string, label: t(`common.approvers_${text}`) }))}
          onChange={(next) => set('approvers', next === 'anyone' ? undefined : next)}
        />
        <Select
          label={t('inspector.language')}
          value={graph.language ?? ''}
          disabled={readOnly}
          options={[
            { value: '', label: t('inspector.language_none') },
            { value: 'en', label: 'English' },
            { value: 'zh', label: '中文' },
          ]}
          onChange={(next) => set('language', next === '' ? undefined : next)}
        />
      </div>
    </>
  )
}

interface VariablesProps {
  value: Record<string, unknown>
  disabled: boolean
  onChange: (value: Record<string, unknown> | undefined, place: string) => void
}

/** Names with their first value; schema and scope of a variable are kept, the scope can be chosen. */
function Variables({ value, disabled, onChange }: VariablesProps) {
  const t = useT()
  const about = (name: string): Record<string, unknown> => (isRecord(value[name]) ? value[name] : {})
  const defaults = Object.fromEntries(Object.keys(value).map((name) => [name, about(name).default ?? '']))
  const change = (next: Record<string, unknown>, place: string) => {
    const before = Object.keys(value)
    const entries = Object.entries(next).map(([name, preset], index) => {
      // A name that is new in its place was renamed: it keeps what was said about it.
      const source = Object.hasOwn(value, name)
        ? name
        : Object.keys(next).length === before.length
          ? (before[index] ?? name)
          : name
      const { default: _before, ...rest } = { scope: 'run', ...about(source) } as Record<string, unknown>
      return [name, preset === '' ? rest : { ...rest, default: preset }] as const
    })
    onChange(entries.length > 0 ? Object.fromEntries(entries) : undefined, place)
  }
  return (
    <FieldFrame label={t('inspector.variables')} hint={t('inspector.variables_hint')}>
      <NamedRows
        value={defaults}
        disabled={disabled}
        add={t('inspector.add_variable')}
        base="value"
        onChange={change}
        extra={(name) => (
          <Select
            small
            aria-label={t('inspector.variable_scope')}
            value={about(name).scope === 'conversation' ? 'conversation' : 'run'}
            disabled={disabled}
            options={[
              { value: 'run', label: t('inspector.scope_run') },
              { value: 'conversation', label: t('inspector.scope_conversation') },
            ]}
            onChange={(scope) => onChange({ ...value, [name]: { ...about(name), scope } }, `scope:${name}`)}
          />
        )}
      />
    </FieldFrame>
  )
}
