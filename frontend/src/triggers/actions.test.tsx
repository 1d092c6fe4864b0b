/** Every field of the triggers' forms in what is sent, and every way out of a dialog. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { refusal } from '@/testing/server'
import { aDelivery, addressed, aSchedule, aTrigger, atPage } from './triggers.testing'

const MAKE = 'POST /api/workflows/wf_1/triggers'
const CHANGE = 'PATCH /api/triggers/trg_1'
type Page = ReturnType<typeof atPage>

/** The label of a field, with or without the mark of what is required. */
const called = (name: string) => new RegExp(`^${name}\\W*$`)

/** The form of a new trigger of the first workflow; its settings as they are sent. */
async function form(kind: 'Webhook' | 'Schedule' | 'Event' | 'Page' | 'Chat') {
  const page = atPage('/triggers?workflow=wf_1', [])
  page.server
    .on(MAKE, { status: 201, body: { ...aTrigger(), url: null } })
    .on('GET /api/triggers/trg_1', { body: aTrigger() })
  await page.user.click(await screen.findByRole('button', { name: `New trigger: ${kind}` }))
  const dialog = within(await screen.findByRole('dialog'))
  const { user, server } = page
  return {
    ...page,
    dialog,
    type: async (name: string, text: string) => {
      const field = dialog.getByLabelText(called(name), {
        selector: 'input:not([type="radio"]), textarea',
      })
      await user.clear(field)
      await user.click(field)
      await user.paste(text)
    },
    choose: (name: string, option: string) =>
      user.selectOptions(dialog.getByRole('combobox', { name }), option),
    sent: async () => {
      await user.click(dialog.getByRole('button', { name: 'Create trigger' }))
      await waitFor(() => expect(server.to(MAKE)).toHaveLength(1))
      return server.to(MAKE)[0]?.body as { readonly config: Readonly<Record<string, unknown>> }
    },
  }
}

describe('a webhook', () => {
  it('is signed and answered in its own form', async () => {
    const { type, choose, user, dialog, sent } = await form('Webhook')
    await choose('Proof', 'HMAC, your own form')
    await dialog.findByRole('option', { name: 'github_hook' })
    await choose('Secret', 'github_hook')
    await type('Header', 'X-Sig')
    await type('Prefix', 'sha256=')
    await choose('Encoding', 'base64')
    await type('What is signed', '{timestamp}.{body}')
    await type('Header with the timestamp', 'X-Time')
    await type('Oldest timestamp, seconds', '60')
    await type('One run per', '{{ request.body.id }}')
    await choose('Answer', 'Your own answer')
    await type('Longest wait, seconds', '5')
    await type('Status', '201')
    await type('Body', 'taken')
    await user.click(dialog.getByRole('button', { name: 'Add header' }))
    await type('Name of header 1', 'X-One')
    await type('Value of header 1', '1')
    expect((await sent()).config).toEqual({
      methods: ['POST'],
      verify: {
        kind: 'hmac',
        secret: 'github_hook',
        header: 'X-Sig',
        prefix: 'sha256=',
        encoding: 'base64',
        payload: '{timestamp}.{body}',
        timestamp_header: 'X-Time',
        tolerance_s: 60,
      },
      inputs: null,
      key: '{{ request.body.id }}',
      answer: { mode: 'custom', wait_s: 5, status: 201, headers: { 'X-One': '1' }, body: 'taken' },
    })
  })

  it('takes its inputs from expressions, a line each', async () => {
    const { type, user, dialog, sent } = await form('Webhook')
    await user.click(dialog.getByRole('radio', { name: 'Expressions' }))
    await dialog.findByLabelText('Name of input 1')
    await user.click(dialog.getByRole('button', { name: 'Add input' }))
    await user.click(dialog.getByRole('button', { name: 'Remove input 1' }))
    expect(dialog.queryByLabelText('Name of input 2')).toBeNull()
    await type('Name of input 1', 'title')
    await type('Value of input 1', '7')
    expect((await sent()).config).toMatchObject({ inputs: { title: 7 } })
  })
})

describe('a schedule', () => {
  it('has dates, in a zone that is offered while one chooses', async () => {
    const { type, choose, user, dialog, sent } = await form('Schedule')
    await user.click(dialog.getByRole('radio', { name: 'Dates' }))
    await type('Dates', '2027-01-31 18:00\n2027-02-01 09:00')
    const zones = () => document.querySelectorAll('#trigger-zones option').length
    expect(zones()).toBe(0)
    await type('Time zone', 'Asia/Tokyo')
    expect(zones()).toBeGreaterThan(100)
    fireEvent.blur(dialog.getByLabelText(called('Time zone'), { selector: 'input' }))
    expect(zones()).toBe(0)
    await choose('If one still runs', 'Queue one')
    await choose('If Patchbay was down', 'Run none')
    expect((await sent()).config).toMatchObject({
      cron: null,
      at: ['2027-01-31 18:00', '2027-02-01 09:00'],
      timezone: 'Asia/Tokyo',
      overlap: 'queue',
      missed: 'none',
    })
  })

  it('comes every so often', async () => {
    const { type, choose, user, dialog, sent } = await form('Schedule')
    await user.click(dialog.getByRole('radio', { name: 'Every' }))
    await type('Every', '3')
    await choose('Unit', 'days')
    expect((await sent()).config).toMatchObject({ every_s: 259_200 })
  })
})

describe('an event', () => {
  it('is another, and not of a workflow that was taken away again', async () => {
    const { choose, user, dialog, sent } = await form('Event')
    await choose('When', 'A question opened')
    await user.click(dialog.getByRole('button', { name: 'Add a workflow: Add a workflow' }))
    await user.click(await screen.findByRole('option', { name: 'Nightly audit' }))
    await user.click(await dialog.findByRole('button', { name: 'Remove “Nightly audit”' }))
    expect((await sent()).config).toMatchObject({ on: 'question_opened', workflows: [] })
  })
})

describe('a dialog', () => {
  const closed = async ({ user }: Page, title: string) => {
    const dialog = await screen.findByRole('dialog', { name: title })
    const close = /^(Close|Cancel)$/
    await user.click(within(dialog).getAllByRole('button', { name: close })[0] as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }
  const menu = async ({ user }: Page, entry: string) => {
    await user.click(await screen.findByRole('button', { name: 'More actions' }))
    await user.click(await screen.findByRole('menuitem', { name: entry }))
  }

  it('of a new trigger is opened from the menu and left', async () => {
    const page = atPage('/triggers', [aTrigger()])
    await page.user.click(await screen.findByRole('button', { name: 'New trigger' }))
    await page.user.click(await screen.findByRole('menuitem', { name: 'Schedule' }))
    await closed(page, 'New trigger: Schedule')
  })

  it('with the address of a new webhook is left, and leads to it', async () => {
    const page = await form('Webhook')
    page.server.on(MAKE, { status: 201, body: addressed() })
    await page.sent()
    await closed(page, 'Address of “GitHub issues”')
    expect(page.place()).toBe('/triggers/trg_1')
  })

  it.each([
    ['Edit', 'Edit “GitHub issues”'],
    ['Take over', 'Take over “GitHub issues”?'],
    ['New address', 'New address for “GitHub issues”?'],
    ['Delete', 'Delete “GitHub issues”?'],
  ])('is left: %s', async (entry, title) => {
    const page = atPage('/triggers/trg_1', [aTrigger()])
    await menu(page, entry)
    await closed(page, title)
    for (const route of [CHANGE, 'POST /api/triggers/trg_1/rotate', 'DELETE /api/triggers/trg_1'])
      expect(page.server.to(route)).toEqual([])
  })

  it('with another address is left', async () => {
    const page = atPage('/triggers/trg_1', [aTrigger()])
    page.server.on('POST /api/triggers/trg_1/rotate', { body: addressed() })
    await menu(page, 'New address')
    const question = within(await screen.findByRole('dialog'))
    await page.user.click(question.getByRole('button', { name: 'New address' }))
    await closed(page, 'Address of “GitHub issues”')
  })

  it('that takes over is left once that is done', async () => {
    const page = atPage('/triggers/trg_1', [aTrigger()])
    page.server.on(CHANGE, { body: aTrigger({ acts_as: 'bob@example.org' }) })
    await menu(page, 'Take over')
    const question = within(await screen.findByRole('dialog'))
    await page.user.click(question.getByRole('button', { name: 'Take over' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('that switches on is left', async () => {
    const page = atPage('/triggers', [aTrigger({ enabled: false })])
    await page.user.click(await screen.findByRole('switch'))
    await closed(page, 'Switch on “GitHub issues”?')
    expect(page.server.to(CHANGE)).toEqual([])
  })
})

describe('what went wrong', () => {
  it('in switching one off is told', async () => {
    const { server, user } = atPage('/triggers', [aTrigger()])
    server.on(CHANGE, refusal(409, 'CONFLICT'))
    await user.click(await screen.findByRole('switch'))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })

  it.each([
    ['a trigger', 'GET /api/triggers/trg_1', aTrigger(), 'GitHub issues'],
    [
      'its deliveries',
      'GET /api/triggers/trg_1/deliveries',
      { results: [aDelivery()], next: null },
      'Answer 202',
    ],
  ])('in loading %s is tried again', async (_, route, body, text) => {
    const { server, user } = atPage('/triggers', [aTrigger()])
    server.on(route, refusal(500, 'INTERNAL'))
    await user.click(await screen.findByRole('link', { name: 'GitHub issues' }))
    const again = await screen.findByRole('button', { name: 'Try again' })
    expect(screen.queryByText(text, { exact: false, selector: 'h1, li *' })).toBeNull()
    server.on(route, { body })
    await user.click(again)
    expect(await screen.findByText(text, { exact: false, selector: 'h1, li *' })).toBeTruthy()
  })
})

describe('the list', () => {
  it('is narrowed down to a workflow that is looked for', async () => {
    const { user, place } = atPage('/triggers', [aSchedule()])
    await user.click(await screen.findByRole('button', { name: 'Workflow: All workflows' }))
    await user.click(await screen.findByRole('option', { name: 'Nightly audit' }))
    expect(place()).toBe('/triggers?workflow=wf_2')
  })
})

describe('a page', () => {
  it('is a chat for members, with its sites and limits', async () => {
    const { type, choose, dialog, sent } = await form('Page')
    dialog.getByText('Its runs go in the name of who switches it on.')
    await choose('Shows', 'Chat')
    await choose('Open to', 'Members who are signed in')
    await type('Title', 'Ask us')
    await type('Text', 'We answer.')
    await type('Sites that may embed it', 'https://a.example.org\n\nhttps://b.example.org')
    await type('Cost per day', '2.5')
    await type('Runs per minute', '7')
    dialog.getByText('Whoever writes')
    expect((await sent()).config).toEqual({
      show: 'chat',
      access: 'members',
      title: 'Ask us',
      text: 'We answer.',
      origins: ['https://a.example.org', 'https://b.example.org'],
      cost_per_day: 2.5,
      per_min: 7,
    })
  })
})

describe('a chat', () => {
  it('greets as it is told to', async () => {
    const { type, sent } = await form('Chat')
    await type('Greeting', 'What shall it be?')
    expect((await sent()).config).toMatchObject({ greeting: 'What shall it be?' })
  })
})
