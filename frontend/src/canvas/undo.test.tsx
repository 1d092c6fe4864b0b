/** Whatever a person does on the canvas, undoing all of it gives back the document as it was. */
import { act, cleanup } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '@/graph/graph.testing'
import { fc } from '@/testing/properties'
import { command, giveLayout, type Opened, openCanvas, press } from './canvas.testing'

beforeEach(giveLayout)

type Step = (opened: Opened, pick: number) => void | Promise<void>

const key =
  (name: string, more: KeyboardEventInit = {}): Step =>
  () =>
    press(name, more)
const run =
  (id: string): Step =>
  () =>
    command(`canvas.${id}`)

function choose({ store }: Opened, pick: number): void {
  const { graph, select } = store.getState()
  const at = <T,>(items: readonly T[], index: number): readonly T[] =>
    items.slice(index % (items.length + 1)).slice(0, 1)
  const nodes = [...at(graph.nodes, pick), ...at(graph.nodes, pick * 7 + 3)].map((node) => node.id)
  const annotations = at(graph.annotations ?? [], pick).map((item) => item.id)
  const edges = at(graph.edges, pick * 3).map((edge) => edge.id)
  act(() =>
    select({
      nodes: [...new Set(nodes)],
      annotations: pick % 3 ? [] : annotations,
      edges: pick % 4 ? [] : edges,
    }),
  )
}

const STEPS: readonly Step[] = [
  choose,
  choose,
  key('Delete'),
  key('d', { ctrlKey: true }),
  key('g', { ctrlKey: true }),
  key('b'),
  key('a', { ctrlKey: true }),
  key('z', { ctrlKey: true }),
  key('z', { ctrlKey: true, shiftKey: true }),
  key('ArrowRight'),
  key('ArrowUp', { shiftKey: true }),
  key('Tab'),
  run('note'),
  run('align_left'),
  run('align_middle'),
  run('distribute_h'),
  run('leave_frame'),
  run('tidy'),
  ({ controller }, pick) => {
    const type = pick % 5 === 0 ? 'iteration' : 'template'
    act(() => void controller.insert({ type, title: type, base: type, config: {} }))
  },
  ({ controller }, pick) => {
    const at = { x: (pick % 9) * 130, y: (pick % 7) * 90 }
    act(() => void controller.drop({ type: 'template', title: 'T', base: 'template', config: {} }, at))
  },
  ({ controller }) => {
    const text = controller.copyText()
    if (text) act(() => void controller.pasteText(text))
  },
]

describe('undo', () => {
  it('takes back 200 random actions, one by one, and redo does them again', async () => {
    const steps = fc.array(fc.tuple(fc.nat(STEPS.length - 1), fc.nat(500)), {
      minLength: 200,
      maxLength: 200,
    })
    await fc.assert(
      fc.asyncProperty(steps, async (doing) => {
        cleanup()
        const opened = openCanvas()
        const { store } = opened
        let most = 0
        for (const [index, pick] of doing) {
          const before = store.getState()
          await STEPS[index]?.(opened, pick)
          // what is pasted again and again would be all that the test draws
          if (store.getState().graph.nodes.length > 14) {
            act(() => store.getState().undo())
            choose(opened, pick)
          }
          most += store.getState().graph === before.graph ? 0 : 1
        }
        expect(most).toBeGreaterThan(20)
        const last = store.getState().graph
        const depth = store.getState().past.length
        act(() => {
          while (store.getState().past.length > 0) store.getState().undo()
        })
        expect(store.getState().graph).toEqual(sample())
        act(() => {
          for (let count = 0; count < depth; count += 1) store.getState().redo()
        })
        expect(store.getState().graph).toEqual(last)
      }),
      { numRuns: 1 },
    )
  }, 180_000)
})
