/** The real canvas with its real store in jsdom, where every element of it has a size, and the commands as buttons. */
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { vi } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { layout } from '@/graph/layout/layout'
import { createGraphStore, type GraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { RunViewProvider } from '@/live/run-store'
import type { RunView } from '@/live/run-view'
import { Commands } from '@/testing/commands'
import { listenToKeys } from '@/ui'
import { Canvas } from './Canvas'
import { CanvasProvider, useController } from './CanvasProvider'
import type { CanvasController } from './controller'
import { GhostLayer } from './drag/lift'
import { useCanvasKeys } from './input/useCanvasKeys'
import { ConnectMenu, FindBox } from './menus/boxes'

export { command } from '@/testing/commands'

/** The window that the canvas fills. */
export const VIEW = { width: 1200, height: 800 }

/** What jsdom has no layout for: every box is as large as the canvas, and the observer says so. */
export function giveLayout(): void {
  const box = () => new DOMRect(0, 0, VIEW.width, VIEW.height)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(VIEW.width)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(VIEW.height)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(VIEW.width)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(VIEW.height)
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(box)
  document.elementFromPoint = () => null
  document.elementsFromPoint = () => []
  vi.stubGlobal('Worker', LayoutWorker)
  // no picture is drawn where nothing draws
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) =>
      ({
        media,
        matches: media.includes('reduced-motion'),
        addEventListener() {},
        removeEventListener() {},
      }) as unknown as MediaQueryList,
  )
}

/** The layout of `layout.worker.ts`, in the same thread. */
class LayoutWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null
  postMessage(request: Parameters<typeof layout>[0]): void {
    queueMicrotask(() => this.onmessage?.({ data: layout(request) }))
  }
  terminate(): void {}
}

export interface Opened {
  readonly store: GraphStore
  readonly controller: CanvasController
  /** How often the inspector was asked for. */
  readonly opened: () => number
}

interface Seen {
  controller: CanvasController | undefined
  opened: number
}

function Inside({ seen, children }: { seen: Seen; children: ReactNode }) {
  seen.controller = useController()
  const open = () => {
    seen.opened += 1
  }
  useCanvasKeys(open)
  useEffect(() => listenToKeys(), [])
  return (
    <>
      <Canvas onOpen={open}>
        <ConnectMenu />
        <FindBox />
        <GhostLayer />
        {children}
      </Canvas>
      <Commands />
    </>
  )
}

export function openCanvas(
  graph: Graph = sample(),
  { readOnly = false, inside = null as ReactNode, run = null as RunView | null } = {},
): Opened {
  const store = createGraphStore(graph)
  store.getState().setReadOnly(readOnly)
  const seen: Seen = { controller: undefined, opened: 0 }
  render(
    <GraphProvider store={store}>
      <CanvasProvider>
        <RunViewProvider view={run}>
          <Inside seen={seen}>{inside}</Inside>
        </RunViewProvider>
      </CanvasProvider>
    </GraphProvider>,
  )
  if (!seen.controller) throw new Error('the canvas was not drawn')
  return { store, controller: seen.controller, opened: () => seen.opened }
}

/** The canvas once its first fit is over. */
export async function ready(...how: Parameters<typeof openCanvas>): Promise<Opened> {
  const opened = openCanvas(...how)
  await waitFor(() => {
    if (opened.controller.flow.getViewport().x === 0) throw new Error('not fitted yet')
  })
  return opened
}

export const canvasElement = (): HTMLElement => screen.getByTestId('canvas')

export const select = (
  store: GraphStore,
  selection: Parameters<ReturnType<GraphStore['getState']>['select']>[0],
) => act(() => store.getState().select(selection))

export const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(canvasElement(), { key, ...more })
  })

/** The card of a node. */
export function card(id: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${id}"]`)
  if (!element) throw new Error(`there is no card ${id}`)
  return element
}

export const nodeOf = (store: GraphStore, id: string) =>
  store.getState().graph.nodes.find((node) => node.id === id)
