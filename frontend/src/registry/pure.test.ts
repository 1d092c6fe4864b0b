import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api/client'
import { newPair } from '@/forms'
import { translate } from '@/i18n'
import { changeOf, detected, draftOf, emptyDraft, newServer, splitCommand, suggestedName } from './draft'
import { daysLeft, healthOf, shortTargetOf, sinceText } from './list/health'
import { aServer } from './registry.testing'
import { body, headline } from './server/Messages'
import { stageText } from './server/stage-text'
import { pointers } from './tools/TryTool'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const failing = (code: string) =>
  ({ ...aServer('x').status, state: 'error', code }) as ReturnType<typeof aServer>['status']

describe('health', () => {
  it('is one word, and disabled comes before everything', () => {
    expect(healthOf(aServer('time'))).toEqual({ status: 'succeeded', word: 'registry.health_ok' })
    expect(healthOf(aServer('x', { status: failing('MCP_AUTH_FAILED') })).word).toBe('registry.health_auth')
    expect(healthOf(aServer('x', { status: failing('SOMETHING_NEW') })).word).toBe('registry.health_error')
    expect(healthOf(aServer('x', { enabled: false, status: failing('MCP_TIMEOUT') })).word).toBe(
      'registry.health_disabled',
    )
  })

  it('says since when one fails by the time of a day, and by the day before that', () => {
    expect(sinceText('2026-11-21T10:41:00Z', NOW)).toMatch(/^\d\d:41$/)
    expect(sinceText('2026-11-18T12:00:00Z', NOW)).toBe('2026-11-18')
  })

  it('says how many days an address has left', () => {
    expect(daysLeft(aServer('a', { expires_at: '2026-11-23T12:00:00Z' }), NOW)).toBe(2)
    expect(daysLeft(aServer('a', { expires_at: '2026-11-20T12:00:00Z' }), NOW)).toBeLessThanOrEqual(0)
  })

  it('names a program without its folders', () => {
    expect(shortTargetOf(aServer('a', { command: '/opt/tools/bin/uvx', args: ['mcp-server-git'] }))).toBe(
      'uvx mcp-server-git',
    )
  })
})

describe('a new server', () => {
  it('by URL finds its transport and its name', () => {
    expect(detected('https://example.org/abc/sse')).toBe('sse')
    expect(detected('https://example.org/mcp')).toBe('http')
    const sent = newServer({
      ...emptyDraft('detect'),
      url: ' https://mcp.example.org/sse ',
      auth: 'bearer',
      key: 'tok',
    })
    expect(sent).toMatchObject({
      name: 'example.org',
      transport: 'sse',
      url: 'https://mcp.example.org/sse',
      auth_type: 'bearer',
      api_key: 'tok',
      timeout_ms: 30_000,
    })
    expect(sent).not.toHaveProperty('command')
  })

  it('by command keeps secrets apart from what is shown', () => {
    const sent = newServer({
      ...emptyDraft('stdio'),
      command: 'uvx',
      args: 'mcp-server-git\n\n --repository \n/srv/x',
      env: [
        { ...newPair(), name: 'LANG', value: 'C' },
        { ...newPair(true), name: 'TOKEN', value: 's3cret' },
      ],
    })
    expect(sent).toMatchObject({
      name: 'git',
      args: ['mcp-server-git', '--repository', '/srv/x'],
      env: { LANG: 'C' },
      secret_env: { TOKEN: 's3cret' },
    })
    expect(sent).not.toHaveProperty('url')
  })

  it('gets a name from a package, too', () => {
    expect(
      suggestedName({
        transport: 'stdio',
        url: '',
        command: 'npx',
        args: '-y\n@modelcontextprotocol/server-memory@1.2',
      }),
    ).toBe('memory')
  })
})

describe('a change of a server', () => {
  const http = aServer('github', {
    transport: 'http',
    url: 'https://example.org/mcp',
    auth_type: 'bearer',
    api_key_set: true,
    api_key_hint: '····7f2a',
    headers: { 'X-Plain': '1' },
    secret_headers: { 'X-Secret': { set: true, hint: '····9' } },
    expires_at: '2026-12-20T23:59:59Z',
  } as never)

  it('that changes nothing sends nothing', () => {
    for (const server of [http, aServer('time'), { ...http, url: 'https://h/····', url_secret: true }]) {
      expect(changeOf(server, draftOf(server))).toEqual({})
    }
  })

  it('sends a secret only when it was written anew, and null when it was taken away', () => {
    const draft = draftOf(http)
    expect(changeOf(http, { ...draft, key: 'new' })).toEqual({ api_key: 'new' })
    expect(changeOf(http, { ...draft, headers: draft.headers.filter((row) => !row.secret) })).toEqual({
      secret_headers: { 'X-Secret': null },
    })
    const rewritten = draft.headers.map((row) => (row.secret ? { ...row, value: 'v2' } : row))
    expect(changeOf(http, { ...draft, headers: rewritten })).toEqual({ secret_headers: { 'X-Secret': 'v2' } })
  })

  it('gives up the key with the sign-in, and the end with its date', () => {
    expect(changeOf(http, { ...draftOf(http), auth: 'none', expires: '' })).toEqual({
      auth_type: 'none',
      api_key: null,
      expires_at: null,
    })
  })

  it('limits the runs that use it at once, and no longer', () => {
    expect(changeOf(http, { ...draftOf(http), maxRuns: '2' })).toEqual({ max_runs: 2 })
    expect(changeOf(http, { ...draftOf(http), maxCalls: '8' })).toEqual({ max_calls: 8 })
    const narrow = { ...http, max_calls: 8 }
    expect(changeOf(narrow, draftOf(narrow))).toEqual({})
    expect(changeOf(narrow, { ...draftOf(narrow), maxCalls: '' })).toEqual({ max_calls: null })
    const limited = { ...http, max_runs: 2 }
    expect(changeOf(limited, draftOf(limited))).toEqual({})
    expect(changeOf(limited, { ...draftOf(limited), maxRuns: '' })).toEqual({ max_runs: null })
  })

  it('leaves a secret address alone until another is written', () => {
    const server = { ...http, url: 'https://h/····', url_secret: true }
    expect(changeOf(server, { ...draftOf(server), timeoutS: '5' })).toEqual({ timeout_ms: 5000 })
    expect(changeOf(server, { ...draftOf(server), url: 'https://h/new' })).toMatchObject({
      url: 'https://h/new',
    })
  })
})

describe('what a test found', () => {
  it('is one line for every kind of finding', () => {
    expect(stageText(null, translate)).toBe('')
    expect(stageText({ addresses: ['1.1.1.1', '::1'] }, translate)).toBe('1.1.1.1, ::1')
    expect(stageText({ count: 12 }, translate)).toBe('12 tools')
    expect(stageText({ status: 401, body: 'bad credentials' }, translate)).toBe(
      'status 401 · body bad credentials',
    )
    expect(stageText('x'.repeat(1000), translate)).toHaveLength(300)
  })
})

describe('a message', () => {
  it('is named by what it is', () => {
    expect(headline({ method: 'tools/call', id: 7, params: {} })).toBe('tools/call id 7')
    expect(headline({ id: 7, result: {} })).toBe('result id 7')
    expect(headline({ id: 7, error: { code: 1 } })).toBe('error id 7')
    expect(headline({ method: 'notifications/progress', params: 1 })).toBe('notifications/progress')
    expect(headline('rubbish')).toBe('')
    expect(body('rubbish')).toBe('rubbish')
    expect(body({ id: 1, result: { a: 1 } })).toEqual({ a: 1 })
  })
})

describe('errors of arguments', () => {
  it('find their fields', () => {
    const error = new ApiError(400, 'MCP_INVALID_PARAMS', '', '', {
      'arguments.zone': ['is required'],
      'a.0.b': ['no'],
      '': ['whole'],
    })
    expect(pointers(error.fields)).toEqual({ '/zone': ['is required'], '/a/0/b': ['no'], '': ['whole'] })
  })
})

it('splits a whole command line where the program belongs, and nothing else', () => {
  const split = (command: string, args = '') => splitCommand({ command, args })
  expect(split('npx -y @scope/server "/srv/two words" --name=\'a b\'')).toEqual({
    command: 'npx',
    args: '-y\n@scope/server\n/srv/two words\n--name=a b',
  })
  expect(split('"/opt/My Tools/server" --stdio')).toEqual({
    command: '/opt/My Tools/server',
    args: '--stdio',
  })
  expect(split('uvx')).toBeNull()
  expect(split('uvx mcp-server-time', '--utc')).toBeNull()
  expect(split('C:\\Program Files\\server.exe')).toBeNull()
})
