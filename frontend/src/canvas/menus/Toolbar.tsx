/** The small bar at the lower left: zoom, fit, tidy, note, map. */
import { useStore } from '@xyflow/react'
import { Map as MapIcon, Maximize, Minus, Plus, StickyNote, Workflow } from 'lucide-react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvas } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { Button, IconButton } from '@/ui'
import './floating.css'

/** Stands while a run goes on. */
function FollowSwitch() {
  const t = useT()
  const controller = useController()
  const follow = useCanvas((state) => state.follow)
  const info = useRunInfo()
  if (!info || info.ended || info.scrub !== null) return null
  return (
    <Button
      size="small"
      variant="quiet"
      aria-pressed={follow}
      tip={t('canvas.follow_text')}
      onClick={() => controller.toggleFollow()}
    >
      {t('canvas.follow')}
    </Button>
  )
}

export function Toolbar() {
  const t = useT()
  const controller = useController()
  const readOnly = useGraph((state) => state.readOnly)
  const minimap = useCanvas((state) => state.minimap)
  const percent = useStore((state) => Math.round(state.transform[2] * 100))
  return (
    <div className="canvas-tools" role="toolbar" aria-label={t('canvas.tools')}>
      <IconButton size="small" label={t('canvas.zoom_out')} onClick={() => controller.view.zoomOut()}>
        <Minus />
      </IconButton>
      <button
        type="button"
        className="canvas-zoom"
        aria-label={t('canvas.zoom_reset', { percent })}
        data-tip={t('canvas.zoom_100')}
        data-keys="1"
        onClick={() => controller.view.zoomTo(1)}
      >
        {percent}%
      </button>
      <IconButton size="small" label={t('canvas.zoom_in')} onClick={() => controller.view.zoomIn()}>
        <Plus />
      </IconButton>
      <span className="canvas-rule phone:hidden" />
      <IconButton size="small" label={t('canvas.fit')} keys="f" onClick={() => controller.view.fitAll()}>
        <Maximize />
      </IconButton>
      {readOnly ? null : (
        <span className="contents">
          <IconButton
            size="small"
            label={t('canvas.tidy')}
            keys="mod+l"
            onClick={() => void controller.tidy()}
          >
            <Workflow />
          </IconButton>
          <IconButton size="small" label={t('canvas.add_note')} onClick={() => controller.addNote()}>
            <StickyNote />
          </IconButton>
        </span>
      )}
      <FollowSwitch />
      <IconButton
        size="small"
        className="narrow:hidden"
        label={t('canvas.minimap')}
        aria-pressed={minimap}
        onClick={() => controller.toggleMinimap()}
      >
        <MapIcon />
      </IconButton>
    </div>
  )
}
