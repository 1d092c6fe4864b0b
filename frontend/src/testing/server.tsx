/** The server as component tests see it: it answers by method and path, and remembers what it was asked. */
import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type RenderResult, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'
import { type Me, meQuery, type Role } from '@/api/queries'

export interface SentRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: unknown
}

/** No server answers at once: a test that counts on it would fail on a busy machine only. */
const ANSWER_MS = 20
const { setTimeout: later } = globalThis // the real one, whatever clock a test sets
let test = 0

/** What was asked before is never answered: the next test of the file would see what it does. */
export function endAnswers(): void {
  test += 1
}

function turn(ms: number): Promise<void> {
  const asked = test
  return new Promise((done) => {
    later(() => {
      if (asked === test) done()
    }, ms)
  })
}

type Reply = {
  readonly status?: number
  readonly body?: unknown
  /** In place of the body: what is no JSON. */
  readonly text?: string
  readonly headers?: Record<string, string>
}
type Answer = Reply | ((request: SentRequest) => Reply | Promise<Reply>)

/** Answers what it was told to; everything else is 404 in the API's shape. */
export class FakeServer {
  readonly requests: SentRequest[] = []
  private readonly answers = new Map<string, Answer>()

  constructor() {
    vi.stubGlobal('fetch', (input: Request) => this.reply(input))
  }

  /** `GET /api/runs` answers for any query; a later word on the same path counts. */
  on(route: string, answer: Answer): this {
    this.answers.set(route, answer)
    return this
  }

  /** What was asked by this route, in order. */
  to(route: string): readonly SentRequest[] {
    return this.requests.filter((asked) => `${asked.method} ${asked.path.split('?')[0]}` === route)
  }

  private async reply(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const text = await request.text()
    const asked = {
      method: request.method,
      path: pathname + search,
      body: text ? JSON.parse(text) : undefined,
    }
    this.requests.push(asked)
    await turn(0) // what the test tells right after it drew the page counts for what that asked for
    const answer = this.answers.get(`${asked.method} ${pathname}`)
    await turn(ANSWER_MS)
    const {
      status = 200,
      body = {},
      text: content = JSON.stringify(body),
      headers = {},
    } = typeof answer === 'function' ? await answer(asked) : (answer ?? NOTHING)
    return new Response(content, {
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
    })
  }
}

const NOTHING: Reply = {
  status: 404,
  body: { code: 'NOT_FOUND', message: 'There is nothing here.', hint: '' },
}

/** A refusal as the API makes it. */
export function refusal(status: number, code: string, more: Record<string, unknown> = {}): Reply {
  return { status, body: { code, message: `${code} in words.`, hint: '', fields: {}, detail: null, ...more } }
}

function somebody(role: Role, more: Partial<Me>): Me {
  const team = { id: 'team_1', name: 'Platform', slug: 'platform', role, currency: 'USD' }
  const person = { id: 'usr_1', email: 'bob@example.org', name: 'Bob', language: 'en', theme: 'light' }
  return { ...person, auto_execute: false, team, teams: [team], ...more } as unknown as Me
}

/** Draws something for a person who is signed in; `more` = what else is so about them. */
export function show(children: ReactNode, role: Role = 'editor', more: Partial<Me> = {}): RenderResult {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } })
  client.setQueryData(meQuery.queryKey, somebody(role, more))
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>)
}

/** Nothing is asked for again by itself until the test ends, as in a window that nobody looks at. */
export function unwatched(): void {
  focusManager.setFocused(false)
  onTestFinished(() => focusManager.setFocused(undefined))
}
