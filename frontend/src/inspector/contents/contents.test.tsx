/** Editors of resource and prompt nodes: chosen from what the server offers, or written where it cannot be asked. */
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { node } from '@/graph/graph.testing'
import { openNode, typeOf } from '@/inspector/inspector.testing'
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
        body: { results: [{ id: 'srv_1', slug: 'kb', name: 'Knowledge' }], next: null },
      })
      server.on('GET /api/mcp/servers/kb/resources', { body: RESOURCES })
      server.on('GET /api/mcp/servers/kb/prompts', { body: PROMPTS })
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
  await user.type(await screen.findByLabelText(/^name/), 'x')
  expect(config().arguments).toEqual({ name: 'x' })
  expect(screen.getByLabelText(/^page/)).toBeTruthy()
})

it('shows the variables of a template that is written by hand, and none for an expression', async () => {
  const { config } = open('resource', { server: 'kb', uri: 'x://{+path}' })
  expect(await screen.findByLabelText(/^path/)).toBeTruthy()
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
  await user.type(await screen.findByLabelText(/^city/), 'Oslo')
  expect(config()).toEqual({ server: 'kb', prompt: 'plan', arguments: { city: 'Oslo' } })
  await user.selectOptions(screen.getByRole('combobox', { name: 'Prompt' }), 'hello')
  expect(config()).toEqual({ server: 'kb', prompt: 'hello' })
  expect(await screen.findByText('This prompt takes no arguments.')).toBeTruthy()
})

it('keeps a prompt that the server does not list', async () => {
  open('prompt', { server: 'kb', prompt: 'gone' })
  expect(await screen.findByRole('option', { name: 'gone (not listed)' })).toBeTruthy()
})
