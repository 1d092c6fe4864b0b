/** Find in the workflow: type, and the canvas goes to the node. */
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvasStore } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { findNodes, subtitleOf, titleOf } from '@/graph/nodes/describe'
import { nodeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { cx, IconButton } from '@/ui'

const MOST = 8

export function OpenFindBox() {
  const t = useT()
  const canvas = useCanvasStore()
  const controller = useController()
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const [query, setQuery] = useState('')
  const [position, setAt] = useState(0)
  const hits = useMemo(() => findNodes(graph, types, query), [graph, types, query])
  const close = () => {
    canvas.setState({ finding: false })
    controller.focusCanvas()
  }
  const showMatch = (index: number) => {
    const hit = hits[(index + hits.length) % Math.max(1, hits.length)]
    if (!hit) return
    setAt((index + hits.length) % hits.length)
    controller.reveal(hit.id)
  }
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') showMatch(position + 1)
    else if (event.key === 'ArrowUp') showMatch(position - 1)
    else if (event.key === 'Enter') {
      const shown = hits[position]
      const selected = controller.graph.getState().selection.nodes[0]
      if (shown && selected === shown.id) showMatch(position + (event.shiftKey ? -1 : 1))
      else showMatch(position)
    } else return
    event.preventDefault()
  }
  return (
    <search className="canvas-find">
      <div className="input">
        <Search aria-hidden />
        <input
          // biome-ignore lint/a11y/noAutofocus: the person just asked to search
          autoFocus
          value={query}
          placeholder={t('canvas.find_placeholder')}
          aria-label={t('canvas.find')}
          onChange={(event) => {
            setQuery(event.target.value)
            setAt(0)
          }}
          onKeyDown={keys}
        />
        {query ? (
          <span className="text-xs text-muted tabular-nums">
            {hits.length === 0 ? t('canvas.find_none') : `${position + 1}/${hits.length}`}
          </span>
        ) : null}
        <IconButton size="small" label={t('canvas.find_close')} onClick={close}>
          <X />
        </IconButton>
      </div>
      {hits.length > 0 ? (
        <ul className="mt-1">
          {hits.slice(0, MOST).map((node, index) => {
            const Icon = nodeIcon(node)
            const { lead, tail } = subtitleOf(node)
            return (
              <li key={node.id}>
                <button
                  type="button"
                  className={cx(
                    'menu-item w-full text-left hover:bg-hover',
                    index === position && 'bg-hover',
                  )}
                  onClick={() => showMatch(index)}
                >
                  <Icon aria-hidden />
                  <span className="truncate">{titleOf(node, types)}</span>
                  <span className="ml-auto truncate pl-2 font-mono text-xs text-muted">
                    {lead ? `${lead}/` : ''}
                    {tail}
                  </span>
                </button>
              </li>
            )
          })}
        </ul>
      ) : null}
    </search>
  )
}
