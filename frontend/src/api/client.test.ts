import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setLanguage } from '@/i18n'
import { ApiError, api, asApiError, chooseTeam, send, whenSignedOut } from './client'

const requests: Request[] = []
let answer: () => Response | Promise<Response>

const thrownBy = async (call: Promise<unknown>): Promise<ApiError> => {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(ApiError)
  return thrown as ApiError
}

beforeEach(() => {
  requests.length = 0
  answer = () => Response.json({ ok: true })
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request)
    return answer()
  })
})

afterEach(async () => {
  vi.unstubAllGlobals()
  whenSignedOut(() => {})
  await setLanguage('en')
})

describe('a request', () => {
  it('has an id of its own, which an error of the installation names', async () => {
    answer = () =>
      Response.json(
        { code: 'INTERNAL', message: 'Patchbay made a mistake.' },
        { status: 500, headers: { 'X-Request-ID': 'told-1' } },
      )
    expect((await thrownBy(api.get('/api/me'))).reference).toBe('told-1')
    await thrownBy(api.get('/api/me'))
    const ids = requests.map((request) => request.headers.get('X-Request-ID'))
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/)
    expect(ids[1]).not.toBe(ids[0])
  })

  it('is named by its own id where nothing answered, and not where the reader can mend it', async () => {
    answer = () => Promise.reject(new TypeError('failed to fetch'))
    const lost = await thrownBy(api.get('/api/me'))
    expect(lost.reference).toBe(requests[0]?.headers.get('X-Request-ID'))
    answer = () => Response.json({ code: 'NOT_FOUND', message: 'x' }, { status: 404 })
    expect((await thrownBy(api.get('/api/me'))).reference).toBe('')
  })

  it('fills the path, writes the query, and asks in the chosen language', async () => {
    await setLanguage('zh')
    await api.get('/api/mcp/servers/{server}/tools', {
      params: { path: { server: 'a b' }, query: { refresh: true } },
    })
    expect(requests[0]?.url).toBe('http://patchbay.test/api/mcp/servers/a%20b/tools?refresh=true')
    expect(requests[0]?.headers.get('Accept-Language')).toBe('zh')
  })

  it('proves itself with the CSRF cookie when it writes, and only then', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
    document.cookie = 'patchbay_csrf=tok%20en'
    await api.get('/api/me')
    await api.patch('/api/me', { body: { language: 'zh' } })
    expect(requests[0]?.headers.get('X-CSRFToken')).toBeNull()
    expect(requests[1]?.headers.get('X-CSRFToken')).toBe('tok en')
    expect(await requests[1]?.json()).toEqual({ language: 'zh' })
  })

  it('gets a new cookie first where somebody deleted it', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
    document.cookie = 'patchbay_csrf=; max-age=0'
    answer = () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the same
      document.cookie = 'patchbay_csrf=fresh'
      return Response.json({})
    }
    await send('POST', '/_allauth/browser/v1/auth/login', {})
    expect(requests.map((request) => `${request.method} ${new URL(request.url).pathname}`)).toEqual([
      'GET /api/me',
      'POST /_allauth/browser/v1/auth/login',
    ])
    expect(requests[1]?.headers.get('X-CSRFToken')).toBe('fresh')
  })

  it('names the chosen team', async () => {
    chooseTeam('team_2')
    await api.get('/api/me')
    chooseTeam(null)
    await api.get('/api/me')
    expect(requests.map((request) => request.headers.get('X-Patchbay-Team'))).toEqual(['team_2', null])
  })

  it('gives nothing for an answer without content', async () => {
    answer = () => new Response(null, { status: 204 })
    expect(await api.delete('/api/tokens/{key}', { params: { path: { key: 'tok_1' } } })).toBeUndefined()
    expect(await send('DELETE', '/api/anything')).toBeUndefined()
  })
})

describe('a refusal', () => {
  it('is thrown with all that the server says', async () => {
    answer = () =>
      Response.json(
        {
          code: 'RATE_LIMITED',
          message: 'Too many.',
          hint: 'Wait.',
          fields: { 'inputs.n': ['must be an integer'] },
          detail: { why: 1 },
        },
        { status: 429, headers: { 'Retry-After': '15' } },
      )
    const error = await thrownBy(api.get('/api/me'))
    expect(error).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      message: 'Too many.',
      hint: 'Wait.',
      fields: { 'inputs.n': ['must be an integer'] },
      detail: { why: 1 },
      retryAfter: 15,
    })
  })

  it('without a body of ours names the status', async () => {
    answer = () => new Response('<h1>Bad gateway</h1>', { status: 502 })
    const error = await thrownBy(api.get('/api/me'))
    expect(error.code).toBe('HTTP_502')
    expect(error.message).toContain('502')
  })

  it('is said in words when nothing answers', async () => {
    answer = () => Promise.reject(new TypeError('Failed to fetch'))
    const error = await thrownBy(api.get('/api/me'))
    expect(error.code).toBe('NETWORK')
    expect(error.hint).not.toBe('')
  })

  it('tells the page when nobody is signed in', async () => {
    const message = vi.fn()
    whenSignedOut(message)
    answer = () => Response.json({ code: 'UNAUTHENTICATED', message: 'Sign in.' }, { status: 401 })
    await thrownBy(api.get('/api/me'))
    expect(message).toHaveBeenCalledOnce()
  })

  it('leaves a cancelled request to who cancelled it', async () => {
    answer = () => Promise.reject(new DOMException('gone', 'AbortError'))
    await expect(api.get('/api/me')).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is made of whatever else was thrown, too', () => {
    expect(asApiError(new Error('odd')).message).toBe('odd')
    expect(asApiError('text').message).toBe('text')
  })
})
