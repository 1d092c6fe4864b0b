/** Every command of the canvas, by key, palette, menu and toolbar: each does to the document or the view what it says. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { patchNode } from '@/graph/edit/edits'
import { removeAndHeal } from '@/graph/edit/heal'
import { noTypes, sample } from '@/graph/graph.testing'
import { toolTemplate } from '@/graph/nodes/templates'
import type { GraphStore } from '@/graph/store'
import type { GraphNode, NodeType } from '@/graph/types'
import {
  canvasElement,
  card,
  command,
  giveLayout,
  nodeOf,
  type Opened,
  openCanvas,
  press,
  select,
} from './canvas.testing'

beforeEach(giveLayout)

const x = (store: GraphStore, id: string) => nodeOf(store, id)?.position.x
const y = (store: GraphStore, id: string) => nodeOf(store, id)?.position.y

/** The menu over what is selected; waits for its code, which comes after the first picture. */
async function menu(at: Element = canvasElement()): Promise<HTMLElement> {
  await waitFor(() => {
    fireEvent.contextMenu(at, { clientX: 300, clientY: 200 })
    expect(screen.queryByRole('menu')).not.toBeNull()
  })
  return screen.getByRole('menu')
}

async function choose(name: string): Promise<void> {
  const item = within(await menu()).getByRole('menuitem', { name: (text) => text.startsWith(name) })
  await act(async () => item.click())
}

/** Something that can be done by several doors, and how it is seen that it was done. */
interface Action {
  readonly name: string
  readonly command?: string
  readonly menu?: string
  readonly button?: string
  readonly keys?: readonly [string, KeyboardEventInit?]
  readonly prepare?: (opened: Opened) => void | Promise<void>
  readonly done: (opened: Opened) => void | Promise<void>
}

const three = ['log', 'say', 'end']
const both = ['log', 'end']
const chosen =
  (...nodes: string[]) =>
  ({ store }: Opened) => {
    select(store, { nodes })
  }
const inClipboard = async () => JSON.parse(await navigator.clipboard.readText()).nodes.length as number
const zoomed = (zoom: number) => (opened: Opened) =>
  waitFor(() => expect(opened.controller.flow.getZoom()).toBeCloseTo(zoom, 5))
const lookAway = async ({ controller }: Opened) => {
  await waitFor(() => expect(controller.flow.getViewport().x).not.toBe(0)) // the first fit
  await act(async () => void (await controller.flow.setViewport({ x: 5000, y: 5000, zoom: 0.7 })))
  expect(controller.flow.getZoom()).toBe(0.7)
}
const seesAll = (opened: Opened) =>
  waitFor(() => {
    const seen = opened.controller.view.visible()
    expect(seen.x).toBeLessThan(0)
    expect(seen.x + seen.width).toBeGreaterThan(880)
  })

/** A node type whose model uses tools. */
const TAKES_TOOLS: NodeType = {
  type: 'answer',
  v: 1,
  group: 'ai',
  title: 'Agent',
  description: '',
  config_schema: { properties: { tools: { 'x-widget': 'tools' } } },
  output_schema: {},
  ports: { in: ['in'], out: ['out'] },
}

const ACTIONS: readonly Action[] = [
  {
    name: 'align left',
    command: 'canvas.align_left',
    menu: 'Align left edges',
    prepare: chosen(...both),
    done: ({ store }) => waitFor(() => expect(x(store, 'end')).toBe(148)),
  },
  {
    name: 'align right',
    command: 'canvas.align_right',
    menu: 'Align right edges',
    prepare: chosen(...both),
    done: ({ store }) =>
      waitFor(() => {
        expect(x(store, 'log')).toBeGreaterThan(600)
        expect(x(store, 'end')).toBe(684)
      }),
  },
  {
    name: 'align centres',
    command: 'canvas.align_center',
    menu: 'Align centres',
    prepare: chosen(...both),
    done: ({ store }) =>
      waitFor(() => {
        expect(x(store, 'log')).toBeGreaterThan(300)
        expect(x(store, 'log')).toBeLessThan(500)
      }),
  },
  {
    name: 'align top',
    command: 'canvas.align_top',
    menu: 'Align top edges',
    prepare: chosen(...both),
    done: ({ store }) => waitFor(() => expect(y(store, 'end')).toBe(0)),
  },
  {
    name: 'align bottom',
    command: 'canvas.align_bottom',
    menu: 'Align bottom edges',
    prepare: chosen(...both),
    done: ({ store }) =>
      waitFor(() => {
        expect(y(store, 'log')).toBeGreaterThan(120)
        expect(y(store, 'end')).toBe(160)
      }),
  },
  {
    name: 'align middles',
    command: 'canvas.align_middle',
    menu: 'Align middles',
    prepare: chosen(...both),
    done: ({ store }) =>
      waitFor(() => {
        expect(y(store, 'log')).toBeGreaterThan(40)
        expect(y(store, 'log')).toBeLessThan(120)
      }),
  },
  {
    name: 'distribute side by side',
    command: 'canvas.distribute_h',
    menu: 'Distribute side by side',
    prepare: chosen('start', 'log', 'say'),
    done: ({ store }) => waitFor(() => expect(x(store, 'log')).toBe(262)),
  },
  {
    name: 'distribute one above the other',
    command: 'canvas.distribute_v',
    prepare: (opened) => {
      chosen(...three)(opened)
      act(
        () =>
          void opened.store.getState().commit('move', (graph) => ({
            ...graph,
            nodes: graph.nodes.map((node) =>
              node.id === 'end' ? { ...node, position: { x: 684, y: 600 } } : node,
            ),
          })),
      )
    },
    done: ({ store }) =>
      waitFor(() => {
        const between = [y(store, 'log') ?? 0, y(store, 'say') ?? 0].sort((left, right) => left - right)
        expect(between[0]).toBe(0)
        expect(between[1]).toBeGreaterThan(200)
      }),
  },
  {
    name: 'copy',
    command: 'canvas.copy',
    menu: 'Copy',
    prepare: chosen('log', 'new'),
    done: async () => expect(await inClipboard()).toBe(2),
  },
  {
    name: 'cut',
    command: 'canvas.cut',
    menu: 'Cut',
    prepare: chosen('log'),
    done: async ({ store }) => {
      await waitFor(() => expect(nodeOf(store, 'log')).toBeUndefined())
      expect(await inClipboard()).toBe(1)
    },
  },
  {
    name: 'paste',
    command: 'canvas.paste',
    menu: 'Paste',
    prepare: async ({ store, controller }) => {
      select(store, { nodes: ['log'] })
      await navigator.clipboard.writeText(controller.copyText() ?? '')
      select(store, {})
    },
    done: ({ store }) => waitFor(() => expect(nodeOf(store, 'log_2')).toBeDefined()),
  },
  {
    name: 'paste over a selection',
    menu: 'Paste',
    prepare: async ({ store, controller }) => {
      select(store, { nodes: ['log'] })
      await navigator.clipboard.writeText(controller.copyText() ?? '')
    },
    done: ({ store }) => waitFor(() => expect(nodeOf(store, 'log_2')).toBeDefined()),
  },
  {
    name: 'duplicate',
    command: 'canvas.duplicate',
    menu: 'Duplicate',
    prepare: chosen('log'),
    done: ({ store }) => expect(store.getState().selection.nodes).toEqual(['log_2']),
  },
  {
    name: 'delete',
    command: 'canvas.delete',
    menu: 'Delete',
    prepare: chosen('log'),
    done: ({ store }) =>
      expect(store.getState().graph).toEqual(removeAndHeal(sample(), noTypes, { nodes: ['log'] })),
  },
  {
    name: 'delete an edge',
    menu: 'Delete',
    prepare: ({ store }) => select(store, { edges: ['e2'] }),
    done: ({ store }) => expect(store.getState().graph.edges.map((edge) => edge.id)).not.toContain('e2'),
  },
  {
    name: 'turn off',
    command: 'canvas.disable',
    menu: 'Turn on or off',
    prepare: chosen('log'),
    done: ({ store }) => expect(nodeOf(store, 'log')?.disabled).toBe(true),
  },
  {
    name: 'group',
    command: 'canvas.group',
    menu: 'Group selection',
    prepare: chosen('log', 'new'),
    done: ({ store, controller }) => {
      const created = store.getState().graph.annotations?.at(-1)
      expect(created?.kind).toBe('group')
      expect(controller.canvas.getState().editing).toBe(created?.id)
    },
  },
  {
    name: 'note',
    command: 'canvas.note',
    menu: 'Add a note',
    button: 'Add a note',
    done: ({ store, controller }) => {
      expect(store.getState().graph.annotations).toHaveLength(2)
      expect(controller.canvas.getState().editing).toBe(store.getState().graph.annotations?.at(-1)?.id)
    },
  },
  {
    name: 'tidy',
    command: 'canvas.tidy',
    menu: 'Tidy',
    button: 'Tidy',
    keys: ['l', { ctrlKey: true }],
    prepare: lookAway,
    done: async (opened) => {
      await waitFor(() => expect(opened.store.getState().graph).not.toEqual(sample()))
      await seesAll(opened)
    },
  },
  {
    name: 'tidy what is selected',
    menu: 'Tidy',
    prepare: chosen(...three),
    done: async ({ store }) => {
      await waitFor(() => expect(store.getState().graph).not.toEqual(sample()))
      expect(nodeOf(store, 'each')?.position).toEqual({ x: 116, y: 140 })
    },
  },
  {
    name: 'move into a frame',
    command: 'canvas.into.each',
    menu: 'Move into ',
    prepare: chosen('log'),
    done: ({ store }) => waitFor(() => expect(nodeOf(store, 'log')?.parent).toBe('each')),
  },
  {
    name: 'leave the frame',
    command: 'canvas.leave_frame',
    menu: 'Move out of the container',
    prepare: chosen('sum'),
    done: ({ store }) => waitFor(() => expect(nodeOf(store, 'sum')?.parent ?? null).toBeNull()),
  },
  {
    name: 'add a node',
    command: 'canvas.add',
    menu: 'Add a node',
    done: ({ controller }) => expect(controller.canvas.getState().quickAdd).not.toBeNull(),
  },
  {
    name: 'give the place of something missing to another node',
    menu: 'Replace…',
    prepare: ({ store }) => {
      const missing = (node: GraphNode) => (node.id === 'say' ? { ...node, type: 'placeholder' } : node)
      act(() => {
        store.getState().commit('config', (graph) => ({ ...graph, nodes: graph.nodes.map(missing) }))
      })
      select(store, { nodes: ['say'] })
    },
    done: ({ controller }) => expect(controller.canvas.getState().quickAdd?.replace).toBe('say'),
  },
  {
    name: 'add a node inside of a frame',
    command: 'canvas.add_inside',
    menu: 'Add a node inside',
    prepare: chosen('each'),
    done: ({ controller }) => expect(controller.canvas.getState().quickAdd?.into).toBe('each'),
  },
  {
    name: 'add a branch beside what goes on from a node',
    command: 'canvas.branch',
    menu: 'Add a branch',
    keys: ['N', { shiftKey: true }],
    prepare: chosen('log'),
    done: ({ controller, store }) => {
      expect(controller.canvas.getState().quickAdd?.after).toEqual({ node: 'log' })
      const template = { type: 'template', title: 'Template', base: 'template', config: {} }
      controller.insert(template, controller.canvas.getState().quickAdd ?? {})
      const targets = store.getState().graph.edges.filter((edge) => edge.source === 'log')
      expect(targets.map((edge) => edge.target)).toEqual(['new', 'template'])
    },
  },
  {
    name: 'add a branch at the error port, although nothing goes on yet',
    command: 'canvas.branch',
    menu: 'Add a branch',
    keys: ['N', { shiftKey: true }],
    prepare: (opened) => {
      const change = { on_error: 'port' } as const
      act(() => void opened.store.getState().commit('settings', (graph) => patchNode(graph, 'say', change)))
      chosen('say')(opened)
    },
    done: ({ controller }) =>
      expect(controller.canvas.getState().quickAdd?.after).toEqual({ node: 'say', port: 'error' }),
  },
  {
    name: 'give tools to the model of a node',
    command: 'canvas.add_tools',
    menu: 'Add tools',
    keys: ['t'],
    prepare: (opened) => {
      act(() => opened.store.getState().setTypes(new Map([['answer', TAKES_TOOLS]])))
      chosen('say')(opened)
    },
    done: ({ controller, store }) => {
      const menu = controller.canvas.getState().quickAdd
      expect(menu?.give).toBe('say')
      for (const tool of ['git_log', 'git_push', 'git_log'])
        controller.insert(toolTemplate('git', tool), menu ?? {})
      expect(nodeOf(store, 'say')?.config.tools).toEqual({
        servers: [{ server: 'git', include: ['git_log', 'git_push'] }],
      })
      expect(store.getState().graph.nodes).toHaveLength(sample().nodes.length)
    },
  },
  {
    name: 'add a node on an edge',
    menu: 'Add a node on this edge',
    prepare: ({ store }) => select(store, { edges: ['e2'] }),
    done: ({ controller }) => expect(controller.canvas.getState().quickAdd?.on).toBe('e2'),
  },
  {
    name: 'configure',
    command: 'canvas.open',
    menu: 'Configure',
    keys: ['Enter'],
    prepare: chosen('log'),
    done: ({ opened }) => expect(opened()).toBe(1),
  },
  {
    name: 'write a note by Enter',
    keys: ['Enter'],
    prepare: ({ store }) => select(store, { annotations: ['note1'] }),
    done: ({ controller }) => expect(controller.canvas.getState().editing).toBe('note1'),
  },
  {
    name: 'connect',
    command: 'canvas.connect',
    prepare: chosen('log'),
    done: ({ controller }) => expect(controller.canvas.getState().connecting).toBe('log'),
  },
  {
    name: 'select all',
    command: 'canvas.select_all',
    done: ({ store }) => {
      expect(store.getState().selection.nodes).toHaveLength(8)
      expect(store.getState().selection.annotations).toEqual(['note1'])
    },
  },
  {
    name: 'fit',
    command: 'canvas.fit',
    menu: 'Fit',
    button: 'Fit',
    keys: ['f'],
    prepare: lookAway,
    done: seesAll,
  },
  {
    name: 'fit the selection',
    command: 'canvas.fit_selection',
    keys: ['f', { shiftKey: true }],
    prepare: async (opened) => {
      await lookAway(opened)
      chosen('log')(opened)
    },
    done: async (opened) => {
      await zoomed(1.2)(opened)
      const seen = opened.controller.view.visible()
      expect(seen.x + seen.width / 2).toBeCloseTo(148 + 100, 0)
    },
  },
  {
    name: 'zoom to 100%',
    command: 'canvas.zoom_100',
    keys: ['1'],
    prepare: lookAway,
    done: zoomed(1),
  },
  { name: 'zoom in', command: 'canvas.zoom_in', button: 'Zoom in', prepare: lookAway, done: zoomed(0.84) },
  {
    name: 'zoom out',
    command: 'canvas.zoom_out',
    button: 'Zoom out',
    prepare: lookAway,
    done: zoomed(0.7 / 1.2),
  },
  {
    name: 'the map',
    command: 'canvas.minimap',
    button: 'Map',
    done: ({ controller }) => {
      expect(controller.canvas.getState().minimap).toBe(false)
      expect(localStorage.getItem('flag:minimap')).toBe('0')
    },
  },
  {
    name: 'find',
    command: 'canvas.find',
    keys: ['f', { ctrlKey: true }],
    done: async () =>
      expect(await screen.findByRole('textbox', { name: 'Find in this workflow' })).toBeTruthy(),
  },
  {
    name: 'clear the selection',
    command: 'canvas.escape',
    keys: ['Escape'],
    prepare: (opened) => {
      chosen('log')(opened)
      act(() => opened.controller.canvas.setState({ finding: true }))
    },
    done: ({ store, controller }) => {
      expect(store.getState().selection.nodes).toEqual([])
      expect(controller.canvas.getState().finding).toBe(false)
    },
  },
  {
    name: 'undo',
    command: 'canvas.undo',
    prepare: (opened) => {
      chosen('log')(opened)
      press('Delete')
    },
    done: ({ store }) => expect(store.getState().graph).toEqual(sample()),
  },
  {
    name: 'redo',
    command: 'canvas.redo',
    prepare: (opened) => {
      chosen('log')(opened)
      press('Delete')
      press('z', { ctrlKey: true })
    },
    done: ({ store }) => expect(nodeOf(store, 'log')).toBeUndefined(),
  },
]

async function opened(action: Action): Promise<Opened> {
  userEvent.setup() // the clipboard
  const canvas = openCanvas()
  await action.prepare?.(canvas)
  return canvas
}

describe('by the command palette', () => {
  it.each(ACTIONS.filter((action) => action.command))('$name', async (action) => {
    const canvas = await opened(action)
    await command(action.command ?? '')
    await action.done(canvas)
  })
})

describe('by a key', () => {
  it.each(ACTIONS.filter((action) => action.keys))('$name', async (action) => {
    const canvas = await opened(action)
    await act(async () => press(...(action.keys ?? [''])))
    await action.done(canvas)
  })
})

describe('by the menu', () => {
  it.each(ACTIONS.filter((action) => action.menu))('$name', async (action) => {
    const canvas = await opened(action)
    await choose(action.menu ?? '')
    await action.done(canvas)
  })

  it('it is about what the right button was pressed on', async () => {
    const { store } = openCanvas()
    await menu(card('log'))
    expect(store.getState().selection.nodes).toEqual(['log'])
  })

  it('on the empty canvas it is about nothing that was selected', async () => {
    const { store } = openCanvas()
    select(store, { nodes: ['log'] })
    const pane = document.querySelector('.react-flow__pane')
    if (pane) await menu(pane)
    expect(store.getState().selection.nodes).toEqual([])
  })
})

describe('by the toolbar', () => {
  it.each(ACTIONS.filter((action) => action.button))('$name', async (action) => {
    const canvas = await opened(action)
    const bar = within(screen.getByRole('toolbar', { name: 'View' }))
    await act(async () => bar.getByRole('button', { name: action.button ?? '' }).click())
    await action.done(canvas)
  })

  it('the zoom itself goes back to 100%', async () => {
    const canvas = openCanvas()
    await lookAway(canvas)
    const zoom = screen.getByRole('button', { name: 'Zoom is 70%, set to 100%' })
    expect(zoom.textContent).toBe('70%')
    await act(async () => zoom.click())
    await zoomed(1)(canvas)
  })
})
