import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { refusal } from '@/testing/server'
import { aDelivery, addressed, aSchedule, aTrigger, atPage, SCHEDULE } from './triggers.testing'

const menu = async (user: ReturnType<typeof atPage>['user'], entry: string) => {
  await user.click(await screen.findByRole('button', { name: 'More actions' }))
  await user.click(await screen.findByRole('menuitem', { name: entry }))
}

describe('the page of a trigger', () => {
  it('tells its settings and in whose name it runs', async () => {
    atPage('/triggers/trg_1', [aTrigger()])
    expect(await screen.findByRole('heading', { name: 'GitHub issues' })).toBeTruthy()
    expect(screen.getByText('owner@example.org: their credentials, never their auto-approve')).toBeTruthy()
    expect(screen.getByText('None: whoever knows the address')).toBeTruthy()
    expect(await screen.findByText('Nothing has come in yet')).toBeTruthy()
  })

  it('lists the next times of a schedule, also while it is off', async () => {
    const next = ['04', '05', '06', '07', '08'].map((day) => `2027-01-${day}T07:30:00Z`)
    atPage('/triggers/trg_1', [aSchedule({ next, enabled: false })])
    const list = await screen.findByRole('list', { name: 'Next times' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(5)
    expect(screen.getByText('They start once the trigger is on.')).toBeTruthy()
  })

  it('writes moments as they are typed, without the letter between day and hour', async () => {
    const config = { ...SCHEDULE, cron: null, at: ['2027-01-31T18:00', '2027-02-01T09:00'] }
    atPage('/triggers/trg_1', [aSchedule({ config })])
    expect(await screen.findByText('2027-01-31 18:00, 2027-02-01 09:00')).toBeTruthy()
  })

  it('tells admins of the conversations on a page, and nobody of their words', async () => {
    const chat = aTrigger({ kind: 'page', name: 'Desk', config: { show: 'chat', title: 'Desk' } })
    const talk = {
      id: 'conv_1',
      messages: 3,
      going: true,
      cost: 0.25,
      created_at: '2026-11-26T14:05:00Z',
      updated_at: '2026-11-26T14:07:00Z',
    }
    const { server } = atPage('/triggers/trg_1', [chat])
    server.on('GET /api/triggers/trg_1/conversations', { body: { results: [talk], next: null } })
    const list = await screen.findByRole('list', { name: 'Conversations' })
    const row = within(list).getByRole('listitem').textContent
    expect(row).toContain('3 messages · over 2 m 00 s · cost $0.2500 · an answer is on its way')
  })

  it('asks for the conversations again', async () => {
    const chat = aTrigger({ kind: 'page', name: 'Desk', config: { show: 'chat', title: 'Desk' } })
    const { server, user } = atPage('/triggers/trg_1', [chat])
    server.on('GET /api/triggers/trg_1/conversations', refusal(500, 'INTERNAL'))
    expect(await screen.findByText('The conversations could not be loaded.')).toBeTruthy()
    server.on('GET /api/triggers/trg_1/conversations', { body: { results: [], next: null } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByText('The conversations could not be loaded.')).toBeNull())
  })

  it('leads to the chat', async () => {
    const { user, place } = atPage('/triggers/trg_1', [aTrigger({ kind: 'chat', config: { greeting: '' } })])
    await user.click(await screen.findByRole('button', { name: 'Open chat' }))
    expect(place()).toBe('/chat/trg_1')
  })

  it('is left untried', async () => {
    const { server, user } = atPage('/triggers/trg_1', [aTrigger()])
    await user.click(await screen.findByRole('button', { name: 'Try on the draft' }))
    const dialog = await screen.findByRole('dialog', { name: 'Try on the draft' })
    await user.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('POST /api/triggers/trg_1/test')).toHaveLength(0)
  })

  it('asks for no conversations where there are none, or where they are not to be seen', async () => {
    const form = aTrigger({ kind: 'page', name: 'Form', config: { show: 'form', title: 'Form' } })
    const { server } = atPage('/triggers/trg_1', [form])
    expect(await screen.findByText('Nothing has come in yet')).toBeTruthy()
    expect(server.to('GET /api/triggers/trg_1/conversations')).toHaveLength(0)
    cleanup()
    const chat = { ...form, config: { show: 'chat', title: 'Desk' } }
    const seen = atPage('/triggers/trg_1', [chat], 'editor')
    expect(await screen.findByText('Nothing has come in yet')).toBeTruthy()
    expect(seen.server.to('GET /api/triggers/trg_1/conversations')).toHaveLength(0)
  })

  it('exports all deliveries as a file', async () => {
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: () => 'blob:here', revokeObjectURL: () => {} }),
    )
    const names: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    const { server, user } = atPage('/triggers/trg_1', [aTrigger()])
    server
      .on('GET /api/triggers/trg_1/deliveries', { body: { results: [aDelivery()], next: null } })
      .on('GET /api/triggers/trg_1/deliveries/export', {
        text: '{}\n',
        headers: { 'Content-Disposition': 'attachment; filename="deliveries-trg_1.jsonl"' },
      })
    await user.click(await screen.findByRole('button', { name: 'Export all deliveries' }))
    await waitFor(() => expect(names).toEqual(['deliveries-trg_1.jsonl']))
  })

  it('says why it is off and what next', async () => {
    atPage('/triggers/trg_1', [
      aTrigger({ enabled: false, off_reason: 'left', off_at: '2026-11-19T08:00:00Z' }),
    ])
    expect(await screen.findByText('Off: the person it acted as left the team')).toBeTruthy()
    expect(screen.getByText(/Its runs then go in the name of whoever switches it on/)).toBeTruthy()
  })

  it('changes only what was changed', async () => {
    const { server, user } = atPage('/triggers/trg_1', [aSchedule()])
    server.on('PATCH /api/triggers/trg_1', { body: aSchedule() })
    await menu(user, 'Edit')
    const dialog = await screen.findByRole('dialog', { name: 'Edit “Weekday sweep”' })
    expect(dialog.textContent).toContain('your name, bob@example.org')
    await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), ' 2')
    await user.click(within(dialog).getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('PATCH /api/triggers/trg_1')[0]?.body).toEqual({ name: 'Weekday sweep 2' })
    await menu(user, 'Edit')
    const cron = await screen.findByRole('textbox', { name: /^Cron/ })
    await user.clear(cron)
    await user.type(cron, '0 9 * * *')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('PATCH /api/triggers/trg_1').at(-1)?.body).toEqual({
      name: 'Weekday sweep',
      config: { ...SCHEDULE, cron: '0 9 * * *' },
    })
  })

  it('is taken over by who asks for it', async () => {
    const { server, user } = atPage('/triggers/trg_1', [aTrigger()])
    server.on('PATCH /api/triggers/trg_1', { body: aTrigger({ acts_as: 'bob@example.org' }) })
    await menu(user, 'Take over')
    const question = await screen.findByRole('dialog', { name: 'Take over “GitHub issues”?' })
    await user.click(within(question).getByRole('button', { name: 'Take over' }))
    await waitFor(() => expect(server.to('PATCH /api/triggers/trg_1')[0]?.body).toEqual({ enabled: true }))
  })

  it('gets a new address after asking', async () => {
    const { server, user } = atPage('/triggers/trg_1', [aTrigger()])
    server.on('POST /api/triggers/trg_1/rotate', { body: addressed() })
    await menu(user, 'New address')
    const question = await screen.findByRole('dialog', { name: 'New address for “GitHub issues”?' })
    expect(server.to('POST /api/triggers/trg_1/rotate')).toHaveLength(0)
    await user.click(within(question).getByRole('button', { name: 'New address' }))
    const shown = await screen.findByRole('dialog', { name: 'Address of “GitHub issues”' })
    expect(within(shown).getByText('https://patchbay.example.org/hooks/token4xWc')).toBeTruthy()
  })

  it('is deleted after asking', async () => {
    const { server, user, place } = atPage('/triggers/trg_1', [aTrigger()])
    server.on('DELETE /api/triggers/trg_1', { body: {} })
    await menu(user, 'Delete')
    const question = await screen.findByRole('dialog', { name: 'Delete “GitHub issues”?' })
    await user.click(within(question).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(place()).toBe('/triggers'))
    expect(server.to('DELETE /api/triggers/trg_1')).toHaveLength(1)
  })

  it('is tried on the draft with what is typed, or with a sample; a refusal names the input', async () => {
    const { server, user, place } = atPage('/triggers/trg_1', [aTrigger()])
    const fields = { 'inputs.issue': ['is required'] }
    server.on('POST /api/triggers/trg_1/test', refusal(400, 'VALIDATION_ERROR', { fields }))
    await user.click(await screen.findByRole('button', { name: 'Try on the draft' }))
    const dialog = await screen.findByRole('dialog', { name: 'Try on the draft' })
    const field = within(dialog).getByRole('textbox', { name: /^Request/ })
    expect(JSON.parse((field as HTMLTextAreaElement).value).method).toBe('POST')
    expect(field.className).toContain('input-mono')
    const run = within(dialog).getByRole('button', { name: 'Run the draft' })
    await user.clear(field)
    await user.type(field, 'no JSON')
    await user.click(run)
    expect(within(dialog).getByText('This is not a JSON object.')).toBeTruthy()
    expect(server.to('POST /api/triggers/trg_1/test')).toHaveLength(0)
    await user.clear(field)
    await user.paste('{"method": "PUT", "body": {"issue": 1}}')
    await user.click(run)
    expect(await within(dialog).findByText('inputs.issue')).toBeTruthy()
    server.on('POST /api/triggers/trg_1/test', { status: 202, body: { id: 'run_9' } })
    await user.clear(field)
    await user.click(run)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await user.click(await screen.findByRole('button', { name: 'Open the run' }))
    expect(place()).toBe('/runs/run_9')
    expect(server.to('POST /api/triggers/trg_1/test').map(({ body }) => body)).toEqual([
      { request: { method: 'PUT', body: { issue: 1 } } },
      {},
    ])
  })
})

describe('its deliveries', () => {
  const shown = async (...deliveries: readonly ReturnType<typeof aDelivery>[]) => {
    const page = atPage('/triggers/trg_1', [aTrigger()])
    page.server.on('GET /api/triggers/trg_1/deliveries', { body: { results: deliveries, next: null } })
    const list = await screen.findByRole('list', { name: 'Deliveries' })
    return { ...page, list }
  }

  it('lead to their runs, and unfold to what came in', async () => {
    const { list, user } = await shown(aDelivery())
    expect(list.textContent).toContain('Succeeded')
    expect(list.textContent).toContain('Answer 202')
    expect(within(list).getByRole('link').getAttribute('href')).toBe('/runs/run_abcdef')
    expect(within(list).queryByText('What came in')).toBeNull()
    await user.click(list.querySelector('summary') as HTMLElement)
    expect(await within(list).findByText('What came in')).toBeTruthy()
    expect(list.textContent).toContain('"POST"')
  })

  it('say why one was refused', async () => {
    const error = {
      code: 'VALIDATION_ERROR',
      message: 'The request is not valid.',
      hint: '',
      fields: { 'inputs.issue': ['is required'] },
    }
    const { list, user } = await shown(
      aDelivery({ outcome: 'refused', run: null, run_state: null, status: 400, error }),
    )
    expect(list.textContent).toContain('No run')
    await user.click(list.querySelector('summary') as HTMLElement)
    expect(await within(list).findByText('The request is not valid.')).toBeTruthy()
    expect(list.textContent).toContain('inputs.issue is required')
  })

  it('are narrowed down to those that went wrong', async () => {
    const { list, user } = await shown(aDelivery(), aDelivery({ id: 'dlv_2', run_state: 'ERROR' }))
    expect(within(list).getAllByRole('listitem')).toHaveLength(2)
    await user.click(screen.getByRole('radio', { name: '1 went wrong' }))
    expect(within(list).getAllByRole('listitem')).toHaveLength(1)
    expect(list.textContent).toContain('Failed')
  })

  it('are replayed, and tried on the draft', async () => {
    const { server, list, user } = await shown(aDelivery())
    server
      .on('POST /api/triggers/trg_1/deliveries/dlv_1/replay', { status: 202, body: { id: 'run_9' } })
      .on('POST /api/triggers/trg_1/test', { status: 202, body: { id: 'run_10' } })
    await user.click(list.querySelector('summary') as HTMLElement)
    await user.click(await within(list).findByRole('button', { name: 'Replay' }))
    expect(await screen.findByText('Run started.')).toBeTruthy()
    expect(server.to('POST /api/triggers/trg_1/deliveries/dlv_1/replay')).toHaveLength(1)
    await user.click(within(list).getByRole('button', { name: 'Try on the draft' }))
    await waitFor(() =>
      expect(server.to('POST /api/triggers/trg_1/test')[0]?.body).toEqual({ delivery: 'dlv_1' }),
    )
  })

  it('say what is against a replay', async () => {
    const { server, list, user } = await shown(aDelivery())
    const fields = { 'inputs.issue': ['is required'] }
    server.on(
      'POST /api/triggers/trg_1/deliveries/dlv_1/replay',
      refusal(400, 'VALIDATION_ERROR', { fields }),
    )
    await user.click(list.querySelector('summary') as HTMLElement)
    await user.click(await within(list).findByRole('button', { name: 'Replay' }))
    expect(await screen.findByText(/inputs\.issue: is required/)).toBeTruthy()
  })
})
