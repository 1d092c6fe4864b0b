import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { onScreen } from '@/testing/screen'
import { refusal } from '@/testing/server'
import { addressed, aSchedule, aTrigger, atPage } from './triggers.testing'

const NOBODY = { waits_for_person: false, waits_for_client: false }

const row = async (name: string) =>
  (await screen.findByRole('link', { name })).closest('tr, li') as HTMLElement

describe('the list of triggers', () => {
  it('tells of each its kind, workflow, last delivery, next time and whom it acts as', async () => {
    atPage('/triggers', [
      aTrigger({
        last: {
          ...NOBODY,
          at: '2026-11-25T08:30:00Z',
          outcome: 'started',
          run: 'run_1',
          run_state: 'SUCCESS',
        },
      }),
      aSchedule({ id: 'trg_2', next_at: '2027-01-04T07:30:00Z' }),
    ])
    const webhook = await row('GitHub issues')
    for (const text of ['Webhook', '…4xWc', 'Support triage', 'Succeeded', 'owner@example.org'])
      expect(webhook.textContent).toContain(text)
    const schedule = await row('Weekday sweep')
    for (const text of ['Schedule', '30 8 * * 1-5, Europe/Oslo', 'Nothing yet', '2027'])
      expect(schedule.textContent).toContain(text)
    expect(screen.getByText('2 of 2 on')).toBeTruthy()
  })

  it('says why one went off by itself', async () => {
    atPage('/triggers', [aTrigger({ enabled: false, off_reason: 'failures', acts_as: null })])
    expect((await row('GitHub issues')).textContent).toContain('Off: 20 failures in a row')
  })

  it('says that a delivery was refused', async () => {
    const last = { at: '2026-11-25T08:30:00Z', outcome: 'refused', run: null, run_state: null } as const
    atPage('/triggers', [aTrigger({ last: { ...NOBODY, ...last } })])
    expect((await row('GitHub issues')).textContent).toContain('Refused')
  })

  it('says that the last run waits for a person', async () => {
    const last = {
      at: '2026-11-25T08:30:00Z',
      outcome: 'started',
      run: 'run_1',
      run_state: 'WAITING',
    } as const
    atPage('/triggers', [aTrigger({ last: { ...NOBODY, ...last, waits_for_person: true } })])
    expect((await row('GitHub issues')).textContent).toContain('Needs a person')
  })

  it('shows those of one workflow, and leads back to all', async () => {
    const { server, user, place } = atPage('/triggers?workflow=wf_1', [aTrigger()])
    expect(await screen.findByRole('heading', { name: 'Triggers of “Support triage”' })).toBeTruthy()
    expect(server.to('GET /api/workflows/wf_1/triggers')).toHaveLength(1)
    expect(server.to('GET /api/triggers')).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: 'Workflow: Support triage' }))
    await user.click(await screen.findByRole('option', { name: 'All workflows' }))
    expect(place()).toBe('/triggers')
  })

  it('switches one on only after saying in whose name it runs', async () => {
    const { server, user } = atPage('/triggers', [aTrigger({ enabled: false })])
    server.on('PATCH /api/triggers/trg_1', { body: aTrigger() })
    await user.click(await screen.findByRole('switch', { name: 'Trigger “GitHub issues” on' }))
    const question = await screen.findByRole('dialog', { name: 'Switch on “GitHub issues”?' })
    expect(question.textContent).toContain('bob@example.org')
    expect(server.to('PATCH /api/triggers/trg_1')).toHaveLength(0)
    await user.click(within(question).getByRole('button', { name: 'Switch on' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('PATCH /api/triggers/trg_1')[0]?.body).toEqual({ enabled: true })
  })

  it('keeps the question open with what the server says against it', async () => {
    const { server, user } = atPage('/triggers', [aSchedule({ enabled: false })])
    server.on('PATCH /api/triggers/trg_1', refusal(409, 'CONFLICT'))
    await user.click(await screen.findByRole('switch'))
    await user.click(await screen.findByRole('button', { name: 'Switch on' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })

  it('switches one off at once, and says so', async () => {
    const { server, user } = atPage('/triggers', [aTrigger()])
    server.on('PATCH /api/triggers/trg_1', { body: aTrigger({ enabled: false }) })
    await user.click(await screen.findByRole('switch'))
    expect(await screen.findByText(/“GitHub issues” is off/)).toBeTruthy()
    expect(server.to('PATCH /api/triggers/trg_1')[0]?.body).toEqual({ enabled: false })
  })

  it('lets editors switch schedules, and admins only webhooks', async () => {
    atPage('/triggers', [aTrigger(), aSchedule({ id: 'trg_2' })], 'editor')
    const webhook = await screen.findByRole('switch', { name: 'Trigger “GitHub issues” on' })
    expect(webhook).toHaveProperty('disabled', true)
    expect(screen.getByRole('switch', { name: 'Trigger “Weekday sweep” on' })).toHaveProperty(
      'disabled',
      false,
    )
  })

  it('stands as cards on a phone', async () => {
    onScreen('phone')
    atPage('/triggers', [aTrigger()])
    expect((await row('GitHub issues')).tagName).toBe('LI')
    expect(screen.queryByRole('table')).toBeNull()
  })

  it('says what went wrong and offers to try again', async () => {
    const { server, user } = atPage('/triggers', [aTrigger()])
    await row('GitHub issues')
    server.on('GET /api/workflows/wf_1/triggers', refusal(500, 'INTERNAL'))
    await user.click(screen.getByRole('button', { name: 'Workflow: All workflows' }))
    await user.click(await screen.findByRole('option', { name: 'Support triage' }))
    expect(await screen.findByText('The triggers could not be loaded.')).toBeTruthy()
    server.on('GET /api/workflows/wf_1/triggers', { body: { results: [aTrigger()], next: null } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await row('GitHub issues')
  })
})

describe('a new trigger', () => {
  it('is a webhook, whose address is shown once with an example', async () => {
    const { server, user, place } = atPage('/triggers?workflow=wf_1', [])
    server
      .on('POST /api/workflows/wf_1/triggers', { status: 201, body: addressed() })
      .on('GET /api/triggers/trg_1', { body: aTrigger() })
    await user.click(await screen.findByRole('button', { name: 'New trigger: Webhook' }))
    await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'GitHub issues')
    await user.click(screen.getByRole('checkbox', { name: 'PUT' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Proof' }), 'HMAC as GitHub signs')
    await screen.findByRole('option', { name: 'github_hook' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Secret' }), 'github_hook')
    await user.click(screen.getByRole('radio', { name: 'Expressions' }))
    const value = await screen.findByRole('textbox', { name: 'Value of input 1' })
    expect(value).toHaveProperty('value', '{{ request.body.issue }}')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Answer' }), 'The outputs')
    await user.click(screen.getByRole('button', { name: 'Create trigger' }))
    const shown = await screen.findByRole('dialog', { name: 'Address of “GitHub issues”' })
    expect(server.to('POST /api/workflows/wf_1/triggers')[0]?.body).toEqual({
      kind: 'webhook',
      name: 'GitHub issues',
      enabled: false,
      config: {
        methods: ['POST', 'PUT'],
        verify: { kind: 'github', secret: 'github_hook' },
        inputs: { issue: '{{ request.body.issue }}' },
        key: null,
        answer: { mode: 'outputs', wait_s: 30 },
      },
    })
    expect(shown.textContent).toContain("curl -X POST 'https://patchbay.example.org/hooks/token4xWc'")
    await user.click(within(shown).getByRole('button', { name: 'Copy address' }))
    expect(await navigator.clipboard.readText()).toBe('https://patchbay.example.org/hooks/token4xWc')
    await user.click(within(shown).getByRole('button', { name: 'Done' }))
    expect(place()).toBe('/triggers/trg_1')
    expect(await screen.findByText('Ends in …4xWc; it was shown once.')).toBeTruthy()
  })

  it('has the names of the inputs ready, also for whoever asks before they have come', async () => {
    const { server, user } = atPage('/triggers?workflow=wf_1', [])
    const { promise: come, resolve } = Promise.withResolvers<void>()
    const inputs = { properties: { issue: { type: 'string' } } }
    const graph = { nodes: [{ id: 'start', type: 'start', config: { inputs } }], edges: [] }
    server.on('GET /api/workflows/wf_1', async () => {
      await come
      return { body: { id: 'wf_1', draft: { revision: 1, graph } } }
    })
    await user.click(await screen.findByRole('button', { name: 'New trigger: Webhook' }))
    await user.click(screen.getByRole('radio', { name: 'Expressions' }))
    expect(screen.queryByRole('textbox', { name: 'Value of input 1' })).toBeNull()
    resolve()
    const value = await screen.findByRole('textbox', { name: 'Value of input 1' })
    expect(value).toHaveProperty('value', '{{ request.body.issue }}')
  })

  it('is a schedule of a chosen workflow; what is wrong stands at its field', async () => {
    const { server, user, place } = atPage('/triggers', [])
    const fields = { 'config.every_s': ['must be at least 60'], 'config.inputs.issue': ['is required'] }
    server.on('POST /api/workflows/wf_1/triggers', refusal(400, 'VALIDATION_ERROR', { fields }))
    await user.click(await screen.findByRole('button', { name: 'New trigger: Schedule' }))
    await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Weekday sweep')
    await user.click(screen.getByRole('button', { name: 'Create trigger' }))
    expect(server.to('POST /api/workflows/wf_1/triggers')).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: /^Workflow: Choose a workflow/ }))
    await user.click(await screen.findByRole('option', { name: 'Support triage' }))
    await user.click(screen.getByRole('radio', { name: 'Every' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Unit' }), 'seconds')
    await user.click(screen.getByRole('checkbox', { name: /^Switch on now/ }))
    await user.click(screen.getByRole('button', { name: 'Create trigger' }))
    const every = screen.getByRole('spinbutton', { name: /^Every/ })
    await waitFor(() => expect(every.getAttribute('aria-invalid')).toBe('true'))
    expect(screen.getByText('issue: is required')).toBeTruthy()
    const body = aSchedule({ next: ['2027-01-04T07:30:00Z'] })
    server
      .on('POST /api/workflows/wf_1/triggers', { status: 201, body: { ...body, url: null } })
      .on('GET /api/triggers/trg_1', { body })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Unit' }), 'hours')
    await user.click(screen.getByRole('button', { name: 'Create trigger' }))
    await waitFor(() => expect(place()).toBe('/triggers/trg_1'))
    expect(server.to('POST /api/workflows/wf_1/triggers').at(-1)?.body).toMatchObject({
      kind: 'schedule',
      enabled: true,
      config: { cron: null, every_s: 3600, at: null, overlap: 'skip', missed: 'last', inputs: {} },
    })
    expect(await screen.findByRole('list', { name: 'Next times' })).toBeTruthy()
  })

  it('is an event of chosen workflows', async () => {
    const { server, user } = atPage('/triggers?workflow=wf_1', [])
    server.on('POST /api/workflows/wf_1/triggers', { status: 201, body: { ...aTrigger(), url: null } })
    await user.click(await screen.findByRole('button', { name: 'New trigger: Event' }))
    await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'An audit failed')
    await user.click(screen.getByRole('button', { name: 'Add a workflow: Add a workflow' }))
    await user.click(await screen.findByRole('option', { name: 'Nightly audit' }))
    await user.click(screen.getByRole('button', { name: 'Create trigger' }))
    await waitFor(() =>
      expect(server.to('POST /api/workflows/wf_1/triggers')[0]?.body).toMatchObject({
        kind: 'event',
        config: { on: 'run_failed', workflows: ['wf_2'], inputs: null },
      }),
    )
  })

  it('is no webhook for an editor', async () => {
    atPage('/triggers', [], 'editor')
    fireEvent.click(await screen.findByRole('button', { name: 'New trigger: Webhook' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
