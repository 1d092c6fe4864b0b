/** Connecting by keyboard: C on a node, then the node to lead to. */
import { MoveRight } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvasStore } from '@/canvas/state'
import { useGraph, useGraphStore } from '@/graph/context'
import { connectable } from '@/graph/edit/connectable'
import { connect } from '@/graph/edit/edits'
import { distinctTitles } from '@/graph/nodes/describe'
import { useT } from '@/i18n'
import { cx } from '@/ui'

const MOST = 50

export function OpenConnectMenu({ from }: { from: string }) {
  const t = useT()
  const id = useId()
  const canvas = useCanvasStore()
  const controller = useController()
  const store = useGraphStore()
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const titles = useMemo(() => distinctTitles(graph.nodes, types), [graph.nodes, types])
  const [query, setQuery] = useState('')
  const [position, setAt] = useState(0)
  const all = useMemo(() => connectable(graph, types, from), [graph, types, from])
  const search = query.trim().toLowerCase()
  const shown = all
    .filter(({ target, ends }) =>
      `${titles.get(target.id)} ${target.id} ${ends.source_port}`.toLowerCase().includes(search),
    )
    .slice(0, MOST)
  const close = () => {
    canvas.setState({ connecting: null })
    controller.view.focusCanvas()
  }
  const pick = (index: number) => {
    const choice = shown[index]
    if (!choice) return
    store.getState().commit('connect', (now) => connect(now, types, choice.ends))
    close()
  }
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    const last = shown.length - 1
    if (event.key === 'ArrowDown') setAt(position >= last ? 0 : position + 1)
    else if (event.key === 'ArrowUp') setAt(position <= 0 ? last : position - 1)
    else if (event.key === 'Enter') pick(position)
    else if (event.key === 'Escape' || event.key === 'Tab') close()
    else return
    event.preventDefault()
  }
  return (
    <div className="canvas-find" role="dialog" aria-label={t('canvas.connect')}>
      <div className="input">
        <MoveRight aria-hidden />
        <input
          // biome-ignore lint/a11y/noAutofocus: the person just asked to connect
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={shown[position] ? `${id}-${position}` : undefined}
          aria-label={t('canvas.connect_placeholder')}
          placeholder={t('canvas.connect_placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setAt(0)
          }}
          onKeyDown={keys}
          onBlur={() => canvas.setState({ connecting: null })}
        />
      </div>
      <div id={id} role="listbox" aria-label={t('canvas.connect')} className="mt-1 max-h-60 overflow-auto">
        {shown.length === 0 ? (
          <p className="px-2 py-1 text-sm text-muted">{t('canvas.connect_none')}</p>
        ) : null}
        {shown.map(({ ends, target }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves in the field above
          <div
            key={`${ends.source_port} ${target.id}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === position}
            className={cx('menu-item', index === position && 'bg-hover')}
            // Before the field loses the focus, which closes the list.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(index)}
          >
            <span className="truncate">{titles.get(target.id)}</span>
            <span className="ml-auto pl-2 text-xs text-muted">{ends.source_port}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
