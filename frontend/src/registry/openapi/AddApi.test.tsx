/** Adding an API: its document is read first, another host is confirmed, and what is sent is what the form shows. */
import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { loadWords } from '@/i18n'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, refusal, show } from '@/testing/server'
import { AddApi } from './AddApi'
import type { Api } from './ReadApi'

const READ = 'POST /api/mcp/openapi'
const CREATE = 'POST /api/mcp/servers'

const anApi = (more: Partial<Api> = {}): Api => ({
  title: 'Orders',
  version: '2.1',
  dialect: 'OpenAPI 3.1.0',
  bases: [{ url: 'https://api.example.org/v2', foreign: false }],
  schemes: [{ name: 'key', kind: 'api_key', place: 'query', parameter: 'token' }],
  operations: [{ name: 'getOrder', method: 'GET', path: '/orders/{id}', title: 'One order' }],
  total: 1,
  left_out: [],
  ...more,
})

let api: FakeServer

beforeEach(async () => {
  await loadWords('openapi')
  api = new FakeServer().on(READ, { body: anApi() }).on(CREATE, { status: 201, body: aServer('orders') })
})

async function opened(url = 'https://api.example.org/openapi.json') {
  const onAdded = vi.fn()
  show(<AddApi onAdded={onAdded} />)
  const user = userEvent.setup()
  if (url) {
    await user.type(screen.getByRole('textbox', { name: /Document URL/ }), url)
    await user.click(screen.getByRole('button', { name: 'Read document' }))
  }
  return { user, onAdded }
}

const sent = () => api.to(CREATE).at(0)?.body

it('reads the document and adds it with the key that it asks for', async () => {
  const { user, onAdded } = await opened()
  const base = await screen.findByRole('textbox', { name: /Base URL/ })
  expect((base as HTMLInputElement).value).toBe('https://api.example.org/v2')
  expect(screen.getByText('2.1 · OpenAPI 3.1.0 · 1 operation')).toBeTruthy()
  expect((screen.getByRole('radio', { name: 'API key' }) as HTMLInputElement).checked).toBe(true)
  await user.type(screen.getByLabelText(/^API key/, { selector: 'input[type="password"]' }), 's3cret')
  await user.click(screen.getByRole('button', { name: 'Add server' }))
  await vi.waitFor(() => expect(onAdded).toHaveBeenCalled())
  expect(sent()).toMatchObject({
    name: 'Orders',
    transport: 'openapi',
    url: 'https://api.example.org/v2',
    document_url: 'https://api.example.org/openapi.json',
    auth_type: 'api_key',
    api_key: 's3cret',
    api_key_header: 'token',
    api_key_in: 'query',
  })
})

it('adds nothing for another host before that is confirmed', async () => {
  api.on(READ, { body: anApi({ bases: [{ url: 'https://elsewhere.example/v2', foreign: true }] }) })
  const { user, onAdded } = await opened()
  const confirm = await screen.findByRole('checkbox', {
    name: 'Send requests and credentials to elsewhere.example',
  })
  fireEvent.click(screen.getByRole('button', { name: 'Add server' }))
  expect(sent()).toBeUndefined()
  await user.click(confirm)
  await user.click(screen.getByRole('button', { name: 'Add server' }))
  await vi.waitFor(() => expect(onAdded).toHaveBeenCalled())
})

it('sends name and password of basic authentication as one key, and a pasted document', async () => {
  api.on(READ, { body: anApi({ schemes: [{ name: 'login', kind: 'basic', place: '', parameter: '' }] }) })
  const { user, onAdded } = await opened('')
  await user.click(screen.getByRole('radio', { name: 'Paste or upload' }))
  await user.upload(screen.getByLabelText('Choose file'), new File(['openapi: 3.1.0'], 'api.yaml'))
  await vi.waitFor(() =>
    expect((screen.getByRole('textbox', { name: /Document/ }) as HTMLTextAreaElement).value).toBe(
      'openapi: 3.1.0',
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Read document' }))
  await user.type(await screen.findByRole('textbox', { name: 'User name' }), 'alice')
  await user.type(screen.getByLabelText(/^Password/), 'p4ss')
  await user.click(screen.getByRole('button', { name: 'Add server' }))
  await vi.waitFor(() => expect(onAdded).toHaveBeenCalled())
  expect(sent()).toMatchObject({ auth_type: 'basic', api_key: 'alice:p4ss', document: 'openapi: 3.1.0' })
  expect(sent()).not.toHaveProperty('document_url')
})

it('says at the field what is wrong with a document, and what is left out of a good one', async () => {
  api.on(READ, refusal(400, 'VALIDATION_ERROR', { fields: { document: ['is not JSON: line 1'] } }))
  const { user } = await opened('')
  await user.click(screen.getByRole('radio', { name: 'Paste or upload' }))
  await user.click(screen.getByRole('textbox', { name: /Document/ }))
  await user.paste('{')
  await user.click(screen.getByRole('button', { name: 'Read document' }))
  expect(await screen.findByText(/is not JSON: line 1/)).toBeTruthy()
  const left = {
    operation: 'GET /far',
    message: 'GET /far refers to another document',
    hint: 'It is left out.',
  }
  api.on(READ, { body: anApi({ left_out: [left] }) })
  await user.click(screen.getByRole('button', { name: 'Read document' }))
  await user.click(await screen.findByText('1 operation left out'))
  expect(screen.getByText('GET /far refers to another document')).toBeTruthy()
})

it('sends the base that is chosen or written, and the key under the name and in the place that are said', async () => {
  const bases = ['https://api.example.org/v2', 'https://api.example.org/v1']
  api.on(READ, { body: anApi({ bases: bases.map((url) => ({ url, foreign: false })) }) })
  const { user, onAdded } = await opened()
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Base URLs in the document' }), [
    'https://api.example.org/v1',
  ])
  const base = screen.getByRole<HTMLInputElement>('textbox', { name: /^Base URL/ })
  expect(base.value).toBe('https://api.example.org/v1')
  await user.type(base, '/beta')
  const name = screen.getByRole('textbox', { name: 'Key name' })
  await user.clear(name)
  await user.type(name, 'X-Key')
  await user.click(screen.getByRole('radio', { name: 'Header' }))
  await user.type(screen.getByLabelText(/^API key/, { selector: 'input[type="password"]' }), 's3cret')
  await user.click(screen.getByRole('button', { name: 'Add server' }))
  await vi.waitFor(() => expect(onAdded).toHaveBeenCalled())
  expect(sent()).toMatchObject({
    url: 'https://api.example.org/v1/beta',
    api_key_header: 'X-Key',
    api_key_in: 'header',
  })
})
