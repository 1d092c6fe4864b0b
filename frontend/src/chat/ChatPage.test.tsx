import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Turn } from '@/api/chat'
import { onScreen } from '@/testing/screen'
import { refusal } from '@/testing/server'
import { aTurn, atChat, ROW } from './chat.testing'

describe('the page of a chat', () => {
  it('shows what was said, the calls folded, and what it took', async () => {
    await atChat('/chat/trg_1/conv_1')
    expect((await screen.findAllByText('What is the newest tag?')).length).toBeGreaterThan(0)
    const log = screen.getByRole('log', { name: 'Conversation' })
    expect(within(log).getByText('0.7.0')).toBeTruthy()
    expect(within(log).getByText('git_tag')).toBeTruthy()
    expect(within(log).getByText(/1,204 tokens/)).toBeTruthy()
    expect(within(log).getByRole('link', { name: 'run' }).getAttribute('href')).toBe('/runs/run_1')
  })

  it('begins a conversation with the first message', async () => {
    const { server, user, place } = await atChat('/chat/trg_1/new')
    server.on('POST /api/triggers/trg_1/chat', { status: 202, body: { id: 'run_2', conversation: 'conv_1' } })
    expect(await screen.findByText('Ask me about the docs.')).toBeTruthy()
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Hello{Enter}')
    await waitFor(() => expect(place()).toBe('/chat/trg_1/conv_1'))
    expect(server.to('POST /api/triggers/trg_1/chat')[0]?.body).toEqual({ text: 'Hello', draft: false })
  })

  it('keeps what could not be sent, and says why', async () => {
    const { server, user } = await atChat('/chat/trg_1/conv_1')
    server.on('POST /api/triggers/trg_1/chat', refusal(429, 'RATE_LIMITED'))
    const field = await screen.findByRole('textbox', { name: 'Message' })
    await user.type(field, 'More{Shift>}{Enter}{/Shift}lines')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('RATE_LIMITED in words.')).toBeTruthy()
    expect((field as HTMLTextAreaElement).value).toBe('More\nlines')
    expect(localStorage.getItem('chat:unsent:trg_1:conv_1')).toBe('More\nlines')
  })

  it('goes from one version of a message to the other', async () => {
    const edited = aTurn({ id: 'turn_2', versions: ['turn_1', 'turn_2'] })
    const { server, user } = await atChat('/chat/trg_1/conv_1', [edited])
    server.on('PATCH /api/conversations/conv_1', { body: ROW })
    expect(await screen.findByText('2 of 2')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Earlier version of the message and its answer' }))
    await waitFor(() =>
      expect(server.to('PATCH /api/conversations/conv_1')[0]?.body).toEqual({ shown: 'turn_1' }),
    )
  })

  it('edits a message and tries one again', async () => {
    const { server, user } = await atChat('/chat/trg_1/conv_1')
    server.on('POST /api/triggers/trg_1/chat', { status: 202, body: { id: 'run_2', conversation: 'conv_1' } })
    await user.click(await screen.findByRole('button', { name: 'Try again' }))
    await user.click(screen.getByRole('button', { name: 'Edit the message' }))
    const field = screen.getByRole('textbox', { name: 'Edit the message' })
    await user.clear(field)
    await user.type(field, 'And the oldest?{Enter}')
    await waitFor(() =>
      expect(server.to('POST /api/triggers/trg_1/chat').map(({ body }) => body)).toEqual([
        { replaces: 'turn_1', conversation: 'conv_1' },
        { text: 'And the oldest?', replaces: 'turn_1', conversation: 'conv_1' },
      ]),
    )
  })

  it('lets nobody write who may not, and where it is off', async () => {
    await atChat('/chat/trg_1/conv_1', [aTurn()], 'viewer')
    const send = await screen.findByRole('button', { name: 'Send' })
    expect(send.getAttribute('data-tip')).toBe('Only editors can write in a chat.')
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
    expect(field.readOnly).toBe(true)
    const why = document.getElementById(field.getAttribute('aria-describedby') ?? '')
    expect(why?.textContent).toBe('Only editors can write in a chat.')
  })

  it('leads to the inbox for an approval, and shows what was answered', async () => {
    const asked = {
      id: 'int_1',
      kind: 'approval',
      title: 'Go on?',
      tool: { server: 'files', name: 'edit_file' },
      risk: { level: 'HIGH', reasons: [] },
      state: 'open',
      expires_at: null,
      answer: null,
    }
    const form = {
      ...asked,
      id: 'int_2',
      kind: 'form',
      title: 'Which release?',
      state: 'answered',
      answer: { action: 'accept', values: { release: '0.8.0' } },
      answered_by: 'bob@example.org',
      answered_at: '2026-11-26T14:02:00Z',
    }
    await atChat('/chat/trg_1/conv_1', [aTurn({ questions: [form, asked] as unknown as Turn['questions'] })])
    expect(await screen.findByText('0.8.0')).toBeTruthy()
    expect(screen.getByText('is not decided in a chat.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Open inbox' })).toBeTruthy()
  })
})

describe('the conversations of a chat', () => {
  const row = { name: /^What is the newest tag/ }

  it('are opened from their list', async () => {
    const { user, place } = await atChat('/chat/trg_1')
    await user.click(await screen.findByRole('button', row))
    await waitFor(() => expect(place()).toBe('/chat/trg_1/conv_1'))
  })

  it('become one more by a button', async () => {
    const { user, place } = await atChat('/chat/trg_1/conv_1')
    await user.click(await screen.findByRole('button', { name: 'New conversation' }))
    await waitFor(() => expect(place()).toBe('/chat/trg_1/new'))
  })

  it('are gone back to on a phone', async () => {
    onScreen('phone')
    const { user, place } = await atChat('/chat/trg_1/conv_1')
    await user.click(await screen.findByRole('button', { name: 'Conversations' }))
    await waitFor(() => expect(place()).toBe('/chat/trg_1'))
    expect(await screen.findByRole('button', row)).toBeTruthy()
  })

  it('give way to a new one where the shown one is deleted', async () => {
    const { server, user, place } = await atChat('/chat/trg_1/conv_1')
    server.on('DELETE /api/conversations/conv_1', { body: {} })
    await user.click(await screen.findByRole('button', { name: 'More about this conversation' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(place()).toBe('/chat/trg_1/new'))
  })

  it.each([
    ['the chat', 'GET /api/triggers/trg_1'],
    ['its conversations', 'GET /api/conversations'],
  ])('are asked for again where what could not be read is %s', async (_, route) => {
    const { server, user } = await atChat('/chat/trg_1', [aTurn()], 'editor', route)
    const again = await screen.findByRole('button', { name: 'Try again' })
    const before = server.to(route).length
    await user.click(again)
    await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
  })
})
