/** The head of the inspector: what is selected, its name, and what can be done with it. */
import { Columns3, Pencil, Play, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useGraph, useGraphStore } from '@/graph/context'
import { refuseId, renameNode } from '@/graph/ids'
import { shownSubtitle, titleOf } from '@/graph/nodes/describe'
import { nodeIcon } from '@/graph/nodes/icons'
import type { GraphNode } from '@/graph/types'
import { type Translate, useT } from '@/i18n'
import { useNodeEdit } from '@/inspector/edit'
import { Button, IconButton, Popover, TextField } from '@/ui'

export interface HeaderActions {
  wide?: boolean | undefined
  onWide?: ((wide: boolean) => void) | undefined
  onClose?: (() => void) | undefined
  onRun?: ((node: string) => void) | undefined
  /** The node whose title takes the focus, and that it has taken it. */
  renaming?: string | null | undefined
  onRenamed?: (() => void) | undefined
}

export function NodeHeader({
  node,
  readOnly,
  actions,
}: {
  node: GraphNode
  readOnly: boolean
  actions: HeaderActions
}) {
  const t = useT()
  const types = useGraph((state) => state.types)
  const Icon = nodeIcon(node, types.size === 0 || types.has(node.type))
  const { lead, tail } = shownSubtitle(node, types)
  const { onRun } = actions
  return (
    <header className="inspector-head">
      <span className="tile">
        <Icon aria-hidden />
      </span>
      <div className="inspector-name">
        <Title node={node} readOnly={readOnly} actions={actions} />
        <div className="inspector-sub">
          {tail ? (
            <>
              <span className="truncate" title={lead ? `${lead}/${tail}` : tail}>
                {lead ? `${lead}/` : ''}
                {tail}
              </span>
              <span aria-hidden>·</span>
            </>
          ) : null}
          <IdButton node={node} readOnly={readOnly} />
        </div>
      </div>
      {onRun && !readOnly ? (
        <IconButton label={t('inspector.run_to_here')} keys="mod+shift+enter" onClick={() => onRun(node.id)}>
          <Play aria-hidden />
        </IconButton>
      ) : null}
      <PanelButtons {...actions} />
    </header>
  )
}

export function PanelButtons({ wide, onWide, onClose }: HeaderActions) {
  const t = useT()
  return (
    <>
      {onWide ? (
        <IconButton
          label={wide ? t('inspector.narrow') : t('inspector.wide')}
          aria-pressed={wide ?? false}
          onClick={() => onWide(!wide)}
        >
          <Columns3 aria-hidden />
        </IconButton>
      ) : null}
      {onClose ? (
        <IconButton label={t('inspector.close')} keys="escape" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      ) : null}
    </>
  )
}

/** The title, edited where it stands; an empty one is the tool's or the type's again. */
function Title({ node, readOnly, actions }: { node: GraphNode; readOnly: boolean; actions: HeaderActions }) {
  const t = useT()
  const types = useGraph((state) => state.types)
  const edit = useNodeEdit(node.id)
  const [editing, setEditing] = useState(false)
  const box = useRef<HTMLInputElement>(null)
  const natural = titleOf({ ...node, title: '' }, types)
  const { renaming, onRenamed } = actions
  const requested = renaming === node.id
  useEffect(() => {
    if (!requested) return
    setEditing(true)
    onRenamed?.()
  }, [requested, onRenamed])
  useLayoutEffect(() => {
    if (!editing) return
    const write = () => {
      if (document.activeElement === box.current) return
      box.current?.focus()
      box.current?.select()
    }
    write()
    // a menu gives the focus back when it has gone
    const frame = requestAnimationFrame(write)
    return () => cancelAnimationFrame(frame)
  }, [editing])
  if (!editing || readOnly) {
    return (
      <h2 className="truncate">
        {readOnly ? (
          titleOf(node, types)
        ) : (
          <button
            type="button"
            className="inspector-title"
            data-tip={t('inspector.title')}
            onClick={() => setEditing(true)}
          >
            {titleOf(node, types)}
          </button>
        )}
      </h2>
    )
  }
  return (
    <input
      ref={box}
      className="inspector-title-input"
      aria-label={t('inspector.title')}
      value={node.title ?? ''}
      placeholder={natural}
      onChange={(event) =>
        edit.node({ title: event.target.value || undefined } as Partial<GraphNode>, 'retitle')
      }
      onBlur={() => setEditing(false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter' || event.key === 'Escape') {
          event.stopPropagation()
          setEditing(false)
        }
      }}
    />
  )
}

function IdButton({ node, readOnly }: { node: GraphNode; readOnly: boolean }) {
  const t = useT()
  const store = useGraphStore()
  const [open, setOpen] = useState(false)
  const [draft, setDraft] = useState(node.id)
  if (readOnly) return <code className="inspector-id">{node.id}</code>
  const refusal = refuseId(store.getState().graph, node.id, draft)
  const rename = () => {
    if (refusal !== null) return
    setOpen(false)
    if (draft !== node.id)
      store
        .getState()
        .commit('rename', (graph) => renameNode(graph, node.id, draft), { select: { nodes: [draft] } })
  }
  return (
    <Popover
      label={t('inspector.rename_id')}
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setDraft(node.id)
      }}
      trigger={
        <button
          type="button"
          className="inspector-id"
          data-tip={t('inspector.rename_id')}
          aria-label={`${t('inspector.rename_id')}: ${node.id}`}
        >
          {node.id}
          <Pencil aria-hidden />
        </button>
      }
    >
      <form
        className="inspector-rename"
        onSubmit={(event) => {
          event.preventDefault()
          rename()
        }}
      >
        <TextField
          mono
          label={t('inspector.id')}
          value={draft}
          hint={t('inspector.id_hint')}
          error={refusal ? refusalWords(refusal, t) : undefined}
          onChange={setDraft}
        />
        <div>
          <Button type="submit" variant="primary" disabled={refusal !== null}>
            {t('common.rename')}
          </Button>
        </div>
      </form>
    </Popover>
  )
}

function refusalWords(refusal: 'pattern' | 'reserved' | 'taken', t: Translate): string {
  if (refusal === 'pattern') return t('inspector.id_pattern')
  return refusal === 'reserved' ? t('inspector.id_reserved') : t('inspector.id_taken')
}
