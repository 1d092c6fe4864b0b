/** The page of collections over an API that has one, with a tool and a client. */
import userEvent from '@testing-library/user-event'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { CollectionContent, CollectionDetail, CollectionTool } from '@/api/collections'
import type { Role } from '@/api/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import CollectionsPage from './CollectionsPage'

export const URL_OF_IT = 'http://localhost:3000/mcp/platform/support-desk'

export const aTool = (change: Partial<CollectionTool> = {}): CollectionTool => ({
  id: 'ent_1',
  kind: 'tool',
  name: 'reply_to_customer',
  description: 'Answer the customer.',
  edited: true,
  original: {
    name: 'add_comment',
    title: 'Add a comment',
    description: 'Adds a comment.',
    input_schema: { type: 'object' },
    pinned_at: '2026-10-02T10:00:00Z',
  },
  server: 'helpdesk',
  server_name: 'Help desk',
  workflow: 'wf_hidden',
  version: null,
  gate: 'ask',
  risk: { level: 'MEDIUM', reasons: [] },
  changed: false,
  gone: false,
  size: 203,
  ...change,
})

export const PROMPT: CollectionContent = {
  id: 'cnt_1',
  kind: 'prompt',
  name: 'triage',
  description: 'Sorts a ticket.',
  edited: true,
  reference: 'triage_ticket',
  original: {
    name: 'triage_ticket',
    title: '',
    description: 'Asks to sort a ticket.',
    mime_type: null,
    arguments: [],
  },
  server: 'helpdesk',
  server_name: 'Help desk',
  off: false,
  workflow: 'wf_reading',
}

export const aCollection = (change: Partial<CollectionDetail> = {}): CollectionDetail => ({
  id: 'col_1',
  name: 'Support desk',
  slug: 'support-desk',
  description: 'What the agents may do',
  enabled: true,
  url: URL_OF_IT,
  tools: 1,
  tokens: 1,
  calls_7d: 1234,
  created_at: '2026-11-26T10:00:00Z',
  updated_at: '2026-11-26T10:00:00Z',
  entries: [aTool()],
  contents: [],
  calls: [],
  ...change,
})

export const TOKEN = {
  id: 'tok_1',
  name: 'helpdesk-bot',
  prefix: 'pb_abcde',
  scopes: ['read', 'run'],
  user: { id: 'usr_1', email: 'bob@example.org', name: 'Bob' },
  created_at: '2026-11-26T10:00:00Z',
  expires_at: null,
  last_used_at: null,
  approves_until: null,
  workflows: [],
  networks: [],
  collection: 'col_1',
}

/** The page of a team that has this collection, or none; `path` = what is looked at. */
export function atCollections(
  collection: CollectionDetail | null = aCollection(),
  role: Role = 'editor',
  path = '/collections',
) {
  const list = collection ? [collection] : []
  const server = new FakeServer()
    .on('GET /api/collections', { body: { results: list, next: null } })
    .on('GET /api/collections/col_1', collection ? { body: collection } : refusal(404, 'NOT_FOUND'))
    .on('GET /api/collections/col_1/tokens', { body: { results: [TOKEN], next: null } })
    .on('POST /api/collections', { status: 201, body: aCollection() })
    .on('PATCH /api/collections/col_1', { body: aCollection() })
    .on('DELETE /api/collections/col_1', { status: 200 })
    .on('POST /api/collections/col_1/tools', { status: 201, body: aTool() })
    .on('PATCH /api/collections/col_1/tools/ent_1', { body: aTool() })
    .on('DELETE /api/collections/col_1/tools/ent_1', { status: 200 })
    .on('POST /api/collections/col_1/tokens', { status: 201, body: { ...TOKEN, token: 'pb_secret' } })
    .on('DELETE /api/tokens/tok_1', { status: 200 })
  const { hook, history } = memoryLocation({ path, record: true })
  show(
    <Router hook={hook}>
      <Route path="/collections/:id?">
        <CollectionsPage />
      </Route>
      <Toasts />
    </Router>,
    role,
  )
  return { server, history, user: userEvent.setup() }
}
