/** What the canvas remembers besides the document: drags in progress, the far mode, what is open on it. */
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Guide } from '@/graph/edit/arrange'
import { type DropParents, EMPTY_FRAME } from '@/graph/layout/geometry'
import { findLanes, type Lanes } from '@/graph/layout/routes'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type { Point, Rect, Size } from '@/graph/types'

/** How much of a card is drawn, by zoom. */
export type Lod = 'full' | 'simple' | 'far'

/** Full cards from 0.6, simple ones to 0.4, one canvas element below; back at 0.45 so that it does not flicker. */
export function lodAt(zoom: number, before: Lod): Lod {
  if (zoom < (before === 'far' ? 0.45 : 0.4)) return 'far'
  return zoom < 0.6 ? 'simple' : 'full'
}

export interface QuickAdd {
  /** Where the menu opens, in the window. */
  screen: Point
  /** Where the node goes; absent = beside the node it comes after, or where there is room. */
  flow?: Point
  after?: { node: string; port?: string }
  /** The frame that it goes into. */
  into?: string
  /** The edge that it goes into. */
  on?: string
  /** The node in whose place it goes. */
  replace?: string
  /** The node whose model is given the tools that are chosen. */
  give?: string
  /** Only tools can be chosen. */
  tools?: boolean
}

export interface Ghost {
  template: NodeTemplate
  /** The pointer, in the window. */
  pointer: Point
  /** Where the card would go, in the document; null outside of the canvas. */
  target: Rect | null
  guides: readonly Guide[]
}

export interface CanvasState {
  lod: Lod
  /** Places and sizes while something is dragged or resized; committed at its end. */
  places: ReadonlyMap<string, Point>
  sizes: ReadonlyMap<string, Size>
  guides: readonly Guide[]
  /** The frames of what is dragged across a frame's border, as they will be when it is dropped now. */
  dropParents: DropParents
  /** The frame that what is dragged would be dropped into. */
  into: string | null
  /** The edge that what is dragged would be dropped into. */
  onto: string | null
  lanes: Lanes
  quickAdd: QuickAdd | null
  finding: boolean
  /** The search also replaces. */
  replacing: boolean
  /** The node to connect from, while the list of targets is open. */
  connecting: string | null
  /** The note whose text is being written. */
  editing: string | null
  ghost: Ghost | null
  minimap: boolean
  /** The view goes where the run that is shown works or waits. */
  follow: boolean
  /** A card that waits for a person lies where the map is: it steps aside. */
  mapAside: boolean
  /** The edge that the pointer is at, or was at a moment ago. */
  edge: string | null
}

export type CanvasStore = StoreApi<CanvasState>

const NO_PLACES: ReadonlyMap<string, Point> = new Map()
const NO_SIZES: ReadonlyMap<string, Size> = new Map()
export const NO_DROP_PARENTS: DropParents = new Map()

/** A graph that may be too big to mount before its first view is known begins far away. */
const FAR_FIRST = 120

/** Whether runs are followed: what the switch was set to last. */
export const wishesFollow = (): boolean => localStorage.getItem('flag:follow') !== '0'

export function createCanvasStore(nodes = 0): CanvasStore {
  return createStore<CanvasState>()(() => ({
    lod: nodes > FAR_FIRST ? 'far' : 'full',
    places: NO_PLACES,
    sizes: NO_SIZES,
    guides: [],
    dropParents: NO_DROP_PARENTS,
    into: null,
    onto: null,
    lanes: findLanes([{ x: 0, y: 0, ...EMPTY_FRAME }]),
    quickAdd: null,
    finding: false,
    replacing: false,
    connecting: null,
    editing: null,
    ghost: null,
    edge: null,
    minimap: localStorage.getItem('flag:minimap') !== '0',
    follow: wishesFollow(),
    mapAside: false,
  }))
}

/** Everything that was being dragged is where it was put. */
export function endDrag(store: CanvasStore): void {
  store.setState({
    places: NO_PLACES,
    sizes: NO_SIZES,
    guides: [],
    dropParents: NO_DROP_PARENTS,
    into: null,
    onto: null,
  })
}

export const CanvasContext = createContext<CanvasStore | null>(null)

export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext)
  if (!store) throw new Error('useCanvasStore is used outside of the canvas')
  return store
}

export function useCanvas<T>(selector: (state: CanvasState) => T): T {
  return useStore(useCanvasStore(), selector)
}
