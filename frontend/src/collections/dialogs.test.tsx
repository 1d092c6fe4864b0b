/** What is done in the dialogs of a collection and beside them: looking for things, closing, trying again. */
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { refusal } from '@/testing/server'
import { aCollection, aTool, atCollections } from './collections.testing'

const AT = '/collections/col_1'
const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

/** Presses the buttons of these names, one after the other, the first as soon as it is there. */
async function opened(...names: readonly string[]) {
  const page = atCollections(aCollection(), 'editor', AT)
  const [first = '', ...more] = names
  await page.user.click(await screen.findByRole('button', { name: first }))
  for (const name of more) await page.user.click(screen.getByRole('menuitem', { name }))
  return { ...page, dialog: within(await screen.findByRole('dialog')) }
}

describe('a dialog of a collection', () => {
  it.each([
    ['Add tools', 'Close'],
    ['Add resources or prompts', 'Close'],
    ['Set up a client', 'Close'],
    ['New collection', 'Cancel'],
    ['End helpdesk-bot', 'Cancel'],
    ['More > Edit', 'Cancel'],
    ['More > Delete', 'Cancel'],
  ])('is closed at its head and at its foot: %s', async (names, foot) => {
    const { server, user, dialog } = await opened(...names.split(' > '))
    await user.click(dialog.getAllByRole('button', { name: 'Close' })[0] as HTMLElement)
    await gone()
    const [first = '', ...more] = names.split(' > ')
    await user.click(screen.getByRole('button', { name: first }))
    for (const name of more) await user.click(screen.getByRole('menuitem', { name }))
    const again = within(await screen.findByRole('dialog'))
    await user.click(again.getAllByRole('button', { name: foot }).at(-1) as HTMLElement)
    await gone()
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('closes once the collection is made, with the description that was written', async () => {
    const { server, user, dialog } = await opened('New collection')
    await user.type(dialog.getByRole('textbox', { name: /^Name/ }), 'Sales')
    await user.type(dialog.getByRole('textbox', { name: /^Description/ }), 'Quotes')
    await user.click(dialog.getByRole('button', { name: 'Create' }))
    await gone()
    expect(server.to('POST /api/collections')[0]?.body).toEqual({ name: 'Sales', description: 'Quotes' })
  })

  it('closes once a token has ended', async () => {
    const { user, dialog } = await opened('End helpdesk-bot')
    await user.click(dialog.getByRole('button', { name: 'End' }))
    await gone()
  })

  it('makes a token under the name of the client, from the list of clients too', async () => {
    const { server, user, dialog } = await opened('New token')
    const name = dialog.getByRole('textbox', { name: 'Name of the client' })
    await user.clear(name)
    await user.type(name, 'Cursor')
    await user.click(dialog.getByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/collections/col_1/tokens')[0]?.body).toEqual({
      name: 'Cursor',
      expires_in_days: 90,
    })
  })

  it('looks for what is typed, and says why something cannot be put in', async () => {
    const page = atCollections(aCollection(), 'editor', AT)
    const workflow = { id: 'wf_1', name: 'Weekly digest', description: '', published_version: 7 }
    page.server
      .on('GET /api/mcp/servers', { body: { results: [], next: null } })
      .on('GET /api/workflows', { body: { results: [workflow], next: null } })
      .on('POST /api/collections/col_1/tools', refusal(409, 'CONFLICT'))
    await page.user.click(await screen.findByRole('button', { name: 'Add tools' }))
    await page.user.type(screen.getByRole('searchbox', { name: 'Find a server, tool or workflow' }), 'week')
    await waitFor(() =>
      expect(page.server.to('GET /api/workflows').some(({ path }) => path.includes('q=week'))).toBe(true),
    )
    await page.user.click(await screen.findByRole('button', { name: 'Add Weekly digest' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })
})

describe('a collection', () => {
  it('is left for the list once it is deleted', async () => {
    const { history, user, dialog } = await opened('More', 'Delete')
    await user.click(dialog.getByRole('button', { name: 'Delete collection' }))
    await waitFor(() => expect(history.at(-1)).toBe('/collections'))
  })

  it('with many tools shows those that fit the filter', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'refund']
    const entries = names.map((name) => aTool({ id: `ent_${name}`, name: `tool_${name}` }))
    const { user } = atCollections(aCollection({ entries }), 'editor', AT)
    await user.type(await screen.findByRole('searchbox', { name: 'Filter tools' }), 'refund')
    expect(screen.getByRole('button', { name: /tool_refund/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /tool_a/ })).toBeNull()
  })

  it('gives a tool another description, and says why it cannot be taken out', async () => {
    const tool = '/api/collections/col_1/tools/ent_1'
    const { server, user } = atCollections(aCollection(), 'editor', AT)
    server.on(`DELETE ${tool}`, refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('button', { name: /reply_to_customer/ }))
    const seen = within(screen.getByRole('region', { name: 'What clients see' }))
    await user.type(seen.getByRole('textbox', { name: 'Description' }), ' Politely.')
    await user.click(seen.getByRole('button', { name: 'Save' }))
    expect(server.to(`PATCH ${tool}`)[0]?.body).toEqual({ description: 'Answer the customer. Politely.' })
    await user.click(seen.getByRole('button', { name: 'Remove from collection' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it.each([
    ['the list', 'GET /api/collections'],
    ['the collection', 'GET /api/collections/col_1'],
    ['its clients', 'GET /api/collections/col_1/tokens'],
  ])('is asked for again where what could not be read is %s', async (_, route) => {
    const { server, user } = atCollections(aCollection(), 'editor', AT)
    server.on(route, refusal(500, 'INTERNAL'))
    const again = await screen.findByRole('button', { name: 'Try again' })
    const before = server.to(route).length
    await user.click(again)
    await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
  })
})
