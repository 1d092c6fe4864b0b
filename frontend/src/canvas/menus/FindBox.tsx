/** Find in the workflow, and replace: type, and the canvas goes to what has the text in it. */
import { ChevronDown, ChevronRight, Search, StickyNote, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { countMatches, findInGraph, type Hit, replaceInGraph } from '@/graph/edit/search'
import { distinctTitles, shownSubtitle } from '@/graph/nodes/describe'
import { nodeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { useRunView } from '@/live/run-store'
import { Button, cx, IconButton, useTypedAhead, visible } from '@/ui'
import './floating.css'

const MOST = 8

/** What a node took and gave in the run that is shown. */
function useRan(): (node: string) => unknown {
  const view = useRunView()
  return useMemo(() => {
    if (!view) return () => undefined
    return (node: string) => {
      const values = view.stepValues(node)
      return values ? { input: values.input, output: values.output } : undefined
    }
  }, [view])
}

/** What was found, which of it is shown, and going to another. */
function useHits(query: string) {
  const controller = useController()
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const ran = useRan()
  const [position, setPosition] = useState(0)
  const hits = useMemo(() => findInGraph(graph, types, query, ran), [graph, types, query, ran])
  const show = (index: number) => {
    const next = (index + hits.length) % Math.max(1, hits.length)
    const hit = hits[next]
    if (!hit) return
    setPosition(next)
    if (hit.kind === 'node') controller.view.reveal(hit.id)
    else controller.view.revealAnnotation(hit.id)
  }
  const at = Math.min(position, Math.max(0, hits.length - 1))
  return { hits, position: at, show, first: () => setPosition(0) }
}

function HitRow({ hit, on, onShow }: { hit: Hit; on: boolean; onShow: () => void }) {
  const t = useT()
  const types = useGraph((state) => state.types)
  const nodes = useGraph((state) => state.graph.nodes)
  const titles = useMemo(() => distinctTitles(nodes, types), [nodes, types])
  const { node } = hit
  const Icon = node ? nodeIcon(node) : StickyNote
  const { lead, tail } = node ? shownSubtitle(node, types) : { lead: '', tail: '' }
  return (
    <button
      type="button"
      className={cx('menu-item w-full text-left hover:bg-hover', on && 'bg-hover')}
      onClick={onShow}
    >
      <Icon aria-hidden />
      <span className={cx('truncate', hit.excerpt && 'max-w-28 flex-none')}>
        {node ? titles.get(node.id) : t('canvas.note')}
      </span>
      <span
        className="ml-auto truncate pl-2 font-mono text-xs text-muted"
        title={hit.place ? `${hit.place}: ${hit.excerpt}` : undefined}
      >
        {hit.excerpt === undefined
          ? `${lead ? `${lead}/` : ''}${tail}`
          : visible(hit.place ? `${hit.place}: ${hit.excerpt}` : hit.excerpt)}
      </span>
    </button>
  )
}

/** The second line: what is put in place of the matches of one thing, or of all of them, each as one undo step. */
function Replace({ query, hit }: { query: string; hit: Hit | undefined }) {
  const t = useT()
  const { graph: store } = useController()
  const graph = useGraph((state) => state.graph)
  const [by, setBy] = useState('')
  const [done, setDone] = useState<number | null>(null)
  const all = useMemo(() => countMatches(graph, query), [graph, query])
  const here = useMemo(() => (hit ? countMatches(graph, query, hit.id) : 0), [graph, query, hit])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was done is old with another query
  useEffect(() => setDone(null), [query])
  const replace = (only?: string) => {
    const n = only === undefined ? all : here
    if (n === 0) return
    if (store.getState().commit('replace', (now) => replaceInGraph(now, query, by, only))) setDone(n)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    replace(event.metaKey || event.ctrlKey ? undefined : hit?.id)
  }
  return (
    <div className="mt-1.5 grid gap-1.5">
      <div className="input">
        <input
          value={by}
          aria-label={t('editor.find_replace_by')}
          placeholder={t('editor.find_replace_by')}
          spellCheck={false}
          onChange={(event) => setBy(event.target.value)}
          onKeyDown={keys}
        />
      </div>
      <div className="flex items-center gap-1.5">
        <span role="status" className="min-w-0 flex-1 truncate text-xs text-muted">
          {done === null ? null : t('editor.find_replaced', { n: done })}
        </span>
        <Button size="small" disabled={here === 0} onClick={() => replace(hit?.id)}>
          {t('editor.find_replace_this')}
        </Button>
        <Button size="small" disabled={all === 0} onClick={() => replace()}>
          {t('editor.find_replace_all', { n: all })}
        </Button>
      </div>
    </div>
  )
}

export function OpenFindBox() {
  const t = useT()
  const canvas = useCanvasStore()
  const controller = useController()
  const readOnly = useGraph((state) => state.readOnly)
  const replacing = useCanvas((state) => state.replacing) && !readOnly
  const [query, setQuery] = useState('')
  const { hits, position, show, first } = useHits(query)
  useTypedAhead(setQuery, () => show(0))
  const close = () => {
    canvas.setState({ finding: false, replacing: false })
    controller.view.focusCanvas()
  }
  const step = (back: boolean) => {
    const shown = hits[position]
    const { nodes, annotations } = controller.graph.getState().selection
    const selected = shown !== undefined && [nodes[0], annotations[0]].includes(shown.id)
    show(selected ? position + (back ? -1 : 1) : position)
  }
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') show(position + 1)
    else if (event.key === 'ArrowUp') show(position - 1)
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) step(event.shiftKey)
    else return
    event.preventDefault()
  }
  return (
    <search className="canvas-find" onKeyDown={keys}>
      <div className="flex items-center gap-1">
        {readOnly ? null : (
          <IconButton
            size="small"
            label={t('canvas.find_replace')}
            aria-expanded={replacing}
            onClick={() => canvas.setState({ replacing: !replacing })}
          >
            {replacing ? <ChevronDown /> : <ChevronRight />}
          </IconButton>
        )}
        <div className="input min-w-0 flex-1">
          <Search aria-hidden />
          <input
            // biome-ignore lint/a11y/noAutofocus: the person just asked to search
            autoFocus
            value={query}
            placeholder={t('canvas.find_placeholder')}
            aria-label={t('canvas.find')}
            spellCheck={false}
            onChange={(event) => {
              setQuery(event.target.value)
              first()
            }}
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
      </div>
      {replacing ? <Replace query={query} hit={hits[position]} /> : null}
      {hits.length > 0 ? (
        <ul className="mt-1">
          {hits.slice(0, MOST).map((hit, index) => (
            <li key={`${hit.kind} ${hit.id}`}>
              <HitRow hit={hit} on={index === position} onShow={() => show(index)} />
            </li>
          ))}
        </ul>
      ) : null}
    </search>
  )
}
