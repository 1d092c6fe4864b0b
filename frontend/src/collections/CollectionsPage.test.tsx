import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadRest, loadWords } from '@/i18n'
import { refusal } from '@/testing/server'
import { aCollection, aTool, atCollections, PROMPT, URL_OF_IT } from './collections.testing'

describe('the page of collections', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('collections', 'share')])
  })

  it('shows the first with its address, its tools and its clients', async () => {
    atCollections()
    expect(await screen.findByText(URL_OF_IT)).toBeTruthy()
    expect(screen.getByText('helpdesk/add_comment')).toBeTruthy()
    expect(screen.getByText('asks')).toBeTruthy()
    expect(await screen.findByText('helpdesk-bot')).toBeTruthy()
    expect(screen.getAllByText(/1,234 calls in 7 days/)).toHaveLength(2)
  })

  it('makes a new one and opens it', async () => {
    const { server, history, user } = atCollections(null)
    await user.click(await screen.findByRole('button', { name: 'New collection' }))
    const dialog = screen.getByRole('dialog')
    await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'Support desk')
    await user.click(within(dialog).getByRole('button', { name: 'Create' }))
    expect(server.to('POST /api/collections').map((request) => request.body)).toEqual([
      { name: 'Support desk', description: '' },
    ])
    await waitFor(() => expect(history.at(-1)).toBe('/collections/col_1'))
  })

  it('edits what clients see, and says why it cannot', async () => {
    const { server, user } = atCollections()
    await user.click(await screen.findByRole('button', { name: /reply_to_customer/ }))
    const seen = screen.getByRole('region', { name: 'What clients see' })
    const name = within(seen).getByRole('textbox', { name: 'Name' })
    await user.clear(name)
    await user.type(name, 'reply')
    await user.click(within(seen).getByRole('button', { name: 'Save' }))
    expect(server.to('PATCH /api/collections/col_1/tools/ent_1')[0]?.body).toEqual({ name: 'reply' })
    server.on(
      'PATCH /api/collections/col_1/tools/ent_1',
      refusal(400, 'VALIDATION_ERROR', { fields: { name: ['is a tool that every address has'] } }),
    )
    await user.type(name, 's')
    await user.click(within(seen).getByRole('button', { name: 'Save' }))
    expect(await within(seen).findByText(/is a tool that every address has/)).toBeTruthy()
  })

  it('takes the words of the pinned original again', async () => {
    const { server, user } = atCollections()
    await user.click(await screen.findByRole('button', { name: /reply_to_customer/ }))
    await user.click(screen.getByRole('button', { name: 'As pinned' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(server.to('PATCH /api/collections/col_1/tools/ent_1')[0]?.body).toEqual({
      name: 'add_comment',
      description: 'Adds a comment.',
    })
  })

  it('leads from a changed tool to the registry', async () => {
    const { user } = atCollections(aCollection({ entries: [aTool({ changed: true })] }))
    await user.click(await screen.findByRole('button', { name: /reply_to_customer/ }))
    expect(screen.getByRole('link', { name: 'Review the change' }).getAttribute('href')).toBe(
      '/registry/helpdesk',
    )
  })

  it('takes a tool out', async () => {
    const { server, user } = atCollections()
    await user.click(await screen.findByRole('button', { name: /reply_to_customer/ }))
    await user.click(screen.getByRole('button', { name: 'Remove from collection' }))
    expect(server.to('DELETE /api/collections/col_1/tools/ent_1').length).toBe(1)
    expect(await screen.findByText('Removed reply_to_customer')).toBeTruthy()
  })

  it('edits what clients see of a prompt, and takes it out', async () => {
    const { server, user } = atCollections(aCollection({ contents: [PROMPT] }))
    server
      .on('PATCH /api/collections/col_1/contents/cnt_1', { body: PROMPT })
      .on('DELETE /api/collections/col_1/contents/cnt_1', { status: 200 })
    const contents = await screen.findByRole('region', { name: 'Resources and prompts' })
    expect(within(contents).getByText('helpdesk · triage_ticket')).toBeTruthy()
    await user.click(within(contents).getByRole('button', { name: /triage/ }))
    await user.click(within(contents).getByRole('button', { name: 'As pinned' }))
    await user.click(within(contents).getByRole('button', { name: 'Save' }))
    expect(server.to('PATCH /api/collections/col_1/contents/cnt_1')[0]?.body).toEqual({
      name: 'triage_ticket',
      description: 'Asks to sort a ticket.',
    })
    await user.click(within(contents).getByRole('button', { name: 'Remove from collection' }))
    expect(server.to('DELETE /api/collections/col_1/contents/cnt_1').length).toBe(1)
  })

  it('asks a server for its resources and prompts, and puts them in', async () => {
    const { server, user } = atCollections(aCollection({ contents: [PROMPT] }))
    const kept = { at: '2026-11-26T10:00:00Z', ttl_ms: 0, scope: 'private' }
    const about = { title: null, description: null, mime_type: null, size: null }
    server
      .on('GET /api/mcp/servers', {
        body: {
          results: [
            { id: 'srv_1', slug: 'helpdesk', name: 'Help desk', visibility: 'team', enabled: true },
            { id: 'srv_2', slug: 'off', name: 'Switched off', visibility: 'team', enabled: false },
          ],
          next: null,
        },
      })
      .on('GET /api/mcp/servers/srv_1/resources', {
        body: {
          results: [{ uri: 'helpdesk://open', name: 'Open tickets', ...about }],
          templates: [{ uri_template: 'helpdesk://tickets/{id}', name: 'Ticket', variables: null, ...about }],
          next: null,
          total: 1,
          kept,
        },
      })
      .on('GET /api/mcp/servers/srv_1/prompts', {
        body: {
          results: [{ name: 'triage_ticket', title: null, description: null, arguments: [] }],
          next: null,
          total: 1,
          kept,
        },
      })
      .on('POST /api/collections/col_1/contents', { status: 201, body: PROMPT })
    await user.click(await screen.findByRole('button', { name: 'Add resources or prompts' }))
    const dialog = screen.getByRole('dialog')
    await user.click(await within(dialog).findByRole('button', { name: /Help desk/ }))
    expect(within(dialog).queryByText('Switched off')).toBeNull()
    expect(await within(dialog).findByText('Added')).toBeTruthy()
    await user.click(within(dialog).getByRole('button', { name: 'Add Open tickets' }))
    await user.click(within(dialog).getByRole('button', { name: 'Add Ticket' }))
    expect(server.to('POST /api/collections/col_1/contents').map((request) => request.body)).toEqual([
      { server: 'helpdesk', resource: 'helpdesk://open' },
      { server: 'helpdesk', template: 'helpdesk://tickets/{id}' },
    ])
  })

  it('finds tools and workflows, and puts them in', async () => {
    const { server, user } = atCollections()
    server
      .on('GET /api/mcp/servers', {
        body: {
          results: [{ id: 'srv_1', slug: 'helpdesk', name: 'Help desk', visibility: 'team' }],
          next: null,
        },
      })
      .on('GET /api/mcp/servers/srv_1/tool-names', {
        body: {
          results: ['add_comment', 'get_ticket'].map((name) => ({
            name,
            title: '',
            description: `Can ${name}`,
            gone: false,
            risk: { level: 'LOW', reasons: [] },
          })),
          next: null,
        },
      })
      .on('GET /api/workflows', {
        body: {
          results: [
            { id: 'wf_1', name: 'Weekly digest', description: '', published_version: 7 },
            { id: 'wf_2', name: 'Draft only', description: '', published_version: null },
          ],
          next: null,
        },
      })
    await user.click(await screen.findByRole('button', { name: 'Add tools' }))
    const dialog = screen.getByRole('dialog')
    await user.click(await within(dialog).findByRole('button', { name: /Help desk/ }))
    await user.click(await within(dialog).findByRole('button', { name: 'Add get_ticket' }))
    expect(within(dialog).queryByRole('button', { name: 'Add add_comment' })).toBeNull()
    await user.click(await within(dialog).findByRole('button', { name: 'Add Weekly digest' }))
    expect(within(dialog).queryByText('Draft only')).toBeNull()
    expect(server.to('POST /api/collections/col_1/tools').map((request) => request.body)).toEqual([
      { server: 'helpdesk', tool: 'get_ticket' },
      { workflow: 'wf_1' },
    ])
  })

  it('makes a token for a client and shows it once', async () => {
    const { server, user } = atCollections()
    await user.click(await screen.findByRole('button', { name: 'Set up a client' }))
    const dialog = screen.getByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/collections/col_1/tokens')[0]?.body).toEqual({
      name: 'MCP client',
      expires_in_days: 90,
    })
    expect(await within(dialog).findByText(/Bearer pb_secret/)).toBeTruthy()
    expect(dialog.textContent).toContain(`http support-desk ${URL_OF_IT}`)
  })

  it('ends a token', async () => {
    const { server, user } = atCollections()
    await user.click(await screen.findByRole('button', { name: 'End helpdesk-bot' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'End' }))
    expect(server.to('DELETE /api/tokens/tok_1').length).toBe(1)
    expect(await screen.findByText('The token helpdesk-bot has ended')).toBeTruthy()
  })

  it('switches it off, edits and deletes it', async () => {
    const { server, history, user } = atCollections()
    await user.click(await screen.findByRole('switch', { name: 'On' }))
    expect(server.to('PATCH /api/collections/col_1')[0]?.body).toEqual({ enabled: false })
    await user.click(screen.getByRole('button', { name: 'More' }))
    await user.click(screen.getByRole('menuitem', { name: 'Edit' }))
    const slug = within(screen.getByRole('dialog')).getByRole('textbox', { name: 'End of the address' })
    await user.type(slug, '-2')
    server.on('PATCH /api/collections/col_1', refusal(409, 'CONFLICT'))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
    expect(server.to('PATCH /api/collections/col_1')[1]?.body).toEqual({
      name: 'Support desk',
      description: 'What the agents may do',
      slug: 'support-desk-2',
    })
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await user.click(screen.getByRole('button', { name: 'More' }))
    await user.click(screen.getByRole('menuitem', { name: 'Delete' }))
    await user.click(screen.getByRole('button', { name: 'Delete collection' }))
    expect(server.to('DELETE /api/collections/col_1').length).toBe(1)
    expect(history.at(-1)).toBe('/collections')
  })

  it('shows a viewer what there is, and nothing to change', async () => {
    const { user } = atCollections(aCollection({ enabled: false }), 'viewer')
    expect(await screen.findByText(/is off: its clients are refused/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /reply_to_customer/ }))
    for (const name of ['Add tools', 'New token', 'Remove from collection', 'Save', 'More'])
      expect(screen.queryByRole('button', { name }), name).toBeNull()
    expect(screen.queryByRole('switch')).toBeNull()
  })

  it('says that there is no such collection', async () => {
    atCollections(null, 'editor', '/collections/col_1')
    expect(await screen.findByText('There is no such collection')).toBeTruthy()
  })
})
