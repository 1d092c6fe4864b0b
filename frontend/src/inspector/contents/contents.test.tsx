/** Editors of resource and prompt nodes: chosen from what the server offers, or written where it cannot be asked. */
import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { node } from '@/graph/graph.testing'
import { fill, openNode, typeOf } from '@/inspector/inspector.testing'
import type { FakeServer } from '@/testing/server'

const RESOURCES = {
  results: [
    { uri: 'notes://a', name: 'a', title: 'First note', description: null, mime_type: null, size: null },
  ],
  templates: [
    {
      uri_template: 'notes://by/{name}{?page}',
      name: 'by name',
      title: null,
      description: null,
      mime_type: null,
      variables: [
        { name: 'name', required: true },
        { name: 'page', required: false },
      ],
    },
  ],
  next: null,
}
const PROMPTS = {
  results: [
    {
      name: 'plan',
      title: null,
      description: 'Plans a day.',
      arguments: [
        { name: 'city', description: 'Where', required: true },
        { name: 'days', description: null, required: false },
      ],
    },
    { name: 'hello', title: null, description: null, arguments: [] },
  ],
  next: null,
}
const DOWN = { status: 502, body: { code: 'MCP_UNREACHABLE', message: 'Down.', hint: 'Start it.' } }

function open(type: string, config: Record<string, unknown>, serve?: (server: FakeServer) => void) {
  const opened = openNode(node('content', type, { config }), {
    types: [typeOf(type, {})],
    serve: (server) => {
      server.on('GET /api/mcp/servers', {
        body: {
          results: [
            {
              id: 'srv_1',
              slug: 'kb',
              name: 'Knowledge',
              status: { declared: { capabilities: ['completions'] } },
            },
          ],
          next: null,
        },
      })
      server.on('GET /api/mcp/servers/kb/resources', { body: RESOURCES })
      server.on('GET /api/mcp/servers/kb/prompts', { body: PROMPTS })
      server.on('POST /api/mcp/servers/kb/complete', ({ body }) => ({
        body: { values: [`${(body as { value: string }).value}slo`, 'Lisbon'] },
      }))
      serve?.(server)
    },
  })
  return { ...opened, config: () => opened.at('content').config }
}

it('chooses a resource or a template of the server, whose variables become fields', async () => {
  const { config, user } = open('resource', { server: 'kb', uri: 'notes://a', arguments: { old: 1 } })
  await user.click(await screen.findByRole('button', { name: /Choose from the server: First note/ }))
  await user.keyboard('by name')
  await user.click(await screen.findByRole('option', { name: /by name/ }))
  expect(config()).toEqual({ server: 'kb', uri: 'notes://by/{name}{?page}' })
  await screen.findByRole('textbox', { name: 'name' })
  await fill(user, 'name', 'x')
  expect(config().arguments).toEqual({ name: 'x' })
  expect(screen.getByRole('textbox', { name: 'page' })).toBeTruthy()
})

it('shows the variables of a template that is written by hand, and none for an expression', async () => {
  const { config } = open('resource', { server: 'kb', uri: 'x://{+path}' })
  expect(await screen.findByRole('textbox', { name: 'path' })).toBeTruthy()
  expect(config()).toEqual({ server: 'kb', uri: 'x://{+path}' })
})

it('keeps the URI editable where the server cannot be asked', async () => {
  open('resource', { server: 'kb', uri: '{{ log.result }}' }, (server) =>
    server.on('GET /api/mcp/servers/kb/resources', DOWN),
  )
  expect(await screen.findByText('The server could not be asked what it offers.')).toBeTruthy()
  expect(screen.getByRole('textbox', { name: 'URI' })).toBeTruthy()
  expect(screen.queryByText('Arguments')).toBeNull()
})

it('chooses a prompt and shows its arguments', async () => {
  const { config, user } = open('prompt', { server: 'kb' })
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Prompt' }), 'plan')
  expect(config()).toEqual({ server: 'kb', prompt: 'plan' })
  expect(await screen.findByText('Plans a day.')).toBeTruthy()
  await screen.findByRole('textbox', { name: 'city' })
  await fill(user, 'city', 'Oslo')
  expect(config()).toEqual({ server: 'kb', prompt: 'plan', arguments: { city: 'Oslo' } })
  await user.selectOptions(screen.getByRole('combobox', { name: 'Prompt' }), 'hello')
  expect(config()).toEqual({ server: 'kb', prompt: 'hello' })
  expect(await screen.findByText('This prompt takes no arguments.')).toBeTruthy()
})

it('takes the arguments of a prompt that nobody knows now', async () => {
  const { config } = open('prompt', { server: 'kb', prompt: 'gone', arguments: { city: 'Oslo' } })
  fireEvent.change(await screen.findByLabelText('city'), { target: { value: '"Rome"' } })
  expect(config().arguments).toEqual({ city: 'Rome' })
})

it('keeps a prompt that the server does not list', async () => {
  open('prompt', { server: 'kb', prompt: 'gone' })
  expect(await screen.findByRole('option', { name: 'gone (not listed)' })).toBeTruthy()
})

it('offers what the server proposes, and asks nothing about expressions', async () => {
  const { config, user, server } = open('prompt', {
    server: 'kb',
    prompt: 'plan',
    arguments: { days: '2', city: 'O' },
  })
  await user.click(await screen.findByRole('textbox', { name: 'city' }))
  await user.click(await screen.findByRole('button', { name: 'Oslo' }))
  expect(config().arguments).toEqual({ days: '2', city: 'Oslo' })
  const requests = () => server.to('POST /api/mcp/servers/kb/complete').map(({ body }) => body)
  expect(requests()[0]).toEqual({ prompt: 'plan', argument: 'city', value: 'O', arguments: { days: '2' } })
  const before = requests().length
  await fill(user, 'days', '{{ log.result }}')
  expect(
    requests()
      .slice(before)
      .filter((body) => JSON.stringify(body).includes('{{')),
  ).toEqual([])
})

it('shows what a prompt does not take as well, so that it can be taken away', async () => {
  open('prompt', { server: 'kb', prompt: 'hello', arguments: { stray: 'x' } })
  expect(await screen.findByText('stray')).toBeTruthy()
})
