/** Two documents as one to draw: the later one, with what it lost where it stood, and the old outline of what moved. */
import { GAP, isFrame, nodeRects, overlap, union } from '@/graph/layout/geometry'
import type { Graph, GraphNode, NodeTypes, Rect } from '@/graph/types'
import type { Comparison } from './compare'

/** What is lost moves down past what stands there now, at most this often. */
const MOST_STEPS = 40

/** The nodes that are gone, in groups that stay together: a frame with what was in it. */
function groupsOf(before: Graph, gone: ReadonlySet<string>): Map<string, GraphNode[]> {
  const byId = new Map(before.nodes.map((node) => [node.id, node]))
  const rootOf = (node: GraphNode): string => {
    const seen = new Set([node.id])
    let root = node
    for (let up = node.parent; up && gone.has(up) && !seen.has(up); up = root.parent) {
      seen.add(up)
      root = byId.get(up) ?? root
    }
    return root.id
  }
  const groups = new Map<string, GraphNode[]>()
  for (const node of before.nodes) {
    if (!gone.has(node.id)) continue
    const root = rootOf(node)
    groups.set(root, [...(groups.get(root) ?? []), node])
  }
  return groups
}

/** How far down a group has to go so that it lies on nothing. */
function clearance(around: Rect, others: readonly Rect[]): number {
  let down = 0
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const place = { ...around, y: around.y + down }
    const hit = others.find((other) => overlap(place, other))
    if (!hit) break
    down = hit.y + hit.height + GAP - around.y
  }
  return down
}

/** Both documents on one canvas. Ids of nodes stay; edges that are gone have those of the comparison. */
export function bothGraphs(before: Graph, after: Graph, comparison: Comparison, types: NodeTypes): Graph {
  const gone = new Set(comparison.nodes.filter((node) => node.kind === 'removed').map((node) => node.id))
  const [old, now] = [nodeRects(before, types), nodeRects(after, types)]
  const frames = new Set(after.nodes.filter(isFrame).map((node) => node.id))
  const beside = new Map<string, Rect[]>()
  for (const node of after.nodes) {
    const rect = now.get(node.id)
    if (rect) beside.set(node.parent ?? '', [...(beside.get(node.parent ?? '') ?? []), rect])
  }
  const lost: GraphNode[] = []
  for (const [root, group] of groupsOf(before, gone)) {
    const top = group.find((node) => node.id === root)
    const around = union(group.map((node) => old.get(node.id)).filter((rect) => rect !== undefined))
    if (!top || !around) continue
    const parent = top.parent && frames.has(top.parent) ? top.parent : null
    const others = beside.get(parent ?? '') ?? []
    const down = clearance(around, others)
    beside.set(parent ?? '', [...others, { ...around, y: around.y + down }])
    for (const node of group)
      lost.push({
        ...node,
        position: { x: node.position.x, y: node.position.y + down },
        ...(node.id === root ? { parent } : {}),
      })
  }
  const goneNotes = comparison.notes.flatMap(({ kind, before: note }) =>
    kind === 'removed' && note ? [note] : [],
  )
  const goneEdges = comparison.edges.filter((edge) => edge.kind === 'removed')
  return {
    ...after,
    nodes: [...after.nodes, ...lost],
    edges: [...after.edges, ...goneEdges.map(({ id, edge }) => ({ ...edge, id }))],
    annotations: [...(after.annotations ?? []), ...goneNotes],
  }
}

export interface Outline {
  readonly id: string
  /** Where it stood. */
  readonly from: Rect
  /** Where it stands in the document that shows both. */
  readonly to: Rect
}

/** The old outlines of what moved. A frame that only follows its children has not moved itself. */
export function outlinesOf(before: Graph, both: Graph, comparison: Comparison, types: NodeTypes): Outline[] {
  const [old, now] = [nodeRects(before, types), nodeRects(both, types)]
  return comparison.nodes.flatMap(({ id, moved }) => {
    const [from, to] = [old.get(id), now.get(id)]
    return moved && from && to ? [{ id, from, to }] : []
  })
}
