import { describe, expect, it } from 'vitest'
import { completionsAt } from './completion'
import { childrenOf, find, type Scope, standing } from './scope'

const scope: Scope = {
  owner: 'Read page',
  groups: [
    {
      key: 'start',
      title: 'Start',
      names: [
        {
          name: 'sources',
          path: ['start', 'sources'],
          schema: { type: 'array', items: { type: 'string' } },
          value: ['u1', 'u2'],
        },
        { name: 'repo', path: ['start', 'repo'], schema: { type: 'string' } },
      ],
    },
    {
      key: 'git_log',
      title: 'Recent commits',
      names: [
        { name: 'result', path: ['git_log', 'result'], schema: { type: 'string' }, value: 'abc' },
        {
          name: 'structured',
          path: ['git_log', 'structured'],
          schema: {},
          value: { commits: [{ id: 'x', 'odd key': 1 }] },
        },
        {
          name: 'closed',
          path: ['git_log', 'closed'],
          schema: {
            type: 'object',
            properties: { known: { $ref: '#/$defs/n' } },
            additionalProperties: false,
            $defs: { n: { type: 'number' } },
          },
        },
      ],
    },
  ],
}

describe('standing', () => {
  it.each<[string, (string | number)[], 'known' | 'unknown']>([
    ['an output', ['git_log', 'result'], 'known'],
    ['a whole node', ['git_log'], 'known'],
    ['inside an untyped output', ['git_log', 'structured', 'anything', 3], 'known'],
    ['inside a text', ['git_log', 'result', 'x'], 'unknown'],
    ['no such output', ['git_log', 'nope'], 'unknown'],
    ['no such node', ['other', 'result'], 'unknown'],
    ['a key of a closed object', ['git_log', 'closed', 'known'], 'known'],
    ['no key of a closed object', ['git_log', 'closed', 'nope'], 'unknown'],
    ['an item', ['start', 'sources', '0'], 'known'],
    ['no index', ['start', 'sources', 'x'], 'unknown'],
  ])('%s', (_, path, expected) => {
    expect(standing(scope, path)).toBe(expected)
  })
  it('finds the last value on the way', () => {
    expect(find(scope, ['git_log', 'structured', 'commits', 0, 'id'])?.value).toBe('x')
    expect(find(scope, ['git_log'])?.value).toEqual({
      result: 'abc',
      structured: { commits: [{ id: 'x', 'odd key': 1 }] },
    })
  })
  it('opens what a value holds beside its schema', () => {
    const structured = find(scope, ['git_log', 'structured'])
    expect(structured && childrenOf(structured).map((child) => child.name)).toEqual(['commits'])
  })
})

describe('completion', () => {
  const labels = (before: string, after = ' }}') =>
    completionsAt(before + after, before.length, scope)?.choices.map((choice) => choice.label)

  it('offers the names upstream and narrows them', () => {
    expect(labels('{{ ')).toEqual([
      'start.sources',
      'start.repo',
      'git_log.result',
      'git_log.structured',
      'git_log.closed',
    ])
    expect(labels('{{ res')).toEqual(['git_log.result'])
    expect(labels('{{ git_log.')).toEqual(['git_log.result', 'git_log.structured', 'git_log.closed'])
  })
  it('goes in dot by dot, with brackets where a key needs them', () => {
    expect(labels('{{ git_log.structured.')).toEqual(['git_log.structured.commits'])
    expect(labels('{{ git_log.structured.commits[0].')).toEqual([
      'git_log.structured.commits[0].id',
      'git_log.structured.commits[0]["odd key"]',
    ])
  })
  it('shows everything that could stand there when a field is entered', () => {
    const text = '{{ git_log.result }}'
    const completion = completionsAt(text, text.indexOf(' }}'), scope, { browse: true })
    expect(completion?.choices.map((choice) => choice.label)).toHaveLength(5)
    expect(completion?.current).toBe(2)
    expect(completion?.choices[0]).toMatchObject({ from: 3, to: 17, insert: 'start.sources' })
  })
  it('replaces the whole path and leaves what follows', () => {
    const text = 'see {{ git_lo.x | upper }}'
    const index = text.indexOf('.x')
    const choice = completionsAt(text, index, scope)?.choices[0]
    expect(choice).toMatchObject({ insert: 'git_log.result', from: 7, to: index })
  })
  it('offers filters after a bar, with nothing in arguments or outside of braces', () => {
    expect(labels('{{ git_log.result | u')).toEqual(['upper'])
    expect(labels('{{ git_log.result |')?.length).toBe(14)
    expect(labels('{{ a | join(')).toBeUndefined()
    expect(labels('text ', '')).toBeUndefined()
    expect(labels('{{ a }} ', '')).toBeUndefined()
    expect(labels('\\{{ a', '')).toBeUndefined()
  })
})
