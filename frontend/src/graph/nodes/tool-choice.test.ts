/** What a node gives its model: one thing changes, everything else stays as the document had it. */
import { describe, expect, it } from 'vitest'
import { namesOf, serversOf, withFixed, withInclude, withNames, withServers, withTool } from './tool-choice'

const TOOLS = {
  servers: [
    { server: 'git', include: ['git_log'], fixed: { git_log: { repo: '/srv' } }, note: 'kept' },
    { server: { transport: 'http', url: 'https://example.org' } },
  ],
  workflows: ['digest'],
  other: 1,
}

describe('tool choice', () => {
  it('reads whatever stands there', () => {
    expect(serversOf(undefined)).toEqual([])
    expect(serversOf({ servers: 'x' })).toEqual([])
    expect(serversOf(TOOLS).map((serverChoice) => [serverChoice.server, serverChoice.include])).toEqual([
      ['git', ['git_log']],
      [{ transport: 'http', url: 'https://example.org' }, undefined],
    ])
    expect(namesOf(TOOLS, 'workflows')).toEqual(['digest'])
    expect(namesOf(TOOLS, 'local')).toEqual([])
  })

  it('chooses tools and drops what was fixed of those that go', () => {
    const [git] = serversOf(TOOLS)
    if (!git) throw new Error('no server')
    expect(withInclude(git, ['git_diff'])).toEqual({ server: 'git', include: ['git_diff'], note: 'kept' })
    expect(withInclude(git, undefined)).toEqual({
      server: 'git',
      fixed: { git_log: { repo: '/srv' } },
      note: 'kept',
    })
  })

  it('fixes parameters and frees them', () => {
    const [git] = serversOf(TOOLS)
    if (!git) throw new Error('no server')
    const more = withFixed(git, 'git_log', 'max', 5)
    expect(more.fixed).toEqual({ git_log: { repo: '/srv', max: 5 } })
    expect(withFixed(git, 'git_log', 'repo', undefined)).toEqual({
      server: 'git',
      include: ['git_log'],
      note: 'kept',
    })
  })

  it('keeps the rest when a list changes', () => {
    expect(withServers(TOOLS, [])).toEqual({ servers: [], workflows: ['digest'], other: 1 })
    expect(withNames(TOOLS, 'workflows', [])).not.toHaveProperty('workflows')
    expect(withNames(TOOLS, 'local', ['current_time'])).toMatchObject({ local: ['current_time'], other: 1 })
  })

  it('adds a dropped tool once, and not where all are chosen already', () => {
    expect(withTool(undefined, 'git', 'git_log')).toEqual({
      servers: [{ server: 'git', include: ['git_log'] }],
    })
    const more = withTool(TOOLS, 'git', 'git_diff')
    expect(serversOf(more)[0]?.include).toEqual(['git_log', 'git_diff'])
    expect(withTool(more, 'git', 'git_diff')).toEqual(more)
    const all = { servers: [{ server: 'git' }] }
    expect(withTool(all, 'git', 'git_log')).toEqual(all)
  })
})
