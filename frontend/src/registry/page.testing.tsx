/** The registry's page, over an API that answers by what it is asked: servers and tools by the page, and searched. */
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { vi } from 'vitest'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Me, Role } from '@/api/queries'
import type { Server, Tool } from '@/api/servers'
import { FakeServer, show } from '@/testing/server'
import AgentsPage from './agents/AgentsPage'
import RegistryPage from './RegistryPage'

export const list = (results: readonly unknown[]) => ({ body: { results, next: null } })

/** Pages of tools as the API cuts them, as many to a page as are asked for, or `size`. */
export const pages =
  (tools: readonly Tool[], more: Record<string, unknown> = {}, size?: number) =>
  (request: { path: string }) => {
    const query = new URLSearchParams(request.path.split('?')[1])
    const fit = tools.filter((tool) => tool.name.includes(query.get('q') ?? ''))
    const limit = size ?? Number(query.get('limit') ?? fit.length)
    const start = Number(query.get('cursor') ?? 0)
    const next = start + limit < fit.length ? String(start + limit) : null
    const changed = tools.filter((tool) => tool.changed).length
    const results = fit.slice(start, start + limit)
    const body = {
      results,
      next,
      total: fit.length,
      changed,
      listed_at: '2026-11-19T12:00:00Z',
      left_out: [],
    }
    return { body: { ...body, ...more } }
  }

/** Servers as the API lists them: filtered, searched by their tools, cut into pages. */
const serverPages =
  (servers: readonly Server[], tools: Readonly<Record<string, readonly Tool[]>>) =>
  ({ path }: { path: string }) => {
    const query = new URLSearchParams(path.split('?')[1])
    const search = query.get('q') ?? ''
    const kind = query.get('kind')
    const ofKind = servers.filter((entry) => !kind || entry.kind === kind)
    const attention = ofKind.filter((entry) => entry.changed_tools > 0 || entry.expires_at)
    const rows = query.get('only') === 'attention' ? attention : ofKind
    const start = Number(query.get('cursor') ?? 0)
    const matching = rows.filter(
      (entry) => !search || tools[entry.slug]?.some((tool) => tool.name.includes(search)),
    )
    const end = start + Number(query.get('limit'))
    const next = end < matching.length ? String(end) : null
    const counts = start ? null : { all: ofKind.length, attention: attention.length }
    return { body: { results: matching.slice(start, end), next, counts } }
  }

const NO_CALLS = {
  span: 'day',
  since: null,
  total: { calls: 0, errors: 0, failed: 0, p50_ms: null, p95_ms: null },
  results: [],
}

/** What the API has of servers; again with others, they are what it has from then on. */
export function has(
  api: FakeServer,
  servers: readonly Server[],
  tools: Readonly<Record<string, readonly Tool[]>> = {},
): void {
  api.on('GET /api/mcp/servers', serverPages(servers, tools))
  for (const entry of servers) {
    api.on(`GET /api/mcp/servers/${entry.slug}`, { body: entry })
    api.on(`GET /api/mcp/servers/${entry.id}/calls`, { body: NO_CALLS })
    api.on(`GET /api/mcp/servers/${entry.id}/tools`, pages(tools[entry.slug] ?? []))
  }
}

export function anApi(
  servers: readonly Server[],
  tools: Readonly<Record<string, readonly Tool[]>> = {},
): FakeServer {
  const api = new FakeServer()
  api.on('GET /api/mcp/declarations', list([]))
  api.on('GET /api/mcp/presets', list([]))
  has(api, servers, tools)
  return api
}

/** A place of 600 px in which a row has 37; jsdom lays nothing out. */
export function giveRows(): void {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(37)
}

export interface Opened {
  readonly user: UserEvent
  /** The address that the page is at. */
  readonly at: () => string | undefined
}

export function open(path = '/registry', role: Role = 'admin', more: Partial<Me> = {}): Opened {
  const { hook, history } = memoryLocation({ path, record: true })
  show(
    <Router hook={hook}>
      <Route path="/registry/:server?/:tab?" component={RegistryPage} />
      <Route path="/agents/:server?/:tab?" component={AgentsPage} />
    </Router>,
    role,
    more,
  )
  return { user: userEvent.setup(), at: () => history.at(-1) }
}
