/** Editors of http, list and aggregate: what people choose, write and paste stands in the configuration. */

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import { node } from '@/graph/graph.testing'
import { fill, openNode, typeOf } from '@/inspector/inspector.testing'
import type { FakeServer } from '@/testing/server'

const SECRETS = {
  results: [
    { name: 'gh_token', hint: '····7f2a', hosts: ['api.github.com'], updated_at: '2026-01-01T00:00:00Z' },
    { name: 'loose', hint: '····', hosts: [], updated_at: '2026-01-01T00:00:00Z' },
  ],
  next: null,
}

function openData(
  type: string,
  config: Record<string, unknown> = {},
  serve?: (server: FakeServer) => void,
  role?: Role,
  onEscape?: () => void,
) {
  const opened = openNode(node('data', type, { config }), {
    types: [typeOf(type, {})],
    ...(role && { role }),
    ...(onEscape && { onEscape }),
    serve: (server) => {
      server.on('GET /api/secrets', { body: SECRETS })
      serve?.(server)
    },
  })
  return { ...opened, config: () => opened.at('data').config }
}

describe('an HTTP request', () => {
  it('has a method, an address, a query and headers', async () => {
    const { config, user } = openData('http')
    await user.click(await screen.findByRole('radio', { name: 'POST' }))
    await fill(user, 'URL', 'https://a.example/{{ log.result }}')
    await user.click(screen.getByRole('button', { name: 'Add query value' }))
    await user.click(screen.getByRole('button', { name: 'Add header' }))
    expect(config()).toEqual({
      method: 'POST',
      url: 'https://a.example/{{ log.result }}',
      query: { name: '' },
      headers: { 'X-Name': '' },
    })
    expect(screen.getByText(/POST writes.*The host is fixed/)).toBeTruthy()
  })

  it.each(['query', 'headers'])('may take its %s out of one expression', async (name) => {
    const { config, user } = openData('http', { [name]: '{{ log.result }}' })
    const label = name === 'query' ? 'Query' : 'Headers'
    await screen.findByRole('textbox', { name: label })
    await fill(user, label, '{{ log.text }}')
    expect(config()[name]).toBe('{{ log.text }}')
  })

  it('marks the expressions in an address as they are written', async () => {
    const { user } = openData('http')
    await screen.findByRole('textbox', { name: 'URL' })
    await fill(user, 'URL', 'https://a.example/{{ log.result }}')
    const marks = screen.getByRole('textbox', { name: 'URL' }).querySelectorAll('.expression')
    expect([...marks].map((mark) => mark.textContent)).toEqual(['{{ log.result }}'])
  })

  it('says that a host out of an expression is asked for', async () => {
    openData('http', { url: 'https://{{ log.result }}/x' })
    expect(await screen.findByText(/GET only reads\. The host comes out of an expression/)).toBeTruthy()
  })

  it('signs in with a secret by its name', async () => {
    const { config, user } = openData('http')
    await user.selectOptions(await screen.findByLabelText('Authentication'), 'Bearer token')
    await screen.findByRole('option', { name: 'gh_token' })
    await user.selectOptions(screen.getByLabelText('Secret'), 'gh_token')
    expect(config()).toEqual({ auth: { kind: 'bearer', secret: 'gh_token' } })
    expect(screen.getByText('gh_token is sent to api.github.com only.')).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Secret'), 'loose')
    expect(screen.getByText(/may not be sent to any host yet/)).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Authentication'), 'Header')
    fireEvent.change(screen.getByLabelText('Header'), { target: { value: 'X-Token' } })
    expect(config()).toEqual({ auth: { kind: 'header', secret: 'loose', header: 'X-Token' } })
    await user.selectOptions(screen.getByLabelText('Authentication'), 'None')
    expect(config()).toEqual({})
  })

  it('carries a body of a kind', async () => {
    const { config, user } = openData('http')
    await user.click(await screen.findByRole('radio', { name: 'Form' }))
    await user.click(screen.getByRole('button', { name: 'Add field' }))
    expect(config()).toEqual({ body_type: 'form', body: { name: '' } })
    await user.click(screen.getByRole('radio', { name: 'JSON' }))
    await fill(user, 'Content of the body', '{"a": [1, "{{ log.result }}"]}')
    expect(config()).toEqual({ body_type: 'json', body: { a: [1, '{{ log.result }}'] } })
    await user.click(screen.getByRole('radio', { name: 'Text' }))
    expect(config()).toEqual({ body_type: 'text', body: '' })
    await user.click(within(screen.getByRole('group', { name: 'Body' })).getByRole('radio', { name: 'None' }))
    expect(config()).toEqual({})
  })

  it('accepts statuses and waits for a time; what is neither is not kept', async () => {
    const { config } = openData('http')
    fireEvent.change(await screen.findByLabelText(/^Also accept/), { target: { value: '404, 409' } })
    fireEvent.change(screen.getByLabelText(/^Request timeout/), { target: { value: '2.5' } })
    expect(config()).toEqual({ accept_status: [404, 409], timeout_s: 2.5 })
    fireEvent.change(screen.getByLabelText(/^Also accept/), { target: { value: '200' } })
    expect(screen.getByText('Statuses from 400 to 599 or ranges of them, separated by commas.')).toBeTruthy()
    fireEvent.change(screen.getByLabelText(/^Request timeout/), { target: { value: '0' } })
    expect(screen.getByText('A number of seconds, 600 at most.')).toBeTruthy()
    expect(config()).toEqual({ accept_status: [404, 409], timeout_s: 2.5 })
  })

  it('shows neighbouring statuses as ranges, and reads them', async () => {
    const stored = [409, 404, 500, 501, 502, 503, 510, 511]
    const { config } = openData('http', { accept_status: stored })
    const field = (await screen.findByLabelText(/^Also accept/)) as HTMLInputElement
    expect(field.value).toBe('409, 404, 500–503, 510, 511')
    expect(config()).toEqual({ accept_status: stored })
    fireEvent.change(field, { target: { value: '404, 500 - 502；511' } })
    expect(field.value).toBe('404, 500 - 502；511')
    expect(config()).toEqual({ accept_status: [404, 500, 501, 502, 511] })
    for (const wrong of ['500-', '503-500', '390–410', '500-600', '5001']) {
      fireEvent.change(field, { target: { value: wrong } })
      expect(screen.getByText(/^Statuses from 400 to 599/)).toBeTruthy()
    }
    expect(config()).toEqual({ accept_status: [404, 500, 501, 502, 511] })
  })
})

describe('a pasted curl command', () => {
  const COMMAND = `curl -s 'https://api.github.com/repos/a/b/issues?state=open' -H 'Accept: application/json' -H 'Authorization: Bearer ghp_123'`

  async function paste(text: string) {
    fireEvent.click(await screen.findByRole('button', { name: 'Paste curl' }))
    fireEvent.change(await screen.findByLabelText('curl command'), { target: { value: text } })
  }

  it('becomes the request, and its token a secret', async () => {
    const { server, config, user } = openData(
      'http',
      { method: 'POST', body: 'x', accept_status: [404] },
      (server) => {
        server.on('POST /api/secrets', { status: 201, body: SECRETS.results[0] })
      },
      'admin',
    )
    await paste(COMMAND)
    expect(screen.getByText('Left out, it is done anyway: -s')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Fill in' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('POST /api/secrets')[0]?.body).toEqual({
      name: 'api_github_com',
      value: 'ghp_123',
      hosts: ['api.github.com'],
    })
    expect(config()).toEqual({
      accept_status: [404],
      method: 'GET',
      url: 'https://api.github.com/repos/a/b/issues',
      query: { state: 'open' },
      headers: { Accept: 'application/json' },
      auth: { kind: 'bearer', secret: 'api_github_com' },
    })
  })

  it('takes a secret that is there', async () => {
    const { server, config, user } = openData('http')
    await paste(COMMAND)
    await screen.findByRole('option', { name: 'gh_token' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Becomes' }), 'gh_token')
    await user.click(screen.getByRole('button', { name: 'Fill in' }))
    await waitFor(() => expect(config().auth).toEqual({ kind: 'bearer', secret: 'gh_token' }))
    expect(server.to('POST /api/secrets')).toEqual([])
  })

  it('stores its token under another name', async () => {
    const answers = (server: FakeServer) => {
      server.on('POST /api/secrets', { status: 201, body: SECRETS.results[0] })
    }
    const { server, config, user } = openData('http', {}, answers, 'admin')
    await paste(COMMAND)
    const name = screen.getByRole('textbox', { name: 'Name of the secret' })
    await user.clear(name)
    await user.type(name, 'issues_key')
    await user.click(screen.getByRole('button', { name: 'Fill in' }))
    await waitFor(() => expect(config().auth).toEqual({ kind: 'bearer', secret: 'issues_key' }))
    expect(server.to('POST /api/secrets')[0]?.body).toMatchObject({ name: 'issues_key' })
  })

  it.each(['Close', 'Cancel'])('fills in nothing where it is left by %s', async (name) => {
    const { config, user } = openData('http')
    await paste(COMMAND)
    await user.click(screen.getByRole('button', { name }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(config()).toEqual({})
  })

  it('closes with Escape, which leaves the node selected', async () => {
    let left = 0
    openData('http', {}, undefined, undefined, () => left++)
    await paste(COMMAND)
    const goesOn = fireEvent.keyDown(screen.getByRole('textbox', { name: 'curl command' }), { key: 'Escape' })
    expect([goesOn, left]).toEqual([true, 0]) // the browser closes the dialog, the inspector does nothing
  })

  it('says why it cannot be read', async () => {
    openData('http')
    await paste('wget https://a.example')
    expect(screen.getByText('This begins with “wget”, not with curl.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Fill in' })).toHaveProperty('disabled', true)
  })
})

describe('a list', () => {
  it('is filtered, sorted, cut and mapped', async () => {
    const { config, user } = openData('list')
    await screen.findByRole('textbox', { name: 'Items' })
    await fill(user, 'Items', '{{ log.result }}')
    await fill(user, 'Value', '{{ item.price }}')
    await user.selectOptions(screen.getByLabelText('Sort'), 'Descending')
    await fill(user, 'Max items', '3')
    await fill(user, 'Value of each item', '{{ item.name }}')
    expect(config()).toEqual({
      items: '{{ log.result }}',
      filter: [{ left: '{{ item.price }}', op: 'eq', right: '' }],
      sort: { by: '{{ item }}', order: 'desc' },
      limit: 3,
      map: '{{ item.name }}',
    })
    await fill(user, 'Sort by', '{{ item.price }}')
    expect(config().sort).toEqual({ by: '{{ item.price }}', order: 'desc' })
    await user.selectOptions(screen.getByLabelText('Sort'), 'As they come')
    expect(config().sort).toBeUndefined()
  })
})

describe('an aggregate', () => {
  it('has values and a result', async () => {
    const { config, user } = openData('aggregate', { values: ['a'] })
    await user.click(await screen.findByRole('button', { name: 'Add value' }))
    await user.selectOptions(screen.getByLabelText('Result'), 'a list of all')
    expect(config()).toEqual({ values: ['a', ''], mode: 'list' })
  })
})
