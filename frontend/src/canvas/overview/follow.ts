/** The view goes where a run works or waits, until the person moves it themselves. Pure, but for `follow`. */
import type { CanvasController } from '@/canvas/controller'
import { isFrame, nodeRects, overlap } from '@/graph/layout/geometry'
import type { GraphNode, Rect } from '@/graph/types'
import type { RunStatus } from '@/live/run-status'
import type { RunView } from '@/live/run-view'

/** Between two looks, ms: steps of a loop end many times a second, and a view that jumps with them is no help. */
const LOOK_MS = 500
const RANK: Partial<Record<RunStatus, number>> = { person: 0, running: 1, retrying: 1, client: 2, waiting: 2 }

export interface Candidate {
  readonly id: string
  readonly status: RunStatus
  readonly since: number
  readonly frame: boolean
}

/** The node to look at: one that waits for a person, else one that works; the one looked at while it still counts. */
export function leadOf(candidates: Iterable<Candidate>, current: string | null): string | null {
  let lead: Candidate | null = null
  const weight = ({ status, frame }: Candidate) => (RANK[status] ?? 9) * 2 + (frame ? 1 : 0)
  for (const next of candidates) {
    if (RANK[next.status] === undefined) continue
    const by = lead === null ? -1 : weight(next) - weight(lead)
    const nearer = next.id === current || (lead?.id !== current && next.since > (lead?.since ?? 0))
    if (by < 0 || (by === 0 && nearer)) lead = next
  }
  return lead?.id ?? null
}

/** Whether a card of the window lies below the map. */
export function below(map: Rect, cards: readonly Rect[]): boolean {
  return cards.some((card) => overlap(map, card))
}

class Follower {
  private current: string | null = null
  private timer: ReturnType<typeof setTimeout> | null = null
  private last = 0
  /** The card that waits for a person was seen whole at the last look. */
  private seen = false
  /** Panels took room since the last look, and how often a person had moved the view by then. */
  private resized: number | null = null
  private watched: HTMLElement | null = null
  /** A card grows when it begins to ask. */
  private readonly growth = new ResizeObserver(() => this.soon())

  constructor(
    private readonly controller: CanvasController,
    private readonly run: RunView,
  ) {}

  /** Look soon; never more often than every half second. */
  soon = (): void => {
    const gap = Math.max(50, this.last + LOOK_MS - performance.now())
    this.timer ??= setTimeout(() => {
      this.timer = null
      this.last = performance.now()
      this.look()
    }, gap)
  }

  tookRoom = (): void => {
    this.resized = this.controller.view.moves
    this.soon()
  }

  stop(): void {
    this.growth.disconnect()
    if (this.timer !== null) clearTimeout(this.timer)
  }

  private *candidates(nodes: readonly GraphNode[]): Iterable<Candidate> {
    for (const node of nodes) {
      const mine = this.run.nodeRun(node.id)
      if (mine) yield { id: node.id, status: mine.status, since: mine.since, frame: isFrame(node) }
    }
  }

  private look(): void {
    const { controller, run } = this
    const info = run.info()
    const { graph, types } = controller.graph.getState()
    const going = !info.ended && info.scrub === null
    const reached = graph.nodes.filter((node) => run.state.byNode.has(node.id))
    this.current = going ? leadOf(this.candidates(reached), this.current) : null
    const waiting = reached.filter((node) => going && run.nodeRun(node.id)?.status === 'person')
    const asks = waiting.some((node) => node.id === this.current)
    if (this.current !== null) {
      const rect = nodeRects(graph, types).get(this.current)
      const { follow } = controller.canvas.getState()
      // a panel that opens must not cover the question that was seen a moment ago, unless somebody looked elsewhere since
      const covered = asks && this.seen && this.resized === controller.view.moves
      if (rect && (follow || covered)) {
        if (controller.view.showCard(this.current, rect, asks)) this.soon()
      }
      this.seen = rect !== undefined && asks && controller.view.seesCard(this.current, rect)
      this.watch(asks ? controller.view.cardElement(this.current) : null)
    }
    this.resized = null
    controller.canvas.setState({ mapAside: this.mapCovers(waiting) })
  }

  private watch(card: HTMLElement | null): void {
    if (card === this.watched) return
    this.growth.disconnect()
    this.watched = card
    if (card) this.growth.observe(card)
  }

  private mapCovers(waiting: readonly GraphNode[]): boolean {
    const map = this.controller.view.element?.querySelector('.canvas-map')?.getBoundingClientRect()
    if (!map || waiting.length === 0) return false
    const cards = waiting.flatMap(
      (node) => this.controller.view.cardElement(node.id)?.getBoundingClientRect() ?? [],
    )
    return below(map, cards)
  }
}

/** Follow a run on the canvas until the returned function is called; `view` tells of changes of the view. */
export function follow(
  controller: CanvasController,
  run: RunView,
  view: (moved: () => void, resized: () => void) => () => void,
): () => void {
  const follower = new Follower(controller, run)
  controller.wishFollow()
  const leave = [
    run.subscribe(follower.soon),
    view(follower.soon, follower.tookRoom),
    controller.graph.subscribe(follower.soon),
  ]
  leave.push(
    controller.canvas.subscribe((state, before) => {
      if (state.follow && !before.follow) follower.soon()
    }),
  )
  follower.soon()
  return () => {
    follower.stop()
    for (const each of leave) each()
    controller.canvas.setState({ mapAside: false })
  }
}
