/** The chat of a workflow beside its canvas: in the inspector's place, with runs that the editor shows. */
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { loadWords } from '@/i18n'
import { refusal } from '@/testing/server'
import { openEditor } from './editor.testing'

// there before, as the code of the panels is
await Promise.all([import('@/chat/ChatPanel'), loadWords('chat')])

const TRIGGER = {
  id: 'trg_1',
  workflow: 'wf_1',
  kind: 'chat',
  name: 'Docs assistant',
  enabled: false,
  config: {},
}
const WRITE = 'POST /api/triggers/trg_1/chat'

/** The editor with its chat, opened by its button. */
async function talking() {
  const opened = await openEditor({
    prepare: (server) =>
      server
        .on('GET /api/workflows/wf_1/triggers', { body: { results: [TRIGGER], next: null } })
        .on('GET /api/conversations', { body: { results: [], next: null } })
        .on(WRITE, { status: 202, body: { id: 'run_7', conversation: null } }),
  })
  await opened.user.click(await screen.findByText('Chat'))
  const aside = () =>
    document.querySelector<HTMLElement>('.editor-chat') ?? Promise.reject(new Error('no chat'))
  const panel = within(await waitFor(aside))
  return { ...opened, panel }
}

const closed = () => waitFor(() => expect(document.querySelector('.editor-chat')).toBeNull())

it('is closed by the button that opened it', async () => {
  const { user } = await talking()
  await user.click(screen.getByRole('button', { name: 'Chat', pressed: true }))
  await closed()
})

it('is closed by its own button', async () => {
  const { user, panel } = await talking()
  await panel.findByRole('textbox', { name: 'Message' })
  await user.click(panel.getByRole('button', { name: 'Close' }))
  await closed()
})

it('writes with the draft, and the editor shows the run of the message', async () => {
  const { server, user, panel, views } = await talking()
  await user.type(await panel.findByRole('textbox', { name: 'Message' }), 'Hi{Enter}')
  await waitFor(() => expect(views.run_7).toBeDefined())
  expect(server.to(WRITE)[0]?.body).toEqual({ text: 'Hi', draft: true })
})

it('is asked for again where it could not be read', async () => {
  const route = 'GET /api/workflows/wf_1/triggers'
  const { server, user } = await openEditor({ prepare: (api) => api.on(route, refusal(500, 'INTERNAL')) })
  await user.click(await screen.findByText('Chat'))
  const again = await screen.findByRole('button', { name: 'Try again' })
  const before = server.to(route).length
  await user.click(again)
  await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
})

it('is made where there is none', async () => {
  const { server, user } = await openEditor({
    prepare: (api) => api.on('GET /api/workflows/wf_1/triggers', { body: { results: [], next: null } }),
  })
  await user.click(await screen.findByText('Chat'))
  await user.click(await screen.findByRole('button', { name: 'Add a chat' }))
  await waitFor(() =>
    expect(server.to('POST /api/workflows/wf_1/triggers')[0]?.body).toMatchObject({ kind: 'chat' }),
  )
})

it('is closed where there is none', async () => {
  const { user } = await openEditor({
    prepare: (api) => api.on('GET /api/workflows/wf_1/triggers', { body: { results: [], next: null } }),
  })
  await user.click(await screen.findByText('Chat'))
  await screen.findByRole('button', { name: 'Add a chat' })
  const aside = document.querySelector<HTMLElement>('.editor-chat')
  await user.click(within(aside as HTMLElement).getByRole('button', { name: 'Close' }))
  await closed()
})

it('goes on with an earlier conversation, with a new one, and with another version', async () => {
  const row = { id: 'conv_1', trigger: 'trg_1', title: 'Tags', draft: true, state: 'SUCCESS' }
  const { server, user, panel } = await talking()
  server
    .on('GET /api/conversations', { body: { results: [row], next: null } })
    .on('GET /api/conversations/conv_1', { body: { ...row, turns: [], earlier: null } })
    .on(WRITE, { status: 202, body: { id: 'run_7', conversation: 'conv_1' } })
  const shown = async () => (await panel.findByRole<HTMLSelectElement>('combobox')).value
  await user.type(await panel.findByRole('textbox', { name: 'Message' }), 'Hi{Enter}')
  await waitFor(async () => expect(await shown()).toBe('conv_1'))
  await user.click(panel.getByRole('button', { name: 'New conversation' }))
  await waitFor(async () => expect(await shown()).toBe(''))
  await user.selectOptions(panel.getByRole('combobox'), 'conv_1')
  await waitFor(async () => expect(await shown()).toBe('conv_1'))
  await user.click(panel.getByRole('radio', { name: 'v2' }))
  await waitFor(async () => expect(await shown()).toBe(''))
})
