/** What a card says about its node, and which parts of an input are shown to people. */
import { describe, expect, it } from 'vitest'
import { node, noTypes } from '@/graph/graph.testing'
import type { NodeType } from '@/graph/types'
import { distinctTitles, serverName, shownSubtitle, subtitleOf, titleOf, toolServers } from './describe'
import { shownInput } from './plumbing'

const types = new Map(
  [
    ['llm', 'LLM'],
    ['if', 'If'],
    ['set_variable', 'Set variable'],
  ].map(([type = '', title]) => [type, { type, title } as NodeType]),
)

describe('a title', () => {
  it('is its own, else that of its tool, else that of its type, else the type', () => {
    const config = { tool: 'git_log' }
    expect(titleOf(node('a', 'llm', { title: 'Sum up', config }), types)).toBe('Sum up')
    expect(titleOf(node('a', 'llm', { title: '', config }), types)).toBe('git_log')
    expect(titleOf(node('a', 'llm'), types)).toBe('LLM')
    expect(titleOf(node('a', 'llm'), noTypes)).toBe('llm')
  })

  it('shows what it hides', () => {
    expect(titleOf(node('a', 'llm', { title: 'pay\u202eroll' }), types)).toBe('pay⟨U+202E⟩roll')
  })

  it('has its id beside it where several nodes are called alike', () => {
    const nodes = [node('a', 'llm'), node('b', 'llm'), node('c', 'if')]
    expect([...distinctTitles(nodes, types)]).toEqual([
      ['a', 'LLM · a'],
      ['b', 'LLM · b'],
      ['c', 'If'],
    ])
  })
})

describe('a server', () => {
  it('is named as the document names it', () => {
    expect(serverName('git')).toBe('git')
    expect(serverName({ name: 'Mail', url: 'https://mail.example' })).toBe('Mail')
    expect(serverName({ url: 'https://mail.example', command: 'mail' })).toBe('https://mail.example')
    expect(serverName({ name: '', command: 'mail' })).toBe('mail')
    for (const nothing of [undefined, null, 3, {}]) expect(serverName(nothing)).toBe('')
  })
})

describe('the second line', () => {
  it.each([
    ['tool', { server: 'git', tool: 'git_log' }, 'git', 'git_log'],
    ['tool', { server: 'git', tool: 'lo\u200bg' }, 'git', 'lo⟨U+200B⟩g'],
    ['resource', { server: 'git', uri: 'file:///a' }, 'git', 'file:///a'],
    ['prompt', { server: 'git', prompt: 'review' }, 'git', 'review'],
    ['llm', { model: 'qwen3' }, '', 'qwen3'],
    ['llm', { model: '' }, '', 'llm'],
    ['workflow', { workflow: 'pay' }, '', 'pay'],
    ['workflow', {}, '', 'workflow'],
    ['iteration', { concurrency: 4 }, 'iteration', '×4'],
    ['iteration', { concurrency: 1 }, '', 'iteration'],
    ['if', {}, '', 'if'],
  ])('of %s %j', (type, config, lead, tail) => {
    expect(subtitleOf(node('a', type, { config }))).toEqual({ lead, tail })
  })

  it('says nothing that the title says', () => {
    const tool = node('a', 'tool', { config: { server: 'git', tool: 'git_log' } })
    expect(shownSubtitle(tool, types)).toEqual({ lead: '', tail: 'git' })
    expect(shownSubtitle({ ...tool, title: 'Git log' }, types)).toEqual({ lead: '', tail: 'git' })
    expect(shownSubtitle({ ...tool, title: 'Git' }, types)).toEqual({ lead: '', tail: 'git_log' })
    expect(shownSubtitle({ ...tool, title: 'Commits' }, types)).toEqual({ lead: 'git', tail: 'git_log' })
  })

  it('names the type only where the title is not its', () => {
    expect(shownSubtitle(node('a', 'set_variable'), types)).toEqual({ lead: '', tail: '' })
    expect(shownSubtitle(node('a', 'set_variable', { title: 'Count' }), types).tail).toBe('set variable')
  })
})

describe('the servers of a model', () => {
  it('have the number of tools that were chosen, or all', () => {
    const servers = [{ server: 'git', include: ['a', 'b'] }, { server: { command: 'mail' } }, null]
    expect(toolServers(node('a', 'agent', { config: { tools: { servers } } }))).toEqual([
      { server: 'git', count: 2 },
      { server: 'mail', count: null },
      { server: '', count: null },
    ])
  })

  it('are none where none are given', () => {
    for (const tools of [undefined, null, 'all', {}, { servers: {} }])
      expect(toolServers(node('a', 'agent', { config: { tools } }))).toEqual([])
  })
})

describe('an input', () => {
  const input = { title: 'Which?', expires_s: 60, on_expire: 'fail' }

  it('is shown without how long it waits for a person', () => {
    for (const type of ['approval', 'form', 'agent', 'llm', 'planner', 'tool'])
      expect(shownInput(type, input)).toEqual({ title: 'Which?' })
  })

  it('is shown whole where those names are the values of people', () => {
    expect(shownInput('template', input)).toBe(input)
    expect(shownInput(undefined, input)).toBe(input)
  })

  it('that is no object, or stored elsewhere, is shown as it is', () => {
    for (const whole of [null, 'text', ['a'], { $ref: 'blob_1', expires_s: 1 }])
      expect(shownInput('form', whole)).toBe(whole)
  })
})
