/** Graphs for tests: a small one written by hand and random ones with random edits. */
import { fc } from '@/testing/properties'
import { align, distribute } from './edit/arrange'
import { clipOf, paste } from './edit/clipboard'
import {
  addNode,
  addNote,
  connect,
  groupAround,
  nudge,
  patchNode,
  remove,
  toggleDisabled,
} from './edit/edits'
import { newNodeId, renameNode } from './ids'
import { setParent } from './layout/frames'
import type { Graph, GraphNode, NodeTypes } from './types'

export const noTypes: NodeTypes = new Map()

export function node(id: string, type = 'tool', more: Partial<GraphNode> = {}): GraphNode {
  return { id, type, v: 1, position: { x: 0, y: 0 }, config: {}, ...more }
}

/** start → log → if (true → say, false → each [ read → sum ] → end) */
export function sample(): Graph {
  return {
    schema: 1,
    language: 'en',
    nodes: [
      node('start', 'start', { config: { inputs: { type: 'object', properties: {} } } }),
      node('log', 'tool', {
        position: { x: 148, y: 0 },
        config: { server: 'git', tool: 'git_log', arguments: { path: '{{ start.path }}' } },
      }),
      node('new', 'if', {
        position: { x: 376, y: 0 },
        config: { conditions: [{ left: '{{ log.result }}', op: 'empty' }] },
      }),
      node('say', 'answer', {
        position: { x: 604, y: 0 },
        config: { text: 'Nothing in {{#start.path#}}: {{ log.result | default("log.x") }}' },
      }),
      node('each', 'iteration', {
        position: { x: 116, y: 140 },
        config: { items: '{{ start.sources }}', output: '{{ sum.text }}' },
      }),
      node('read', 'tool', {
        parent: 'each',
        position: { x: 132, y: 176 },
        config: { arguments: { url: '{{ item }}' } },
      }),
      node('sum', 'llm', {
        parent: 'each',
        position: { x: 360, y: 176 },
        config: { messages: [{ role: 'user', content: '{{ read.result }}' }] },
      }),
      node('end', 'end', { position: { x: 684, y: 160 }, config: { outputs: { all: '{{ each.items }}' } } }),
    ],
    edges: [
      { id: 'e1', source: 'start', source_port: 'out', target: 'log', target_port: 'in' },
      { id: 'e2', source: 'log', source_port: 'out', target: 'new', target_port: 'in' },
      { id: 'e3', source: 'new', source_port: 'true', target: 'say', target_port: 'in' },
      { id: 'e4', source: 'new', source_port: 'false', target: 'each', target_port: 'in' },
      { id: 'e5', source: 'read', source_port: 'out', target: 'sum', target_port: 'in' },
      { id: 'e6', source: 'each', source_port: 'out', target: 'end', target_port: 'in' },
    ],
    annotations: [
      {
        id: 'note1',
        kind: 'note',
        text: 'Why',
        position: { x: 0, y: 300 },
        size: { width: 220, height: 120 },
        color: 'grey',
      },
    ],
  }
}

export type Edit = (graph: Graph) => Graph

const some = <T>(items: readonly T[], index: number): T | undefined =>
  items[index % Math.max(1, items.length)]

/** A random edit: what people do, on whatever nodes the graph then has. */
export const anyEdit: fc.Arbitrary<Edit> = fc
  .tuple(fc.nat(13), fc.nat(50), fc.nat(50), fc.integer({ min: -500, max: 500 }), fc.string())
  .map(([kind, first, second, distance, text]) => (graph: Graph): Graph => {
    const entry = some(graph.nodes, first)
    const other = some(graph.nodes, second)
    const ids = entry && other ? [...new Set([entry.id, other.id])] : []
    const chosen = { nodes: ids, edges: [], annotations: [] }
    switch (kind) {
      case 0:
        return addNode(graph, node(newNodeId(graph, text), 'tool', { position: { x: distance, y: first } }))
      case 1:
        return entry && other
          ? connect(graph, noTypes, {
              source: entry.id,
              source_port: 'out',
              target: other.id,
              target_port: 'in',
            })
          : graph
      case 2:
        return remove(graph, { nodes: ids.slice(0, 1) })
      case 3:
        return remove(graph, { edges: graph.edges.slice(first % 3, 2).map((edge) => edge.id) })
      case 4:
        return entry
          ? patchNode(graph, entry.id, { title: text, config: { ...entry.config, [text]: distance } })
          : graph
      case 5:
        return entry ? renameNode(graph, entry.id, newNodeId(graph, text)) : graph
      case 6:
        return nudge(graph, chosen, distance, -distance)
      case 7: {
        const clip = clipOf(graph, chosen)
        return clip && graph.nodes.length < 60 ? paste(graph, clip).graph : graph
      }
      case 8:
        return setParent(graph, ids.slice(0, 1), some(graph.nodes, first + 1)?.id ?? null)
      case 9:
        return toggleDisabled(graph, ids)
      case 10:
        return addNote(graph, { x: distance, y: distance }, text).graph
      case 11:
        return groupAround(graph, noTypes, ids, text)?.graph ?? graph
      case 12:
        return distribute(align(graph, noTypes, ids, 'top'), noTypes, ids, 'horizontal')
      default:
        return first % 2 ? { ...graph, language: text } : { ...graph, nodes: [...graph.nodes].reverse() }
    }
  })
