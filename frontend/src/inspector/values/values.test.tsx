/** What came in and what came out: looked through, put into fields, and pinned. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { open, replace } from '@/inspector/inspector.testing'
import type { Line } from '@/live/fold.testing'
import { runOf } from '@/live/run-view.testing'

const STARTED: readonly Line[] = [
  [0, null, 'FLOW_QUEUED'],
  [1, null, 'FLOW_START', { inputs: {}, version: 7 }],
]
/** A run in which the log gave this. */
const gave = (output: unknown) =>
  runOf([
    ...STARTED,
    [2, 'log', 'STEP_INIT', { attempt: 1 }],
    [3, 'log', 'STEP_INPUT', { input: { path: '/srv' } }],
    [9, 'log', 'STEP_OUTPUT', { output }],
  ])

describe('the values before a node', () => {
  const openSay = () =>
    open({ select: { nodes: ['say'] }, view: gave({ result: 'abc', structured: { commits: [] } }) })
  const row = (name: RegExp) => screen.findByRole('treeitem', { name })

  it('are searched', async () => {
    const { user } = openSay()
    await row(/^structured/)
    await user.click(screen.getByRole('button', { name: 'Search values' }))
    await user.type(screen.getByRole('textbox', { name: 'Search values' }), 'abc')
    expect(screen.queryByRole('treeitem', { name: /^structured/ })).toBeNull()
    expect(screen.getByRole('treeitem', { name: /^result/ })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Search values' }))
    expect(screen.getByRole('treeitem', { name: /^structured/ })).toBeTruthy()
  })

  it('open and close by a click', async () => {
    const { user } = openSay()
    await user.click(await row(/^structured/))
    expect(screen.getByRole('treeitem', { name: /^commits/ })).toBeTruthy()
    await user.click(await row(/^structured/))
    expect(screen.queryByRole('treeitem', { name: /^commits/ })).toBeNull()
  })

  it('go into the field by a double click', async () => {
    const { at, user } = openSay()
    await user.click(screen.getByRole('textbox', { name: 'Answer' }))
    await user.dblClick(await row(/^result/))
    await waitFor(() => expect(String(at('say').config.text)).toContain('{{ log.result }}'))
  })

  it('are one stop of the Tab key: the row that was used last', async () => {
    openSay()
    const result = await row(/^result/)
    expect(result.tabIndex).toBe(-1)
    act(() => result.focus())
    const stops = within(screen.getByRole('tree')).getAllByRole('treeitem')
    expect(stops.filter((stop) => stop.tabIndex === 0)).toEqual([result])
  })

  it('are dragged into a field', async () => {
    const { at } = openSay()
    const data = new Map<string, string>()
    const dataTransfer = {
      get types() {
        return [...data.keys()]
      },
      setData: (type: string, text: string) => void data.set(type, text),
      getData: (type: string) => data.get(type) ?? '',
    }
    fireEvent.dragStart(await row(/^result/), { dataTransfer })
    fireEvent.drop(screen.getByRole('textbox', { name: 'Answer' }), { dataTransfer })
    expect(String(at('say').config.text)).toMatch(/\{\{ log\.result \}\}$/)
  })
})

describe('the output of a node', () => {
  afterEach(() => screen.getByRole('tab', { name: /^Config/ }).click())
  const openOutput = async (view: ReturnType<typeof runOf>, id = 'log') => {
    const opened = open({ select: { nodes: [id] }, view })
    await opened.user.click(screen.getByRole('tab', { name: 'Output' }))
    return opened
  }

  it('is a table whose last rows come on demand', async () => {
    const rows = Array.from({ length: 201 }, (_, n) => ({ n }))
    const { user } = await openOutput(gave({ rows }))
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    expect(screen.queryByRole('cell', { name: '200' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show 1 more' }))
    expect(screen.getByRole('cell', { name: '200' })).toBeTruthy()
  })

  it('is that of the last round, and of those before', async () => {
    const round = (n: number): readonly Line[] => [
      [2 * n + 2, 'read', 'STEP_INIT', { attempt: 1 }, n],
      [2 * n + 3, 'read', 'STEP_OUTPUT', { output: { result: `page ${n}` } }, n],
    ]
    const { user } = await openOutput(runOf([...STARTED, ...round(0), ...round(1)]), 'read')
    expect(screen.getByText('page 1')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Previous round' }))
    expect(screen.getByText('page 0')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Next round' }))
    expect(screen.getByText('page 1')).toBeTruthy()
  })

  it('leads to a node of its own where a module is missing', async () => {
    const requests: unknown[] = []
    const missing = { code: 'CODE_ERROR', message: 'Line 1: there is no module requests here.', hint: '' }
    const failed = (params: Record<string, unknown>) =>
      runOf([
        ...STARTED,
        [2, 'log', 'STEP_INIT', { attempt: 1 }],
        [3, 'log', 'STEP_ERROR', { ...missing, params }],
      ])
    const view = failed({ reason: 'module', line: 1, module: 'requests' })
    const opened = open({ view, onAddBefore: (...args) => requests.push(args) })
    await opened.user.click(screen.getByRole('tab', { name: 'Output' }))
    await opened.user.click(screen.getByRole('button', { name: 'Add HTTP node' }))
    await opened.user.click(screen.getByRole('button', { name: 'Use a tool' }))
    expect(requests).toEqual([
      ['http', 'log'],
      ['tool', 'log'],
    ])
  })

  it('is pinned for draft runs, and changed there', async () => {
    const { at, user } = await openOutput(gave({ result: 'abc' }))
    await user.click(screen.getByRole('button', { name: /^Pin this output/ }))
    expect(at('log').pinned).toEqual({ result: 'abc' })
    await user.click(screen.getByText('Edit the pinned output'))
    await user.click(screen.getByRole('textbox', { name: 'result' }))
    await replace(user, '"xyz"')
    expect(at('log').pinned).toEqual({ result: 'xyz' })
  })
})
