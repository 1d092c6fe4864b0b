/** What is drawn in the document's own coordinates above the cards: guides, the drop target, the first hint. */
import { useStore } from '@xyflow/react'
import { Plus } from 'lucide-react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvas } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import type { Guide } from '@/graph/edit/arrange'
import { GAP, nodeRects, PILL } from '@/graph/layout/geometry'
import { useT } from '@/i18n'
import { Kbd, useMedia } from '@/ui'
import './overlay.css'

const GUIDE_PX = 1.5

/** A line between what stands in one row or column; as thick on the screen however far away the graph is. */
function GuideLine({ axis, at, from, to }: Guide) {
  const zoom = useStore((state) => state.transform[2])
  const vertical = axis === 'vertical'
  const thick = GUIDE_PX / zoom
  return (
    <div
      className="guide"
      style={{
        transform: `translate(${vertical ? at - thick / 2 : from}px, ${vertical ? from : at - thick / 2}px)`,
        width: vertical ? thick : to - from,
        height: vertical ? to - from : thick,
      }}
    />
  )
}

export function Overlay() {
  const dragGuides = useCanvas((state) => state.guides)
  const ghost = useCanvas((state) => state.ghost)
  const guides = ghost ? ghost.guides : dragGuides
  return (
    <>
      {guides.map((guide) => (
        <GuideLine key={`${guide.axis}${guide.at}`} {...guide} />
      ))}
      {ghost?.target ? (
        <div
          className="drop-target"
          style={{
            transform: `translate(${ghost.target.x}px, ${ghost.target.y}px)`,
            width: ghost.target.width,
            height: ghost.target.height,
          }}
        />
      ) : null}
    </>
  )
}

/** Shown while nothing but the start stands there. */
export function EmptyHint() {
  const t = useT()
  const controller = useController()
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const readOnly = useGraph((state) => state.readOnly)
  // without a keyboard there is no key to press
  const touch = useMedia('(pointer: coarse), (max-width: 700px)')
  const [only, ...more] = graph.nodes
  if (readOnly || more.length > 0 || (only && only.type !== 'start')) return null
  const rect = only ? nodeRects(graph, types).get(only.id) : null
  if (rect === undefined) return null
  const { x, y } = rect ? { x: rect.x + rect.width + GAP, y: rect.y } : { x: 0, y: 0 }
  const middle = rect ? x - GAP / 2 : x + PILL.width / 2
  const after = only ? { node: only.id } : null
  return (
    <>
      {rect ? (
        <svg className="pointer-events-none absolute overflow-visible" width="1" height="1" aria-hidden>
          <path
            className="edge-path"
            data-flow="dead"
            d={`M${rect.x + rect.width} ${rect.y + rect.height / 2}H${x}`}
          />
        </svg>
      ) : null}
      <button
        type="button"
        className="empty-slot pointer-events-auto nodrag nopan"
        aria-label={t('canvas.add_node')}
        style={{ transform: `translate(${x}px, ${y}px)` }}
        onClick={(event) => {
          const domRect = event.currentTarget.getBoundingClientRect()
          controller.openQuickAdd({
            screen: { x: domRect.left, y: domRect.bottom + 8 },
            ...(after ? { after } : {}),
          })
        }}
      >
        <Plus size={16} aria-hidden />
      </button>
      <div className="empty-hint" style={{ transform: `translate(${middle - 210}px, ${y + 64}px)` }}>
        <p className="flex items-center gap-1.5 font-semibold">
          {touch ? (
            t('canvas.empty_touch')
          ) : (
            <>
              {t('canvas.empty_before')} <Kbd>/</Kbd> {t('canvas.empty_after')}
            </>
          )}
        </p>
        <p className="text-sm text-muted">{t('canvas.empty_hint')}</p>
      </div>
    </>
  )
}
