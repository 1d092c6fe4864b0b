import { describe, expect, it } from 'vitest'
import { references } from '@/graph/expressions'
import { anyEdit, sample } from '@/graph/graph.testing'
import { emptyGraph, type Graph } from '@/graph/types'
import { fc } from '@/testing/properties'
import { clipOf, copyText, duplicate, parseClip, paste } from './clipboard'

const all = (graph: Graph) => ({
  nodes: graph.nodes.map((node) => node.id),
  edges: [],
  annotations: (graph.annotations ?? []).map((item) => item.id),
})

describe('clipboard', () => {
  it('what is copied and pasted is the same graph under other names', () => {
    fc.assert(
      fc.property(
        fc.array(anyEdit, { maxLength: 12 }),
        fc.array(fc.nat(40), { minLength: 1 }),
        (edits, picks) => {
          const graph = edits.reduce((graph, edit) => edit(graph), sample())
          if (graph.nodes.length === 0) return
          const ids = picks.map((pick) => graph.nodes[pick % graph.nodes.length]?.id ?? '')
          const selection = { nodes: [...new Set(ids)], edges: [], annotations: [] }
          const clip = parseClip(copyText(graph, selection) ?? '')
          if (!clip) throw new Error('a selection with nodes gives a clip')
          const { graph: next, selection: pasted } = paste(graph, clip, { x: 1000, y: 1000 })
          // nothing that was there changed
          expect(next.nodes.slice(0, graph.nodes.length)).toEqual(graph.nodes)
          expect(next.edges.slice(0, graph.edges.length)).toEqual(graph.edges)
          // names are new and unique
          expect(new Set(next.nodes.map((node) => node.id)).size).toBe(next.nodes.length)
          expect(new Set(next.edges.map((edge) => edge.id)).size).toBe(next.edges.length)
          // node by node the same, edges between the same nodes
          const hasStart = graph.nodes.some((node) => node.type === 'start')
          const copied = clip.nodes.filter((node) => !(hasStart && node.type === 'start'))
          expect(pasted.nodes).toHaveLength(copied.length)
          const names = new Map(copied.map((node, index) => [node.id, pasted.nodes[index] ?? '']))
          const start = graph.nodes.find((node) => node.type === 'start')
          for (const node of clip.nodes) if (!names.has(node.id) && start) names.set(node.id, start.id)
          copied.forEach((node, index) => {
            const twin = next.nodes.find((each) => each.id === pasted.nodes[index])
            expect(twin?.type).toBe(node.type)
            expect(twin && [...references(twin)]).toEqual(
              [...references(node)].map((name) => names.get(name) ?? name),
            )
          })
          const added = next.edges.slice(graph.edges.length)
          expect(added.map((edge) => `${edge.source}:${edge.source_port}>${edge.target}`)).toEqual(
            clip.edges.map(
              (edge) => `${names.get(edge.source)}:${edge.source_port}>${names.get(edge.target)}`,
            ),
          )
        },
      ),
      { numRuns: 150 },
    )
  })

  it('a whole workflow pasted into an empty one is the same workflow', () => {
    const clip = clipOf(sample(), all(sample()))
    if (!clip) throw new Error('the sample has nodes')
    const { graph } = paste({ ...emptyGraph(), language: 'en' }, clip, { x: 0, y: 0 })
    expect(graph).toEqual(sample())
  })

  it('takes a whole document as well, and refuses anything else', () => {
    expect(parseClip(JSON.stringify(sample()))?.nodes).toHaveLength(8)
    for (const text of [
      '',
      'hello',
      '[]',
      '{}',
      '{"schema":1,"nodes":[{"id":1}]}',
      '{"schema":1,"nodes":[]}',
    ]) {
      expect(parseClip(text)).toBeNull()
    }
  })

  it('a copy of the start is the start that is there', () => {
    const pasted = duplicate(sample(), { nodes: ['start', 'log'], edges: [], annotations: [] })
    expect(pasted?.selection.nodes).toEqual(['log_2'])
    expect(pasted?.graph.edges.at(-1)).toMatchObject({ source: 'start', target: 'log_2' })
    expect(duplicate(sample(), { nodes: ['start'], edges: [], annotations: [] })).toBeNull()
  })
})
