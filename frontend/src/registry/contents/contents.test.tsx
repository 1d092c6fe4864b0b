/** A server's page of resources and prompts: what it offers, and each tried in its place. */
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { onScreen } from '@/testing/screen'
import { type FakeServer, refusal } from '@/testing/server'
import { anApi, giveRows, has, open } from '../page.testing'
import { aServer } from '../registry.testing'

const AT = '/api/mcp/servers/srv_notes'
const about = { title: null, description: null, mime_type: null, change: null }
const kept = { at: '2026-11-21T12:00:00Z', ttl_ms: 60_000, scope: 'private' }
const RESOURCES = {
  results: [{ uri: 'notes://a', name: 'First', ...about, mime_type: 'text/plain', size: 2048 }],
  templates: [
    {
      uri_template: 'notes://by/{name}{?page}',
      name: 'By name',
      ...about,
      variables: [
        { name: 'name', required: true },
        { name: 'page', required: false },
      ],
    },
    { uri_template: 'notes://{odd', name: 'Odd', ...about, variables: null },
  ],
  next: null,
  total: 1,
  changes: [],
  changed: 0,
  kept,
}
const PROMPTS = {
  results: [
    {
      name: 'plan',
      title: 'A plan',
      description: 'Plans a day.',
      arguments: [{ name: 'city', description: 'Where to', required: true }],
      change: null,
    },
  ],
  next: null,
  total: 1,
  changes: [],
  changed: 0,
  kept: { ...kept, ttl_ms: 0 },
}
const text = (uri: string) => ({
  body: {
    uri,
    content: [{ type: 'resource', resource: { uri, mimeType: 'text/plain', text: `this is ${uri}` } }],
    ms: 3,
    messages: [],
  },
})

let api: FakeServer

beforeEach(() => {
  giveRows()
  api = anApi([aServer('notes')])
  api.on(`GET ${AT}/resources`, { body: RESOURCES })
  api.on(`GET ${AT}/prompts`, { body: PROMPTS })
})

const section = async (name: string) => within(await screen.findByRole('region', { name }))
const sent = (path: string) => api.to(`POST ${AT}/${path}`).map(({ body }) => body)

it('reads a resource at once', async () => {
  api.on(`POST ${AT}/resources/read`, text('notes://a'))
  const { user } = open('/registry/notes/contents')
  const resources = await section('Resources')
  expect(await resources.findByText(/notes:\/\/a · text\/plain · 2/)).toBeTruthy()
  expect(resources.getByText(/may be shown for .* to you alone/)).toBeTruthy()
  await user.click(resources.getByRole('button', { name: 'Read: First' }))
  expect(await screen.findByText('this is notes://a')).toBeTruthy()
  expect(sent('resources/read')).toEqual([{ uri: 'notes://a', arguments: {} }])
})

it('fills a template, and says at its field what the server refuses', async () => {
  const refused = refusal(400, 'VALIDATION_ERROR', { fields: { 'arguments.name': ['may not climb'] } })
  api.on(`POST ${AT}/resources/read`, refused)
  const { user } = open('/registry/notes/contents')
  const templates = await section('Templates')
  await user.click(templates.getByRole('button', { name: 'Fill in: By name' }))
  await user.click(templates.getByRole('button', { name: 'Read' }))
  expect(sent('resources/read')).toEqual([])
  await user.type(templates.getByLabelText(/^name/), '../x')
  await user.click(templates.getByRole('button', { name: 'Read' }))
  expect(await templates.findAllByText('may not climb')).not.toEqual([])
  api.on(`POST ${AT}/resources/read`, text('notes://by/x'))
  await user.clear(templates.getByLabelText(/^name/))
  await user.type(templates.getByLabelText(/^name/), 'x')
  await user.click(templates.getByRole('button', { name: 'Read' }))
  expect(await screen.findByText('this is notes://by/x')).toBeTruthy()
  expect(sent('resources/read').at(-1)).toEqual({
    uri: 'notes://by/{name}{?page}',
    arguments: { name: 'x' },
  })
  await user.click(templates.getByRole('button', { name: 'Fill in: Odd' }))
  expect(await templates.findByText(/not of a form that can be filled/)).toBeTruthy()
})

it('fills a prompt and shows its messages with their roles', async () => {
  const results = [
    { role: 'user', content: { type: 'text', text: 'Plan Oslo.' } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
  ]
  api.on(`POST ${AT}/prompts/get`, { body: { description: null, results, ms: 2, messages: [] } })
  const { user } = open('/registry/notes/contents')
  const prompts = await section('Prompts')
  await user.click(await prompts.findByRole('button', { name: 'Try: A plan' }))
  await user.type(prompts.getByLabelText(/^city/), 'Oslo')
  await user.click(prompts.getByRole('button', { name: 'Fill the prompt' }))
  expect(await prompts.findByText('Plan Oslo.')).toBeTruthy()
  expect(prompts.getByText('assistant')).toBeTruthy()
  expect(sent('prompts/get')).toEqual([{ prompt: 'plan', arguments: { city: 'Oslo' } }])
})

it('offers what the server proposes while an argument is written', async () => {
  api.on(`POST ${AT}/complete`, ({ body }) => ({
    body: { values: [`${(body as { value: string }).value}slo`, 'Lisbon'] },
  }))
  const { user } = open('/registry/notes/contents')
  const prompts = await section('Prompts')
  await user.click(await prompts.findByRole('button', { name: 'Try: A plan' }))
  await user.type(prompts.getByLabelText(/^city/), 'O')
  expect(
    within(await prompts.findByRole('list', { name: /proposes for city/ })).getByText('Lisbon'),
  ).toBeTruthy()
  await user.click(await prompts.findByRole('button', { name: 'Oslo' }))
  expect(prompts.getByLabelText(/^city/)).toHaveProperty('value', 'Oslo')
  const expected = { prompt: 'plan', argument: 'city', value: 'O', arguments: {} }
  expect(sent('complete')).toContainEqual(expected)
})

it('asks for no proposals where the server completes nothing', async () => {
  const plain = aServer('notes')
  const declared = { era: 'modern', capabilities: ['prompts'], extensions: [], instructions: '' } as const
  has(api, [
    {
      ...plain,
      status: { ...plain.status, declared: { ...declared, capabilities: ['prompts'], extensions: [] } },
    },
  ])
  const { user } = open('/registry/notes/contents')
  const prompts = await section('Prompts')
  await user.click(await prompts.findByRole('button', { name: 'Try: A plan' }))
  await user.type(prompts.getByLabelText(/^city/), 'Oslo')
  expect(sent('complete')).toEqual([])
})

it('says why a server cannot be asked, and asks anew', async () => {
  api.on(`GET ${AT}/prompts`, refusal(502, 'MCP_UNREACHABLE'))
  const { user } = open('/registry/notes/contents')
  expect(await (await section('Prompts')).findByText('MCP_UNREACHABLE in words.')).toBeTruthy()
  api.on(`GET ${AT}/prompts`, { body: PROMPTS })
  await user.click(screen.getByRole('button', { name: 'Ask the server anew' }))
  expect(await (await section('Prompts')).findByText('A plan')).toBeTruthy()
  expect(api.to(`GET ${AT}/resources`).some(({ path }) => path.includes('refresh=true'))).toBe(true)
})

it('is a page on a phone too, and nothing is asked for who may not', async () => {
  onScreen('phone')
  open('/registry/notes/contents', 'viewer')
  expect(await screen.findByText(/Editors see what the server offers/)).toBeTruthy()
  expect(api.to(`GET ${AT}/resources`)).toEqual([])
})

const was = { uri: 'notes://a', name: 'First', description: 'As it was.' }
const CHANGES = [
  {
    kind: 'resource',
    name: 'notes://a',
    change: 'changed',
    before: was,
    now: { ...was, description: 'Now.' },
  },
  { kind: 'resource', name: 'notes://old', change: 'gone', before: { name: 'Old' }, now: null },
  { kind: 'template', name: 'notes://by/{name}{?page}', change: 'added', before: null, now: { name: 'By' } },
]
const CHANGED = {
  ...RESOURCES,
  results: [{ ...RESOURCES.results[0], change: 'changed' }],
  changes: CHANGES,
  changed: 3,
}

it('marks what changed, shows how, and accepts one or all of a list', async () => {
  api.on(`GET ${AT}/resources`, { body: CHANGED })
  api.on(`POST ${AT}/contents/accept`, { body: { accepted: 1 } })
  const { user } = open('/registry/notes/contents', 'editor')
  const changes = await section('2 changes since last accepted')
  expect(changes.getByText(/As it was/)).toBeTruthy()
  expect(changes.getByText(/Now\./)).toBeTruthy()
  expect(changes.getByText('gone')).toBeTruthy()
  expect((await section('Resources')).getAllByText('changed')).toHaveLength(2)
  expect((await section('Templates')).getByText('new')).toBeTruthy()
  await user.click(changes.getByRole('button', { name: 'Accept: notes://a' }))
  api.on(`GET ${AT}/resources`, { body: RESOURCES })
  await user.click(changes.getByRole('button', { name: 'Accept all' }))
  await waitFor(() => expect(screen.queryByText(/since last accepted/)).toBeNull())
  expect(sent('contents/accept')).toEqual([{ kind: 'resource', name: 'notes://a' }, { kind: 'resource' }])
})

it('shows templates that are gone though no other is left, and says why nothing was accepted', async () => {
  const gone = { ...CHANGES[2], change: 'gone', before: { name: 'By' }, now: null }
  api.on(`GET ${AT}/resources`, { body: { ...RESOURCES, templates: [], changes: [gone], changed: 1 } })
  api.on(`POST ${AT}/contents/accept`, refusal(409, 'CONFLICT'))
  const { user } = open('/registry/notes/contents', 'editor')
  const changes = await section('1 change since last accepted')
  await user.click(changes.getByRole('button', { name: 'Accept all' }))
  expect(await changes.findByText('CONFLICT in words.')).toBeTruthy()
})
