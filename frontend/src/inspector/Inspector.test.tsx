import { act, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { node, sample } from '@/graph/graph.testing'
import type { Problem } from '@/graph/types'
import { runOf } from '@/live/run-view.testing'
import { open, TOOL, withNode } from './inspector.testing'

describe('a tool node', () => {
  it('has the form of its tool, and typing is one step back', async () => {
    const { at, store, user } = open()
    const max = await screen.findByLabelText('max')
    expect(screen.getByText('Policy auto · LOW risk: runs without asking')).toBeTruthy()
    await user.type(max, '25')
    expect(at('log').config.arguments).toEqual({ path: '{{ start.path }}', max: 25 })
    act(() => store.getState().undo())
    expect(at('log').config.arguments).toEqual({ path: '{{ start.path }}' })
    expect(store.getState().past).toHaveLength(0)
  })
  it('takes over what fits when the tool changes, with constants of the new one', async () => {
    const { at, user } = open()
    await screen.findByLabelText('max')
    await user.selectOptions(screen.getByLabelText('Tool'), 'git_push')
    await waitFor(() =>
      expect(at('log').config).toMatchObject({
        tool: 'git_push',
        arguments: { path: '{{ start.path }}', kind: 'log' },
      }),
    )
    expect(screen.getByText('Policy ask · HIGH risk: asks a person first')).toBeTruthy()
  })
  it('keeps what is typed while a chosen tool is read', async () => {
    const waiting: (() => void)[] = []
    const push = { ...TOOL, name: 'git_push' }
    const { at, store, user } = open({
      serve: (server) =>
        server.on(
          'GET /api/mcp/servers/git/tools/git_push',
          () => new Promise((resolve) => waiting.push(() => resolve({ body: push }))),
        ),
    })
    const choice = await screen.findByLabelText('Tool')
    await screen.findByRole('option', { name: 'git_push' })
    await user.selectOptions(choice, 'git_push')
    await waitFor(() => expect(waiting).toHaveLength(1))
    const log = at('log')
    const edited = { ...log, config: { ...log.config, arguments: { path: '/srv' } } }
    act(() => {
      store.getState().commit('config', (graph) => ({
        ...graph,
        nodes: graph.nodes.map((node) => (node.id === 'log' ? edited : node)),
      }))
    })
    for (const answer of waiting.splice(0)) await act(async () => answer())
    await waitFor(() => expect(at('log').config.tool).toBe('git_push'))
    expect(at('log').config.arguments).toEqual({ path: '/srv', kind: 'log' })
  })
  it('says a problem at its field, whatever place the server gives it', async () => {
    const problems: Problem[] = [
      {
        code: 'argument',
        severity: 'error',
        node: 'log',
        path: '/nodes/1/config/arguments/max',
        message: 'Too many.',
      },
      { code: 'other', severity: 'error', node: 'log', path: '/nodes/1', message: 'Something else.' },
      { code: 'foreign', severity: 'error', node: 'say', path: '/nodes/3', message: 'Not mine.' },
    ]
    open({ problems })
    const max = await screen.findByLabelText('max')
    expect(max.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Too many.')).toBeTruthy()
    expect(within(screen.getByRole('list', { name: 'Problems' })).getByText('Something else.')).toBeTruthy()
    expect(screen.queryByText('Not mine.')).toBeNull()
  })
  it('takes plain JSON while nobody knows the tools of its server', async () => {
    const graph = sample()
    const nodes = graph.nodes.map((node) =>
      node.id === 'log' ? { ...node, config: { ...node.config, server: 'gone' } } : node,
    )
    open({ graph: { ...graph, nodes } })
    expect(await screen.findByText('The tools of this server could not be read.')).toBeTruthy()
    expect(await screen.findByLabelText('path')).toBeTruthy()
  })
  it('changes nothing for a viewer', async () => {
    open({ readOnly: true })
    const max = await screen.findByLabelText('max')
    expect(max).toHaveProperty('disabled', true)
    expect(screen.getByLabelText('Server')).toHaveProperty('disabled', true)
  })
})

describe('the head', () => {
  it('renames the id and every expression that uses it', async () => {
    const { at, store, user } = open()
    await user.click(screen.getByRole('button', { name: /Rename the id/ }))
    const box = screen.getByLabelText('Id')
    await user.clear(box)
    await user.type(box, 'say')
    expect(screen.getByText('Another node has this id.')).toBeTruthy()
    await user.clear(box)
    await user.type(box, 'commits{Enter}')
    expect(at('new').config.conditions).toEqual([{ left: '{{ commits.result }}', op: 'empty' }])
    expect(store.getState().selection.nodes).toEqual(['commits'])
  })
  it('edits the title where it stands', async () => {
    const { at, user } = open()
    await user.click(screen.getByRole('button', { name: 'git_log' }))
    await user.type(screen.getByLabelText('Title'), 'Recent commits{Enter}')
    expect(at('log').title).toBe('Recent commits')
    expect(screen.getByRole('heading', { name: 'Recent commits' })).toBeTruthy()
  })
})

describe('the editors', () => {
  it('build conditions', async () => {
    const { at, user } = open({ select: { nodes: ['new'] } })
    await user.selectOptions(screen.getByLabelText('Comparison'), 'is at least')
    expect(at('new').config.conditions).toEqual([{ left: '{{ log.result }}', op: 'ge', right: '' }])
    await user.click(screen.getByRole('button', { name: 'Add condition' }))
    await user.selectOptions(screen.getByLabelText(/The condition is true/), 'any of these is true')
    expect(at('new').config).toMatchObject({ match: 'any' })
    await user.click(screen.getByRole('button', { name: 'Remove condition 1' }))
    expect(at('new').config.conditions).toEqual([{ left: '', op: 'eq', right: '' }])
  })
  it('offer the first condition of a new "if"', async () => {
    const { at, store, user } = open({
      graph: withNode(node('fork', 'if')),
      select: { nodes: ['fork'] },
    })
    expect(screen.queryByRole('button', { name: 'Remove condition 1' })).toBeNull()
    expect(at('fork').config).toEqual({})
    await user.selectOptions(screen.getByLabelText('Comparison'), 'is at least')
    expect(at('fork').config.conditions).toEqual([{ left: '', op: 'ge', right: '' }])
    expect(screen.getByRole('button', { name: 'Remove condition 1' })).toBeTruthy()
    store.getState().undo()
    expect(at('fork').config).toEqual({})
  })
  it('name outputs in place, and never two alike', async () => {
    const { at, user } = open({ select: { nodes: ['end'] } })
    await user.click(screen.getByRole('button', { name: 'Add output' }))
    const second = screen.getByLabelText('Name 2')
    await user.clear(second)
    expect(screen.getByText('A name is missing.')).toBeTruthy()
    await user.type(second, 'all')
    expect(screen.getByText('This name is used twice.')).toBeTruthy()
    await user.type(second, '_of_it')
    expect(at('end').config.outputs).toEqual({ all: '{{ each.items }}', all_of_it: '' })
  })
  it('begin where a row was just added', async () => {
    const { at, user } = open({ select: { nodes: ['end'] } })
    await user.click(screen.getByRole('button', { name: 'Add output' }))
    expect(screen.getByLabelText('Name 2')).toBe(document.activeElement)
    await user.keyboard('count')
    expect(at('end').config.outputs).toEqual({ all: '{{ each.items }}', count: '' })
  })
  it('begin at a value that was just added', async () => {
    const { user } = open({ graph: withNode(node('join', 'merge')), select: { nodes: ['join'] } })
    for (const name of ['Value 1', 'Value 2']) {
      await user.click(screen.getByRole('button', { name: 'Add value' }))
      await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(name)))
    }
  })
  it('build the inputs of a run', async () => {
    const { at, user } = open({ select: { nodes: ['start'] } })
    await user.click(screen.getByRole('button', { name: 'Add input' }))
    const name = screen.getByLabelText('Name of input 1')
    await user.clear(name)
    await user.type(name, 'question')
    await user.selectOptions(screen.getByLabelText('Type of question'), 'Whole number')
    await user.click(screen.getByRole('button', { name: 'Details of question' }))
    await user.click(screen.getByRole('switch', { name: 'question is required' }))
    await user.type(screen.getByLabelText('Default'), '7')
    expect(at('start').config.inputs).toEqual({
      type: 'object',
      properties: { question: { type: 'integer', default: 7 } },
      required: ['question'],
    })
  })
  it('add a case with its port', async () => {
    const { at, user } = open({
      graph: withNode(node('pick', 'switch', { config: { cases: [] } })),
      select: { nodes: ['pick'] },
    })
    await user.click(screen.getByRole('button', { name: 'Add case' }))
    expect(at('pick').config.cases).toEqual([
      { id: 'case_1', match: 'all', conditions: [{ left: '', op: 'eq', right: '' }] },
    ])
  })
  it('wait for seconds or until a time, never both', async () => {
    const { at, user } = open({
      graph: withNode(node('rest', 'wait', { config: { seconds: 5 } })),
      select: { nodes: ['rest'] },
    })
    await user.click(screen.getByRole('radio', { name: 'until a time' }))
    expect(at('rest').config).toEqual({ until: '' })
    await user.click(screen.getByRole('radio', { name: 'for a number of seconds' }))
    expect(at('rest').config).toEqual({ seconds: 60 })
  })
  it('keep the configuration of a type nobody knows', async () => {
    const graph = withNode(node('odd', 'martian', { config: { a: 1 } }))
    open({ graph, select: { nodes: ['odd'] } })
    expect(screen.getByText(/Unknown node type martian/)).toBeTruthy()
    expect(screen.getByLabelText('a')).toBeTruthy()
  })
  it('say what happens when the step fails', async () => {
    const { at, user } = open()
    await user.selectOptions(screen.getByLabelText('When it fails'), 'take the error port')
    await user.selectOptions(screen.getByLabelText('Retry'), '3 times, from 1 s')
    await user.type(screen.getByLabelText('Timeout'), '2.5')
    await user.click(screen.getByRole('switch', { name: 'Disabled' }))
    expect(at('log')).toMatchObject({ on_error: 'port', retry: { max: 3 }, timeout_s: 2.5, disabled: true })
    await user.selectOptions(screen.getByLabelText('When it fails'), 'stop the run')
    await user.selectOptions(screen.getByLabelText('Retry'), 'default')
    expect(at('log')).not.toHaveProperty('on_error')
    expect(at('log')).not.toHaveProperty('retry')
  })
})

/** A run in which the log gave something. */
const ran = () =>
  runOf([
    [0, null, 'FLOW_QUEUED'],
    [1, null, 'FLOW_START', { inputs: {}, version: 7 }],
    [2, 'log', 'STEP_INIT', { attempt: 1 }],
    [3, 'log', 'STEP_INPUT', { input: { server: 'git', tool: 'git_log', arguments: { path: '/srv' } } }],
    [9, 'log', 'STEP_OUTPUT', { output: { result: 'abc', structured: { commits: [{ id: 'x1' }] } } }],
  ])

describe('values of the last run', () => {
  it('stand in the input tree and go into the field by Enter', async () => {
    const { at, user } = open({ select: { nodes: ['say'] }, view: ran() })
    const tree = screen.getByRole('tree')
    const row = await within(tree).findByRole('treeitem', { name: /^result ?"abc"$/ })
    await user.click(screen.getByRole('textbox', { name: 'Answer' }))
    act(() => row.focus())
    await user.keyboard('{Enter}')
    await waitFor(() => expect(String(at('say').config.text)).toContain('{{ log.result }}'))
    expect(screen.getByText('Put into Answer')).toBeTruthy()
  })
  it('are walked with the arrow keys', async () => {
    const { user } = open({ select: { nodes: ['say'] }, view: ran() })
    const row = await screen.findByRole('treeitem', { name: /^structured ?1 field$/ })
    act(() => row.focus())
    await user.keyboard('{ArrowRight}{ArrowRight}')
    expect(document.activeElement?.textContent).toBe('commits1 item')
    await user.keyboard('{ArrowLeft}')
    expect(document.activeElement?.textContent).toBe('structured1 field')
  })
  it('are shown as text or table, and pinned for draft runs', async () => {
    const { at, user } = open({ view: ran() })
    await user.click(screen.getByRole('tab', { name: 'Output' }))
    expect(screen.getByText('abc')).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    expect(screen.getByRole('cell', { name: 'x1' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Use as a test value' }))
    expect(at('log').pinned).toEqual({ result: 'abc', structured: { commits: [{ id: 'x1' }] } })
    await user.click(screen.getByRole('button', { name: 'Unpin' }))
    expect(at('log')).not.toHaveProperty('pinned')
    await user.click(screen.getByRole('tab', { name: 'Config' }))
  })
  it('stand beside the form in the wide mode', async () => {
    open({ view: ran(), wide: true, onWide: () => {} })
    expect(screen.getByRole('tree')).toBeTruthy()
    expect(screen.getByText('abc')).toBeTruthy()
    expect(await screen.findByLabelText('max')).toBeTruthy()
    expect(screen.getByText('git_log · pinned 2026-10-02')).toBeTruthy()
  })
})

describe('other things', () => {
  it('an edge leads to its ends and can be deleted', async () => {
    const { store, user } = open({ select: { edges: ['e1'] } })
    await user.click(screen.getByRole('button', { name: 'Delete the connection' }))
    expect(store.getState().graph.edges.some((edge) => edge.id === 'e1')).toBe(false)
  })
  it('a note has a text and a colour', async () => {
    const { store, user } = open({ select: { annotations: ['note1'] } })
    await user.type(screen.getByLabelText('Text'), '!')
    await user.selectOptions(screen.getByLabelText('Colour'), 'Blue')
    expect(store.getState().graph.annotations?.[0]).toMatchObject({ text: 'Why!', color: 'blue' })
  })
  it('without a selection the workflow is shown', async () => {
    const { store, user } = open({ select: {} })
    await user.click(screen.getByRole('button', { name: 'Add variable' }))
    expect(store.getState().graph.variables).toEqual({ value: { scope: 'run' } })
    await user.selectOptions(screen.getByLabelText('Scope'), 'the conversation')
    expect(store.getState().graph.variables).toEqual({ value: { scope: 'conversation' } })
    await user.selectOptions(screen.getByLabelText('Language of answers'), '中文')
    expect(store.getState().graph.language).toBe('zh')
  })

  it('the workflow says how many of its runs go on at once', async () => {
    const { store, user } = open({ select: {} })
    await user.type(screen.getByLabelText('Key'), 'all')
    await user.type(screen.getByLabelText('Limit'), '2')
    await user.selectOptions(screen.getByLabelText('When the limit is reached'), 'refuse the start')
    expect(store.getState().graph.concurrency).toEqual({ key: 'all', limit: 2, when_busy: 'refuse' })
    await user.clear(screen.getByLabelText('Key'))
    await user.clear(screen.getByLabelText('Limit'))
    expect(store.getState().graph.concurrency).toBeUndefined()
  })
})
