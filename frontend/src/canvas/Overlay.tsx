/** What is drawn in the document's own coordinates above the cards: guides, the drop target, the first hint. */
import { Plus } from 'lucide-react'
import { useGraph } from '@/graph/context'
import { GAP, nodeRects, PILL } from '@/graph/geometry'
import { useT } from '@/i18n'
import { Kbd } from '@/ui'
import { useController } from './CanvasProvider'
import { useCanvas } from './state'

export function Overlay() {
  const dragGuides = useCanvas((state) => state.guides)
  const ghost = useCanvas((state) => state.ghost)
  const guides = ghost ? ghost.guides : dragGuides
  return (
    <>
      {guides.map((guide) => {
        const vertical = guide.axis === 'vertical'
        const length = guide.to - guide.from
        return (
          <div
            key={`${guide.axis}${guide.at}`}
            className="guide"
            style={{
              transform: `translate(${vertical ? guide.at : guide.from}px, ${vertical ? guide.from : guide.at}px)`,
              width: vertical ? 1 : length,
              height: vertical ? length : 1,
            }}
          />
        )
      })}
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
  const [only, ...more] = graph.nodes
  if (readOnly || more.length > 0 || (only && only.type !== 'start')) return null
  const rect = only ? nodeRects(graph, types).get(only.id) : { x: -PILL.width - GAP, y: 0, ...PILL }
  if (!rect) return null
  const x = rect.x + rect.width + GAP
  const after = only ? { node: only.id } : null
  return (
    <>
      <svg className="pointer-events-none absolute overflow-visible" width="1" height="1" aria-hidden>
        <path
          className="edge-path"
          data-flow="dead"
          d={`M${rect.x + rect.width} ${rect.y + rect.height / 2}H${x}`}
        />
      </svg>
      <button
        type="button"
        className="empty-slot pointer-events-auto nodrag nopan"
        aria-label={t('canvas.add_node')}
        style={{ transform: `translate(${x}px, ${rect.y}px)` }}
        onClick={(event) => {
          const at = event.currentTarget.getBoundingClientRect()
          controller.openQuickAdd({ screen: { x: at.left, y: at.bottom + 8 }, ...(after ? { after } : {}) })
        }}
      >
        <Plus size={16} aria-hidden />
      </button>
      <div
        className="empty-hint"
        style={{ transform: `translate(${rect.x + rect.width + GAP / 2 - 210}px, ${rect.y + 64}px)` }}
      >
        <p className="flex items-center gap-1.5 font-semibold">
          {t('canvas.empty_before')} <Kbd>/</Kbd> {t('canvas.empty_after')}
        </p>
        <p className="text-sm text-muted">{t('canvas.empty_hint')}</p>
      </div>
    </>
  )
}
