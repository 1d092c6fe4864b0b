import { describe, expect, it } from 'vitest'
import { factsOf, isBare } from './facts'

describe('what an error carries', () => {
  it('stands each in its place and once', () => {
    const facts = factsOf({
      message: 'The server refused the credentials.',
      params: { why: 'expired', status: 401 },
      fields: { 'arguments.n': ['must be an integer'] },
      detail: {
        why: 'expired',
        http_status: 401,
        code: -32001,
        headers: { 'WWW-Authenticate': 'Bearer', via: ['a', 'b'] },
        raw: '<html>no</html>',
        data: { hot: true },
        stderr: ['one', 'two'],
        fields: { '/sold': ['is no number'] },
        structured: { sold: 'many' },
        exit_code: 3,
      },
    })
    expect(facts).toEqual({
      why: ['expired'],
      status: ['HTTP 401', 'JSON-RPC -32001'],
      fields: [
        ['arguments.n', 'must be an integer'],
        ['/sold', 'is no number'],
      ],
      headers: [
        ['WWW-Authenticate', 'Bearer'],
        ['via', 'a\nb'],
      ],
      raw: '<html>no</html>',
      content: undefined,
      structured: { sold: 'many' },
      data: { hot: true },
      stderr: 'one\ntwo',
      rest: { exit_code: 3 },
    })
  })

  it('leaves out what the sentence says and what is nothing', () => {
    const message = 'The server failed while it ran the tool: on fire'
    expect(isBare(factsOf({ message, params: { why: 'on fire' }, detail: { message: 'on fire' } }))).toBe(
      true,
    )
    expect(isBare(factsOf({ message, detail: null }))).toBe(true)
    expect(isBare(factsOf({ message, detail: {} }))).toBe(true)
    expect(factsOf({ message, detail: 'raw words' }).raw).toBe('raw words')
    expect(factsOf({ message, detail: ['a', 'b'] }).rest).toEqual({ detail: ['a', 'b'] })
  })
})
