/**
 * The panel at the right: what is selected, how it is configured, what goes in and what comes out.
 *
 * It reads the graph store and the run that is shown around it (`RunProvider`), and edits by commits only. Narrow it
 * has tabs with the input tree under the form; wide it shows input, form and output side by side.
 */
import { useCallback, useMemo, useState } from 'react'
import { InsertTargetProvider } from '@/forms'
import { useFresh, useGraph, useSelectedNode } from '@/graph/context'
import { FixButton } from '@/graph/FixButton'
import type { GraphNode, Problem } from '@/graph/types'
import { useT } from '@/i18n'
import { FixesContext, isoDate, TabPanel, Tabs, TextArea, useTabsId } from '@/ui'
import { useNodeEdit } from './edit'
import { type AddBefore, AddBeforeContext } from './editors/code/ModuleWays'
import { useTool } from './editors/ToolConfig'
import { NodeFormProvider } from './node-form'
import { place } from './problems'
import { ConfigForm } from './sections/ConfigForm'
import { type HeaderActions, NodeHeader } from './sections/Header'
import {
  AnnotationInspector,
  EdgeInspector,
  ManyInspector,
  WorkflowInspector,
} from './sections/OtherSelections'
import { ProblemList } from './sections/ProblemList'
import { Settings } from './sections/Settings'
import { useHeld, useTyping } from './typing'
import { InputTree } from './values/InputTree'
import { useScope } from './values/use-scope'
import { InputTab, OutputTab } from './values/Values'
import './inspector.css'

export interface InspectorProps extends HeaderActions {
  problems: readonly Problem[]
  readOnly?: boolean
  onAddBefore?: AddBefore | undefined
  /** Escape in a field: back to the canvas, the panel stays. */
  onEscape?: () => void
}

export function Inspector({
  problems,
  readOnly = false,
  wide,
  onWide,
  onClose,
  onRun,
  renaming,
  onRenamed,
  onAddBefore,
  onEscape,
}: InspectorProps) {
  const t = useT()
  const selection = useGraph((state) => state.selection)
  const graph = useGraph((state) => state.graph)
  const node = useSelectedNode()
  const actions = { wide, onWide: node ? onWide : undefined, onClose, onRun, renaming, onRenamed }
  const count = selection.nodes.length + selection.edges.length + selection.annotations.length
  const edge = graph.edges.find((edge) => edge.id === selection.edges[0])
  const annotation = graph.annotations?.find((annotation) => annotation.id === selection.annotations[0])
  const other = { readOnly, actions, problems }
  return (
    <aside
      className="inspector"
      aria-label={t('inspector.inspector')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
        // a dialog that one of its fields opened closes itself
        if (!onEscape || !event.currentTarget.contains(event.target as Node)) return
        event.preventDefault()
        event.stopPropagation()
        onEscape()
      }}
      {...(wide && node ? {} : { 'data-completion-edge': '' })}
    >
      {node && count === 1 ? (
        <AddBeforeContext value={readOnly ? undefined : onAddBefore}>
          <NodeInspector
            key={node.id}
            node={node}
            problems={problems}
            readOnly={readOnly}
            actions={actions}
          />
        </AddBeforeContext>
      ) : count > 1 ? (
        <ManyInspector count={count} readOnly={readOnly} actions={actions} />
      ) : edge ? (
        <EdgeInspector edge={edge} {...other} />
      ) : annotation ? (
        <AnnotationInspector key={annotation.id} annotation={annotation} {...other} />
      ) : (
        <WorkflowInspector {...other} />
      )}
    </aside>
  )
}

type TabName = 'config' | 'input' | 'output' | 'notes'
/** The tab stays the same when another node is chosen. */
let lastTab: TabName = 'config'

interface NodeInspectorProps {
  node: GraphNode
  problems: readonly Problem[]
  readOnly: boolean
  actions: HeaderActions
}

function NodeInspector({ node, problems, readOnly, actions }: NodeInspectorProps) {
  const t = useT()
  const edit = useNodeEdit(node.id)
  const scope = useScope(node.id)
  const id = useTabsId()
  const [tab, setTab] = useState<TabName>(lastTab)
  const [text, setText] = useState('')
  const { typing, handlers } = useTyping()
  const fresh = useFresh(node.id)
  const mine = useMemo(() => problems.filter((problem) => problem.node === node.id), [problems, node.id])
  const held = useHeld(mine, typing)
  const placed = useMemo(() => place(held, '/config'), [held])
  const fix = useCallback(
    (sentence: string) => {
      const problem = held.find(({ message }) => message === sentence)
      return problem ? <FixButton problem={problem} /> : null
    },
    [held],
  )
  const form = useMemo(
    () => ({ node, edit, scope, errors: placed.fields, disabled: readOnly, typing }),
    [node, edit, scope, placed, readOnly, typing],
  )
  const config = (
    <div className="inspector-body inspector-config" data-quiet={fresh || undefined} {...handlers}>
      <ProblemList problems={placed.rest} />
      <FixesContext value={fix}>
        <ConfigForm />
      </FixesContext>
      <Settings errors={{}} />
    </div>
  )
  const tree = node.type === 'start' ? null : <InputTree scope={scope} onAnnounce={setText} />
  const status = (
    <p className="sr-only" role="status">
      {text}
    </p>
  )
  return (
    <NodeFormProvider value={form}>
      <InsertTargetProvider>
        <NodeHeader node={node} readOnly={readOnly} actions={actions} />
        {status}
        {actions.wide ? (
          <div className="inspector-wide">
            <div className="inspector-column">{tree}</div>
            <div className="inspector-column">
              <div className="inspector-section-head">
                <h3>{t('inspector.config')}</h3>
                <Pinned node={node} />
              </div>
              {config}
            </div>
            <div className="inspector-column">
              <OutputTab node={node} readOnly={readOnly} headed />
            </div>
          </div>
        ) : (
          <>
            <Tabs
              id={id}
              label={t('inspector.tabs', { node: node.title || node.id })}
              value={tab}
              onChange={(next) => {
                lastTab = next
                setTab(next)
              }}
              items={[
                { value: 'config', label: t('inspector.config'), count: mine.length || undefined },
                { value: 'input', label: t('inspector.input') },
                { value: 'output', label: t('inspector.output') },
                { value: 'notes', label: t('inspector.notes') },
              ]}
            />
            <TabPanel id={id} value={tab} className="inspector-panel">
              {tab === 'config' ? (
                <>
                  {config}
                  {tree}
                </>
              ) : tab === 'input' ? (
                <InputTab node={node} />
              ) : tab === 'output' ? (
                <OutputTab node={node} readOnly={readOnly} />
              ) : (
                <NotesTab node={node} readOnly={readOnly} />
              )}
            </TabPanel>
          </>
        )}
      </InsertTargetProvider>
    </NodeFormProvider>
  )
}

/** Which definition of the tool the node's form is made of. */
function Pinned({ node }: { node: GraphNode }) {
  const t = useT()
  const { data: tool } = useTool(
    node.type === 'tool' && typeof node.config.server === 'string' ? node.config.server : '',
    node.config.tool,
  )
  if (!tool?.pinned_at) return null
  return (
    <span className="form-aside text-xs text-muted">
      {t('inspector.pinned_at', { tool: tool.name, date: isoDate(tool.pinned_at) })}
    </span>
  )
}

function NotesTab({ node, readOnly }: { node: GraphNode; readOnly: boolean }) {
  const t = useT()
  const edit = useNodeEdit(node.id)
  return (
    <div className="inspector-body">
      <TextArea
        label={t('inspector.notes')}
        hint={t('inspector.notes_hint')}
        rows={10}
        disabled={readOnly}
        value={typeof node.notes === 'string' ? node.notes : ''}
        onChange={(notes) => edit.node({ notes: notes === '' ? undefined : notes })}
      />
    </div>
  )
}
