/**
 * The hooks that read the runs a page follows (run-view.ts). Components subscribe to one node, so 200 events a second on
 * a graph of 5,000 nodes redraw the cards they are about and nothing else.
 *
 *     <RunProvider run={runId}>            the editor or the page of a run
 *       const mine = useNodeRun(node.id)   a card: null where the node has not been reached
 */

import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Question, RunFold } from './fold'
import type { NodeRun, RunInfo, RunView, StepValues } from './run-view'
import type { Connection, LiveSocket } from './socket'

export type { NodeRun, RunInfo, RunView, StepValues } from './run-view'

const ViewContext = createContext<RunView | null>(null)
const RunsContext = createContext<RunsSource | null>(null)

/** Opens a look at a run, which had come to event `upTo`: nothing before that is shown of it. */
export type OpenRun = (run: string, upTo?: number) => RunView

/** Where looks at runs come from: their code is fetched with the first run that is shown. */
export interface RunsSource {
  /** Set once `load` has resolved. */
  readonly open: OpenRun | null
  readonly load: () => Promise<OpenRun>
}

/** Gives the page its runs; app/ mounts it once, over the live socket. */
export function RunsProvider(props: { source: RunsSource; children: ReactNode }) {
  return createElement(RunsContext, { value: props.source }, props.children)
}

/** What is inside sees this run; null = no run. `upTo` = the event that it had come to: it is shown from there on. */
export function RunProvider(props: { run: string | null; upTo?: number; children: ReactNode }) {
  const source = useContext(RunsContext)
  const { run, upTo = 0 } = props
  const [open, setOpen] = useState<OpenRun | null>(() => source?.open ?? null)
  const opens = run !== null && open === null
  useEffect(() => {
    if (!opens || !source) return
    let here = true
    void source.load().then((loaded) => {
      if (here) setOpen(() => loaded)
    })
    return () => {
      here = false
    }
  }, [opens, source])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it had come to when it was opened, not later
  const view = useMemo(() => (run === null ? null : (open?.(run, upTo) ?? null)), [open, run])
  useEffect(() => view?.attach(), [view])
  return createElement(ViewContext, { value: view }, props.children)
}

/** Shows a given view, in tests and where the caller keeps the feed. */
export function RunViewProvider(props: { view: RunView | null; children: ReactNode }) {
  return createElement(ViewContext, { value: props.view }, props.children)
}

/** The run that is shown here; null where none is. */
export function useRunView(): RunView | null {
  return useContext(ViewContext)
}

const NO_QUESTIONS: readonly Question[] = []
const noListener = () => () => {}

/** How a node fares in the run shown here; null where it was not reached or no run is shown. */
export function useNodeRun(node: string): NodeRun | null {
  const view = useRunView()
  const subscribe = useMemo(
    () => (view ? (listener: () => void) => view.subscribeNode(node, listener) : noListener),
    [view, node],
  )
  return useSyncExternalStore(subscribe, () => view?.nodeRun(node) ?? null)
}

/** What went into a node and came out of it last. */
export function useStepValues(node: string): StepValues | null {
  const view = useRunView()
  const subscribe = useMemo(
    () => (view ? (listener: () => void) => view.subscribeNode(node, listener) : noListener),
    [view, node],
  )
  return useSyncExternalStore(subscribe, () => view?.stepValues(node) ?? null)
}

/** The run as a whole. */
export function useRunInfo(): RunInfo | null {
  const view = useRunView()
  return useSyncExternalStore(view?.subscribe ?? noListener, () => (view?.ready ? view.info() : null))
}

/** The folded state; a new object with every batch of events. */
export function useRunFold(): RunFold | null {
  const view = useRunView()
  return useSyncExternalStore(view?.subscribe ?? noListener, () => view?.state ?? null)
}

/** The questions that are open in the run shown here. */
export function useOpenInteractions(): readonly Question[] {
  const view = useRunView()
  return useSyncExternalStore(view?.subscribe ?? noListener, () => view?.openQuestions() ?? NO_QUESTIONS)
}

/** Whether the page hears the server. */
export function useConnectionOf(socket: LiveSocket): Connection {
  return useSyncExternalStore(
    (listener) => socket.watch(listener),
    () => socket.connection,
  )
}

let now = Date.now()
let ticker: ReturnType<typeof setInterval> | null = null
const tickers = new Set<() => void>()

function tick(listener: () => void): () => void {
  tickers.add(listener)
  now = Date.now()
  ticker ??= setInterval(() => {
    now = Date.now()
    for (const ticker of tickers) ticker()
  }, 200)
  return () => {
    tickers.delete(listener)
    if (tickers.size > 0 || ticker === null) return
    clearInterval(ticker)
    ticker = null
  }
}

/** The time, five times a second while `active`; one clock for the whole page. */
export function useNow(active: boolean): number {
  return useSyncExternalStore(active ? tick : noListener, () => now)
}
