/** What is done inside a conversation: writing, files, stopping, editing, answering, and the menu over it. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { Turn } from '@/api/chat'
import { aQuestion } from '@/interactions/interactions.testing'
import { refusal } from '@/testing/server'
import { begun, fakeUploads } from '@/testing/uploads'
import { aTurn, atChat, detail, ROW, RUN } from './chat.testing'

const WRITE = 'POST /api/triggers/trg_1/chat'
const CHANGE = 'PATCH /api/conversations/conv_1'
const message = () => screen.findByRole('textbox', { name: 'Message' })

const asks = (...questions: ReturnType<typeof aQuestion>[]): Turn[] => [
  aTurn({ questions: questions as unknown as Turn['questions'] }),
]

describe('what is said in a conversation', () => {
  it('stays where it is read while earlier messages come, and follows at its end', async () => {
    vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(1000)
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(100)
    const { server, user } = await atChat('/chat/trg_1/conv_1')
    const route = 'GET /api/conversations/conv_1'
    server.on(route, ({ path }) =>
      path.includes('before=cur_1')
        ? { body: detail(aTurn({ id: 'turn_0', text: 'Hello there' })) }
        : { body: { ...detail(aTurn()), earlier: 'cur_1' } },
    )
    server.on(WRITE, { status: 202, body: { id: 'run_2', conversation: 'conv_1' } })
    const log = await screen.findByRole('log', { name: 'Conversation' })
    await user.type(await message(), 'More{Enter}')
    const earlier = await within(log).findByRole('button', { name: 'Earlier messages' })
    expect(log.scrollTop).toBe(1000)
    fireEvent.scroll(log, { target: { scrollTop: 200 } })
    await user.click(earlier)
    expect(await within(log).findByText('Hello there')).toBeTruthy()
    expect(log.scrollTop).toBe(200)
  })

  it('is shown in its later version', async () => {
    const first = aTurn({ versions: ['turn_1', 'turn_2'] })
    const { server, user } = await atChat('/chat/trg_1/conv_1', [first])
    server.on(CHANGE, { body: ROW })
    await user.click(
      await screen.findByRole('button', { name: 'Later version of the message and its answer' }),
    )
    await waitFor(() => expect(server.to(CHANGE)[0]?.body).toEqual({ shown: 'turn_2' }))
  })

  it('is edited in a field of its own, sent by its button and left by Cancel or Escape', async () => {
    const { server, user } = await atChat('/chat/trg_1/conv_1')
    server.on(WRITE, { status: 202, body: { id: 'run_2', conversation: 'conv_1' } })
    const field = () => screen.queryByRole('textbox', { name: 'Edit the message' })
    const edit = async () => user.click(await screen.findByRole('button', { name: 'Edit the message' }))
    await edit()
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(field()).toBeNull()
    await edit()
    await user.keyboard('{Escape}')
    expect(field()).toBeNull()
    await edit()
    await user.type(field() as HTMLElement, ' Please')
    const form = field()?.closest('form') as HTMLElement
    await user.click(within(form).getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(field()).toBeNull())
    const body = { text: 'What is the newest tag? Please', replaces: 'turn_1', conversation: 'conv_1' }
    expect(server.to(WRITE).map((request) => request.body)).toEqual([body])
  })
})

describe('a question in a conversation', () => {
  const form = aQuestion({
    id: 'int_2',
    kind: 'form',
    title: 'Which release?',
    tool: null,
    schema: { type: 'object', properties: { release: { type: 'string', title: 'Release' } } },
    proposal: {},
  })

  it('keeps what was filled in until it is answered, and shows the answer then', async () => {
    const opened = await atChat('/chat/trg_1/conv_1', asks(form))
    const field = await screen.findByLabelText('Release')
    await opened.user.type(field, '0.8.0')
    expect(localStorage.getItem('chat:unsent:answer:int_2')).toBe('{"release":"0.8.0"}')
    const sent = 'POST /api/interactions/int_2/answer'
    opened.server.on(sent, { body: { ...form, state: 'answered' } })
    await opened.user.click(
      within(screen.getByRole('region', { name: 'Which release?' })).getByRole('button', { name: 'Send' }),
    )
    await waitFor(() => expect(screen.queryByLabelText('Release')).toBeNull())
    expect(screen.getByText('0.8.0')).toBeTruthy()
    expect(opened.server.to(sent)[0]?.body).toEqual({ action: 'accept', values: { release: '0.8.0' } })
    expect(localStorage.getItem('chat:unsent:answer:int_2')).toBeNull()
  })

  it('of an approval is opened in the inbox', async () => {
    const { user, place } = await atChat('/chat/trg_1/conv_1', asks(aQuestion()))
    await user.click(await screen.findByRole('button', { name: 'Open inbox' }))
    expect(place()).toBe('/inbox/int_1')
  })
})

describe('files of a message', () => {
  it('are chosen, sent at once, and go with the message unless they are removed', async () => {
    fakeUploads()
    const { server, user } = await atChat('/chat/trg_1/conv_1')
    server.on(WRITE, { status: 202, body: { id: 'run_2', conversation: 'conv_1' } })
    const chosen = vi.fn()
    const picker = (await message()).closest('form')?.querySelector('input[type=file]') as HTMLInputElement
    picker.addEventListener('click', chosen)
    await user.click(screen.getByRole('button', { name: 'Attach files' }))
    expect(chosen).toHaveBeenCalledOnce()
    await user.upload(picker, new File(['a'], 'notes.md'))
    const upload = await begun()
    await act(async () =>
      upload.answer(201, { id: 'file_1', name: 'notes.md', mime: 'text/markdown', size: 1 }),
    )
    await user.type(await message(), 'Look{Enter}')
    await waitFor(() =>
      expect(server.to(WRITE)[0]?.body).toEqual({ text: 'Look', files: ['file_1'], conversation: 'conv_1' }),
    )
    await waitFor(() => expect(screen.queryByText('notes.md')).toBeNull())
    await user.upload(picker, new File(['b'], 'other.md'))
    await user.click(await screen.findByRole('button', { name: 'Remove other.md' }))
    expect(screen.queryByText('other.md')).toBeNull()
  })
})

describe('a run that goes on', () => {
  const CANCEL = 'POST /api/runs/run_1/cancel'
  const going = aTurn({ answer: null, run: { ...RUN, state: 'RUNNING', finished_at: null } as Turn['run'] })

  it('is stopped, and says where that was refused', async () => {
    const { server, user } = await atChat('/chat/trg_1/conv_1', [going])
    server.on(CANCEL, refusal(409, 'RUN_OVER'))
    await user.click(await screen.findByRole('button', { name: 'Stop' }))
    expect(await screen.findByText('RUN_OVER in words.')).toBeTruthy()
    expect(server.to(CANCEL)).toHaveLength(1)
  })
})

describe("a conversation's menu", () => {
  async function menu(item: string) {
    const opened = await atChat('/chat/trg_1/conv_1')
    await screen.findAllByText('What is the newest tag?')
    await opened.user.click(await screen.findByRole('button', { name: 'More about this conversation' }))
    await opened.user.click(await screen.findByRole('menuitem', { name: item }))
    return opened
  }
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

  it('gives it another name', async () => {
    const { server, user } = await menu('Rename')
    server.on(CHANGE, { body: ROW })
    const field = within(await screen.findByRole('dialog')).getByRole('textbox')
    await user.clear(field)
    await user.type(field, ' Tags ')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await gone()
    expect(server.to(CHANGE)[0]?.body).toEqual({ title: 'Tags' })
  })

  it.each(['Rename', 'Delete'])('leaves it as it was where %s is closed', async (item) => {
    const { server, user } = await menu(item)
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Close' }))
    await gone()
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('downloads it, and says where that was refused', async () => {
    const route = 'GET /api/conversations/conv_1/export'
    const { server } = await menu('Download as JSON')
    expect(await screen.findByText('There is nothing here.')).toBeTruthy()
    expect(server.to(route)).toHaveLength(1)
  })
})
