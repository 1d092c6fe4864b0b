/** Skills of an agent that the document itself declares: chosen in a node, once an admin approved the agent. */
import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { sameAgent } from '@/api/declared-agents'
import { node } from '@/graph/graph.testing'
import { open, TOOL, withNode } from '@/inspector/inspector.testing'

const FORM = {
  transport: 'a2a',
  command: '',
  args: [],
  env: {},
  cwd: '',
  url: 'https://hotel.example.org/a2a',
  headers: {},
  timeout_ms: 30_000,
  trust_annotations: null,
}
const SKILL = { ...TOOL, server: 'hotel', name: 'book', title: 'Book a room', description: 'Books a room.' }

function opened(declared: Record<string, unknown>, approved: readonly unknown[]) {
  const graph = withNode(node('ask', 'tool', { config: { server: 'hotel', arguments: {} } }))
  return open({
    graph: { ...graph, mcp_servers: { hotel: declared } },
    select: { nodes: ['ask'] },
    serve: (server) => {
      server.on('GET /api/mcp/declarations', { body: { results: approved, next: null } })
      server.on('GET /api/mcp/declarations/abc/card', {
        body: { hash: 'abc', card: null, version: 'v1', changed: 0, skills: [SKILL] },
      })
    },
  })
}

it('has its skills chosen like the tools of a server', async () => {
  const { user, at, server } = opened({ transport: 'a2a', url: FORM.url }, [{ hash: 'abc', config: FORM }])
  await waitFor(() => expect(server.to('GET /api/mcp/declarations/abc/card')).toHaveLength(1))
  await screen.findByRole('option', { name: 'book' })
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tool' }), 'book')
  await waitFor(() => expect(at('ask').config.tool).toBe('book'))
  expect(await screen.findByText('Books a room.')).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Change' })).toBeNull()
  expect(server.to('GET /api/mcp/servers/hotel/tool-names')).toHaveLength(0)
})

it('says nothing of skills before an admin approved it', async () => {
  const { server } = opened({ transport: 'a2a', url: FORM.url }, [])
  await waitFor(() => expect(server.to('GET /api/mcp/declarations')).toHaveLength(1))
  expect(server.to('GET /api/mcp/declarations/abc/card')).toHaveLength(0)
})

it('asks for nothing of a server that is declared', async () => {
  const { server } = opened({ transport: 'http', url: 'https://kb.example.org/mcp' }, [])
  expect(await screen.findByRole('combobox', { name: 'Tool' })).toBeTruthy()
  expect(server.to('GET /api/mcp/declarations')).toHaveLength(0)
})

it.each([
  ['what is left out', { transport: 'A2A', url: FORM.url }, true],
  ['the order of headers', { url: FORM.url, headers: {} }, true],
  ['another address', { url: 'https://other.example.org/a2a' }, false],
  ['another key', { url: FORM.url, headers: { 'X-Key': 'k' } }, false],
  ['an address of the card', { url: FORM.url, document_url: 'https://hotel.example.org/card.json' }, false],
  ['an empty address of the card', { url: FORM.url, document_url: '' }, true],
])('tells agents apart by all that is declared: %s', (_, declared, same) => {
  expect(sameAgent(FORM, declared)).toBe(same)
})
