/** What stands around a node's configuration, and what the inspector shows of the workflow itself. */
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sample } from '@/graph/graph.testing'
import type { Problem } from '@/graph/types'
import { fill, open } from '@/inspector/inspector.testing'

describe('the head of a node', () => {
  it('offers to run to it, to be wide, and to close', async () => {
    const onRun = vi.fn()
    const onWide = vi.fn()
    const onClose = vi.fn()
    const { user } = open({ onRun, onWide, onClose })
    await user.click(screen.getByRole('button', { name: /^Run to here/ }))
    expect(onRun).toHaveBeenCalledWith('log')
    await user.click(screen.getByRole('button', { name: 'Input, form and output side by side' }))
    expect(onWide).toHaveBeenCalledWith(true)
    await user.click(screen.getByRole('button', { name: /^Close the inspector/ }))
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('is a heading again when its title is left', async () => {
    const { user } = open()
    await user.click(screen.getByRole('button', { name: 'git_log' }))
    await user.type(screen.getByLabelText('Title'), 'Commits')
    await user.tab()
    expect(screen.queryByLabelText('Title')).toBeNull()
    expect(screen.getByRole('heading', { name: 'Commits' })).toBeTruthy()
  })
})

/** A key that chooses among the words an input method offers, as Chinese is written. */
const composing = (key: string) =>
  fireEvent.keyDown(document.activeElement as Element, { key, isComposing: true })

describe('words that are still being composed', () => {
  it('stay in the title when Enter takes them', async () => {
    const { user } = open()
    await user.click(screen.getByRole('button', { name: 'git_log' }))
    await user.type(screen.getByLabelText('Title'), 'ti jiao')
    composing('Enter')
    expect(screen.getByLabelText('Title')).toHaveProperty('value', 'ti jiao')
  })

  it('are dropped by Escape, and the field is not left', async () => {
    const onEscape = vi.fn()
    const { user } = open({ onEscape })
    await user.click(screen.getByLabelText('Timeout'))
    composing('Escape')
    expect(onEscape).not.toHaveBeenCalled()
  })
})

describe('the notes of a node', () => {
  afterEach(() => screen.getByRole('tab', { name: /^Config/ }).click())

  it('are kept, and taken out when they are emptied', async () => {
    const { at, user } = open()
    await user.click(screen.getByRole('tab', { name: 'Notes' }))
    await user.type(screen.getByRole('textbox', { name: 'Notes' }), 'Mind the time zone')
    expect(at('log').notes).toBe('Mind the time zone')
    await user.clear(screen.getByRole('textbox', { name: 'Notes' }))
    expect(at('log')).not.toHaveProperty('notes')
  })
})

describe('Escape', () => {
  it('in a field goes back to the canvas', async () => {
    const onEscape = vi.fn()
    const { user } = open({ onEscape })
    await user.click(screen.getByLabelText('Timeout'))
    await user.keyboard('{Escape}')
    expect(onEscape).toHaveBeenCalledOnce()
  })
})

describe('what is wrong with a field', () => {
  const TOO_MANY: Problem = {
    code: 'argument',
    severity: 'error',
    node: 'log',
    path: '/nodes/1/config/arguments/max',
    message: 'Too many.',
  }
  /** A field of the tool's form in which someone writes, while the server finds something. */
  async function openWriting() {
    const opened = open()
    await opened.user.type(await screen.findByLabelText('max'), '9')
    act(() => opened.store.getState().setProblems([TOO_MANY]))
    return opened
  }

  it('is said when the field is left', async () => {
    const { user } = await openWriting()
    expect(screen.queryByText('Too many.')).toBeNull()
    await user.tab()
    expect(screen.getByText('Too many.')).toBeTruthy()
  })
})

describe('a problem that one click mends', () => {
  function openMistaken() {
    const graph = sample()
    const nodes = graph.nodes.map((entry) =>
      entry.id === 'say' ? { ...entry, config: { text: '{{ log.reslt }}' } } : entry,
    )
    const opened = open({ graph: { ...graph, nodes }, select: { nodes: ['say'] } })
    const problem: Problem = {
      code: 'output_unknown',
      severity: 'error',
      node: 'say',
      path: '/nodes/3/config/text',
      message: 'log has no output reslt.',
      params: { name: 'log', key: 'reslt', known: ['result', 'structured'] },
    }
    act(() => opened.store.getState().setProblems([problem]))
    return { ...opened, button: () => screen.getByRole('button', { name: 'Use result' }) }
  }

  it('is one step back', async () => {
    const { at, button, store, user } = openMistaken()
    await user.click(button())
    expect(at('say').config.text).toBe('{{ log.result }}')
    act(() => store.getState().undo())
    expect(at('say').config.text).toBe('{{ log.reslt }}')
  })

  it('leaves the caret in the field where someone writes', async () => {
    const { button, user } = openMistaken()
    const field = screen.getByLabelText('Timeout')
    await user.click(field)
    await user.pointer({ keys: '[MouseLeft>]', target: button() })
    expect(document.activeElement).toBe(field)
  })
})

describe('the workflow', () => {
  const openWorkflow = () => {
    const opened = open({ select: {} })
    return { ...opened, graph: () => opened.store.getState().graph }
  }

  it('asks for what is added to its inputs', async () => {
    const { at, user } = openWorkflow()
    await user.click(screen.getByRole('button', { name: 'Add input' }))
    expect(at('start').config.inputs).toEqual({ type: 'object', properties: { input: { type: 'string' } } })
  })

  it('begins its variables with a value', async () => {
    const { graph, user } = openWorkflow()
    await user.click(screen.getByRole('button', { name: 'Add variable' }))
    await fill(user, 'Value of value', '3')
    expect(graph().variables).toEqual({ value: { scope: 'run', default: 3 } })
  })

  it('has an environment', async () => {
    const { graph, user } = openWorkflow()
    await user.click(screen.getByRole('button', { name: 'Add entry' }))
    await fill(user, 'Value of NAME', 'prod')
    expect(graph().env).toEqual({ NAME: 'prod' })
    await user.click(screen.getByRole('button', { name: 'Remove NAME' }))
    expect(graph()).not.toHaveProperty('env')
  })

  it('has a budget, and says what happens when that is used up', async () => {
    const { graph, user } = openWorkflow()
    await user.type(screen.getByLabelText('Tokens'), '5000')
    await user.selectOptions(screen.getByLabelText('When a budget is used up'), 'pause and ask a person')
    expect(graph().budgets).toEqual({ tokens: 5000, on_limit: 'ask' })
    await user.clear(screen.getByLabelText('Tokens'))
    expect(graph()).not.toHaveProperty('budgets')
  })

  it('says who must approve its calls', async () => {
    const { graph, user } = openWorkflow()
    await user.selectOptions(screen.getByLabelText('Approvers'), 'two_people')
    expect(graph().approvers).toBe('two_people')
    await user.selectOptions(screen.getByLabelText('Approvers'), 'anyone')
    expect(graph()).not.toHaveProperty('approvers')
  })
})
