/** Trying a trigger from the editor: with a delivery or a sample, the draft saved before, its run shown after. */
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { loadWords } from '@/i18n'
import { command } from '@/testing/commands'
import { refusal } from '@/testing/server'
import { aDelivery, aSchedule, aTrigger } from '@/triggers/triggers.testing'
import { openEditor } from './editor.testing'

// there before, as the code of the panels is
await Promise.all([import('@/triggers/TryInEditor'), loadWords('triggers')])

const TRY = 'POST /api/triggers/trg_1/test'
const OLDER = aDelivery({
  id: 'dlv_0',
  outcome: 'refused',
  run: null,
  run_state: null,
  request: { n: 'one' },
})

/** The dialog over the editor, with what the workflow has. */
async function trying(triggers: readonly unknown[], role?: 'viewer') {
  const opened = await openEditor({
    ...(role ? { role } : {}),
    prepare: (server) =>
      server
        .on('GET /api/workflows/wf_1/triggers', { body: { results: triggers, next: null } })
        .on('GET /api/triggers/trg_1/deliveries', { body: { results: [aDelivery(), OLDER], next: null } })
        .on('GET /api/triggers/trg_2/deliveries', { body: { results: [], next: null } })
        .on(TRY, { status: 202, body: { id: 'run_7' } })
        .on('POST /api/triggers/trg_2/test', { status: 202, body: { id: 'run_8' } }),
  })
  await command('editor.try_trigger')
  return { ...opened, dialog: within(await screen.findByRole('dialog')) }
}

it('runs the draft with the newest delivery, and the editor shows the run', async () => {
  const { server, user, dialog, views } = await trying([aTrigger()])
  const [newest] = await dialog.findAllByRole('radio')
  expect((newest as HTMLInputElement).checked).toBe(true)
  await user.click(dialog.getByRole('button', { name: 'Run the draft' }))
  await waitFor(() => expect(views.run_7).toBeDefined())
  expect(server.to(TRY)[0]?.body).toEqual({ delivery: 'dlv_1' })
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('runs it with an older one, or with a sample', async () => {
  const { server, user, dialog } = await trying([aTrigger()])
  await user.click((await dialog.findAllByRole('radio'))[1] as HTMLElement)
  server.on(TRY, refusal(400, 'VALIDATION', { fields: { 'inputs.name': ['is missing'] } }))
  await user.click(dialog.getByRole('button', { name: 'Run the draft' }))
  expect(await dialog.findByText('inputs.name')).toBeTruthy()
  await user.click(dialog.getByRole('radio', { name: /^Sample/ }))
  await user.click(dialog.getByRole('button', { name: 'Run the draft' }))
  await waitFor(() => expect(server.to(TRY)).toHaveLength(2))
  expect(server.to(TRY).map(({ body }) => body)).toEqual([{ delivery: 'dlv_0' }, {}])
})

it('tries another trigger of the workflow, never its chat', async () => {
  const chat = aTrigger({ id: 'trg_3', kind: 'chat', name: 'Talk', config: {} })
  const { server, user, dialog, views } = await trying([chat, aTrigger(), aSchedule({ id: 'trg_2' })])
  const choice = await dialog.findByRole('combobox', { name: 'Trigger' })
  expect(within(choice).getAllByRole('option')).toHaveLength(2)
  await user.selectOptions(choice, 'Weekday sweep · Schedule')
  await waitFor(() => expect(screen.getAllByRole('radio')).toHaveLength(1))
  await user.click(screen.getByRole('button', { name: 'Run the draft' }))
  await waitFor(() => expect(views.run_8).toBeDefined())
  expect(server.to('POST /api/triggers/trg_2/test')[0]?.body).toEqual({})
})

it('says where there is nothing to try, and leads to the triggers', async () => {
  const { dialog } = await trying([])
  expect(await dialog.findByText('No triggers to try')).toBeTruthy()
  expect(dialog.getByRole('link', { name: 'Triggers' }).getAttribute('href')).toBe('/triggers?workflow=wf_1')
})

it('is closed again, without a run', async () => {
  const { server, user, dialog } = await trying([aTrigger()])
  await dialog.findAllByRole('radio')
  await user.click(dialog.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(server.to(TRY)).toEqual([])
})

it('asks again for triggers and deliveries that could not be read', async () => {
  const opened = await openEditor({
    prepare: (server) =>
      server
        .on('GET /api/workflows/wf_1/triggers', refusal(403, 'FORBIDDEN'))
        .on('GET /api/triggers/trg_1/deliveries', refusal(403, 'FORBIDDEN')),
  })
  await command('editor.try_trigger')
  const dialog = within(await screen.findByRole('dialog'))
  const triggers = await dialog.findByRole('button', { name: 'Try again' })
  opened.server.on('GET /api/workflows/wf_1/triggers', { body: { results: [aTrigger()], next: null } })
  await opened.user.click(triggers)
  await dialog.findByRole('combobox', { name: 'Trigger' })
  const deliveries = await dialog.findByRole('button', { name: 'Try again' })
  opened.server.on('GET /api/triggers/trg_1/deliveries', { body: { results: [aDelivery()], next: null } })
  await opened.user.click(deliveries)
  await waitFor(() => expect(dialog.getAllByRole('radio')).toHaveLength(2))
})
