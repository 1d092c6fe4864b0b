/** Small hooks of the run's screens. */

import { useQuery } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { create, useStore } from 'zustand'
import { useMay } from '@/api/queries'
import type { Run } from '@/api/run-types'
import { lastRunQuery } from '@/api/runs'
import { useGraphStore } from '@/graph/context'
import { distinctTitles } from '@/graph/nodes/describe'
import { useT } from '@/i18n'
import type { RunFold } from '@/live/fold'
import { useRunView } from '@/live/run-store'
import { useActions } from '@/ui'
import type { ForkRequest } from './rerun/ForkHere'

const GAP_MS = 150
/** Runs of many steps are looked at less often, so that looking costs no more than a tenth of the time. */
const LONG_GAP_MS = 500
const MANY_STEPS = 1000

/** The folded run, at most about seven times a second: for lists that look at all of it. */
export function useSlowFold(): RunFold | null {
  const view = useRunView()
  const [shown, setShown] = useState(view?.state ?? null)
  useEffect(() => {
    setShown(view?.state ?? null)
    if (!view) return
    let timer: ReturnType<typeof setTimeout> | null = null
    let last = 0
    const take = () => {
      timer = null
      last = performance.now()
      setShown(view.state)
    }
    const leave = view.subscribe(() => {
      const gap = view.state.steps.size > MANY_STEPS ? LONG_GAP_MS : GAP_MS
      if (performance.now() - last > gap && timer === null) take()
      else timer ??= setTimeout(take, gap)
    })
    return () => {
      leave()
      if (timer !== null) clearTimeout(timer)
    }
  }, [view])
  return shown
}

/** How nodes are called; an id where the graph has no such node. */
export function useNodeTitles(): (node: string) => string {
  const store = useGraphStore()
  const nodes = useStore(store, (state) => state.graph.nodes)
  const types = useStore(store, (state) => state.types)
  const titles = useMemo(() => distinctTitles(nodes, types), [nodes, types])
  return useCallback((node) => titles.get(node) ?? node, [titles])
}

/** The width of an element, px; 0 before it is known. */
export function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

const KEPT = 'flag:dock-open'

/** A run that the editor was asked to show. */
interface Chosen {
  readonly id: string
  /** Its row, where it was chosen from a list. */
  readonly row: Run | null
}

const useChosen = create<Readonly<Record<string, Chosen>>>(() => ({}))

/** The row of the run that was chosen from the workflow's list; null while another one is shown. */
export const useChosenRun = (workflow: string): Run | null =>
  useChosen((state) => state[workflow]?.row ?? null)

/** Show a run of the list in the editor. */
export function showPastRun(workflow: string, row: Run): void {
  useChosen.setState({ [workflow]: { id: row.id, row } })
}

interface ShownRun {
  readonly run: string | null
  /** Whether it is known by now which one that is. */
  readonly known: boolean
  /** The event that it had come to when its row was read. */
  readonly upTo: number
  readonly show: (run: string) => void
}

/** Which run of a workflow the editor shows: the one started or chosen last, else the newest there is. */
export function useShownRun(workflow: string): ShownRun {
  const chosen = useChosen((state) => state[workflow])
  const { data, isPending } = useQuery(lastRunQuery(workflow))
  const show = (run: string) => {
    useChosen.setState({ [workflow]: { id: run, row: null } })
    // who folded it wants the room; everyone else wants to see the run
    if (localStorage.getItem(KEPT) === null) setDockOpen(true)
  }
  const row = chosen ? chosen.row : data
  return {
    run: chosen?.id ?? data?.id ?? null,
    known: chosen !== undefined || !isPending,
    upTo: row?.last_seq ?? 0,
    show,
  }
}

/** They fork a run from a node, beside those of a run up to a node and of a node alone. */
export const FORK_KEYS = 'alt+shift+enter'

const useDock = create<{ readonly open: boolean }>(() => ({ open: localStorage.getItem(KEPT) === '1' }))

/** Open or fold the dock; remembered. While nothing ran yet it is folded: the canvas needs the room. */
export function setDockOpen(open: boolean): void {
  localStorage.setItem(KEPT, open ? '1' : '0')
  useDock.setState({ open })
}

/** Whether the dock is open or a strip. */
export const useDockOpen = (): boolean => useDock((state) => state.open)

/** Registers the key while the page is there. */
export function useForkKey(enabled = true): ForkRequest {
  const t = useT()
  const store = useGraphStore()
  const may = useMay('editor') && enabled
  const [requested, setRequested] = useState<string | null>(null)
  const chosen = () => {
    const { nodes } = store.getState().selection
    return nodes.length === 1 ? (nodes[0] ?? null) : null
  }
  useActions([
    {
      id: 'runs.fork_here',
      title: () => t('rerun.fork_here'),
      group: () => t('runs.title'),
      keys: FORK_KEYS,
      run: () => setRequested(chosen()),
      when: () => may && chosen() !== null,
    },
  ])
  return { request: requested, taken: () => setRequested(null) }
}

/** Registers the key that opens and folds the dock. */
export function useDockKey(): void {
  const t = useT()
  const open = useDockOpen()
  useActions([
    {
      id: 'runs.dock',
      title: () => t(open ? 'runs.collapse' : 'runs.expand'),
      group: () => t('runs.title'),
      keys: '\\',
      run: () => setDockOpen(!open),
    },
  ])
}
