/** Notes and groups: what people write on the canvas. They are not part of a run. */
import { type NodeProps, NodeResizer } from '@xyflow/react'
import { type KeyboardEvent, memo } from 'react'
import type { NoteNode } from '@/canvas/project'
import { endDrag, useCanvas, useCanvasStore } from '@/canvas/state'
import { useGraph, useGraphStore } from '@/graph/context'
import { patchAnnotation } from '@/graph/edit/edits'
import { snap } from '@/graph/layout/geometry'
import { useT } from '@/i18n'
import './frame.css'

function useAnnotation(id: string) {
  const graph = useGraphStore()
  const canvas = useCanvasStore()
  const readOnly = useGraph((state) => state.readOnly)
  const editing = useCanvas((state) => state.editing) === id
  return {
    readOnly,
    editing,
    edit: () => {
      if (!readOnly) canvas.setState({ editing: id })
    },
    save: (text: string) => {
      canvas.setState({ editing: null })
      graph.getState().commit('note', (now) => {
        const old = now.annotations?.find((item) => item.id === id)
        return !old || old.text === text ? now : patchAnnotation(now, id, { text })
      })
    },
    resized: (box: { x: number; y: number; width: number; height: number }) => {
      graph.getState().commit('resize', (now) =>
        patchAnnotation(now, id, {
          position: { x: snap(box.x), y: snap(box.y) },
          size: { width: snap(box.width), height: snap(box.height) },
        }),
      )
      endDrag(canvas)
    },
  }
}

const stopKeys = (save: () => void) => (event: KeyboardEvent) => {
  event.stopPropagation()
  if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) save()
}

export const Note = memo(function Note({ data, selected }: NodeProps<NoteNode>) {
  const { note } = data
  const t = useT()
  const own = useAnnotation(note.id)
  return (
    <>
      <NodeResizer
        isVisible={selected && !own.readOnly}
        minWidth={120}
        minHeight={60}
        onResizeEnd={(_, box) => own.resized(box)}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is Enter on the note */}
      <div className="note" data-color={note.color} onDoubleClick={own.edit}>
        {own.editing ? (
          <textarea
            className="nodrag nopan nowheel"
            aria-label={t('canvas.note')}
            // biome-ignore lint/a11y/noAutofocus: the person just asked to write here
            autoFocus
            defaultValue={note.text}
            onBlur={(event) => own.save(event.currentTarget.value)}
            onKeyDown={(event) => stopKeys(() => own.save(event.currentTarget.value))(event)}
          />
        ) : (
          note.text || <span className="note-empty">{t('canvas.note_empty')}</span>
        )}
      </div>
    </>
  )
})

export const Group = memo(function Group({ data, selected }: NodeProps<NoteNode>) {
  const { note } = data
  const t = useT()
  const own = useAnnotation(note.id)
  return (
    <>
      <NodeResizer
        isVisible={selected && !own.readOnly}
        minWidth={160}
        minHeight={100}
        onResizeEnd={(_, box) => own.resized(box)}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is Enter on the group */}
      <div className="group" data-color={note.color} onDoubleClick={own.edit}>
        <div className="group-title">
          {own.editing ? (
            <input
              className="nodrag nopan"
              aria-label={t('canvas.group')}
              // biome-ignore lint/a11y/noAutofocus: the person just asked to write here
              autoFocus
              defaultValue={note.text}
              onBlur={(event) => own.save(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') own.save(event.currentTarget.value)
                else stopKeys(() => own.save(event.currentTarget.value))(event)
              }}
            />
          ) : (
            note.text || t('canvas.group')
          )}
        </div>
      </div>
    </>
  )
})
