/** The page of strangers: a form is filled in and answered, a talk goes on and is deleted, and what is refused is said. */
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { About } from './client'
import { Visitor } from './Visitor'

interface SentRequest {
  readonly route: string
  readonly body: unknown
}

type Reply = { readonly status?: number; readonly body?: unknown; readonly away?: boolean }
type Answers = Readonly<Record<string, (request: SentRequest) => Reply>>

/** Answers by method and the first parts of the address; gives what it was asked. */
function serve(answers: Answers): SentRequest[] {
  const requests: SentRequest[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const route = `${init.method} ${address.slice('/p/link'.length).replace(/(runs|conversations)\/[\w-]{43}/, '$1/:key')}`
    const request = { route, body: init.body ? JSON.parse(String(init.body)) : undefined }
    requests.push(request)
    const { status = 200, body = null, away = false } = answers[route]?.(request) ?? { status: 404 }
    if (away) throw new TypeError('no connection')
    return new Response(status === 204 ? null : JSON.stringify(body), { status })
  })
  return requests
}

const ABOUT: About = {
  title: 'Contact us',
  text: 'We answer **soon**.',
  show: 'form',
  inputs: {
    type: 'object',
    required: ['name', 'receipt'],
    properties: {
      name: { type: 'string', title: 'Your name' },
      receipt: { type: 'object', format: 'file', title: 'Receipt', 'x-accept': '.txt' },
    },
  },
  files_mb: 1,
}
const about = (changes: Partial<About> = {}) => ({
  'GET /about': () => ({ body: { ...ABOUT, ...changes } }),
})
const done = (body: object) => ({ body: { state: 'done', answers: [], outputs: null, ...body } })
const sentTo = (requests: readonly SentRequest[], route: string) =>
  requests.filter((request) => request.route === route)
const keysOf = (requests: readonly SentRequest[]) =>
  sentTo(requests, 'POST /runs').map(({ body }) => (body as { key: string }).key)

async function fill(bytes = 'paid') {
  fireEvent.change(await screen.findByLabelText('Your name'), { target: { value: 'Vera' } })
  const file = new File([bytes], 'receipt.txt', { type: 'text/plain' })
  fireEvent.change(screen.getByLabelText('Receipt'), { target: { files: [file] } })
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

beforeEach(() => {
  history.replaceState(null, '', '/p/link')
  sessionStorage.clear()
  Element.prototype.scrollIntoView ??= () => undefined
  URL.createObjectURL ??= () => ''
  // the test's page has no modal dialogs; open is all that is needed of them
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false
  }
})
afterEach(() => {
  cleanup()
  history.replaceState(null, '', '/')
})

describe('a form', () => {
  it('is sent once with its files, and its answer takes its place', async () => {
    const requests = serve({
      ...about(),
      'POST /runs': () => ({ status: 202, body: { state: 'working', answers: [], outputs: null } }),
      'GET /runs/:key': () =>
        done({ outputs: { said: 'Thank you', order: { order_id: 42, open: true } }, answers: ['Hello'] }),
    })
    render(<Visitor />)
    await fill()
    press('Send')
    expect(await screen.findByText('Thank you')).toBeTruthy()
    expect(screen.getByText('Hello')).toBeTruthy()
    expect(screen.getByText('Order id').nextSibling?.textContent).toBe('42')
    expect(screen.getByText('Open').nextSibling?.textContent).toBe('Yes')
    const [sent] = sentTo(requests, 'POST /runs')
    expect(sent?.body).toMatchObject({
      inputs: {
        name: 'Vera',
        receipt: { $upload: { name: 'receipt.txt', mime: 'text/plain', base64: btoa('paid') } },
      },
    })
    press('Send another')
    expect(screen.getByLabelText('Your name')).toHaveProperty('value', '')
  })

  it('sends what was switched, chosen and listed', async () => {
    const inputs = {
      type: 'object',
      properties: {
        open: { type: 'boolean', title: 'Open' },
        size: { enum: ['small', 'large'], title: 'Size' },
        names: { type: 'array', items: { type: 'string' }, title: 'Names' },
      },
    }
    const requests = serve({
      ...about({ inputs }),
      'POST /runs': () => ({ status: 202, body: { state: 'working' } }),
    })
    render(<Visitor />)
    fireEvent.click(await screen.findByLabelText('Open'))
    fireEvent.change(screen.getByLabelText(/^Size/), { target: { value: '1' } })
    fireEvent.change(screen.getByLabelText(/^Names/), { target: { value: 'Alice\nBob' } })
    press('Send')
    await waitFor(() => expect(sentTo(requests, 'POST /runs')).toHaveLength(1))
    expect(sentTo(requests, 'POST /runs')[0]?.body).toMatchObject({
      inputs: { open: true, size: 'large', names: ['Alice', 'Bob'] },
    })
  })

  it('says what is missing or too large, at the first of it, and sends nothing', async () => {
    const requests = serve(about())
    render(<Visitor />)
    fireEvent.click(await screen.findByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Please choose a file.')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByLabelText('Your name'))
    await fill('x'.repeat(1024 * 1024 + 1))
    press('Send')
    expect(await screen.findByText('The files may have at most 1 MB together.')).toBeTruthy()
    expect(sentTo(requests, 'POST /runs')).toEqual([])
  })

  it('goes under the same key again where no answer came, and under another once it is changed', async () => {
    const requests = serve({ ...about(), 'POST /runs': () => ({ away: true }) })
    render(<Visitor />)
    await fill()
    press('Send')
    await screen.findByText('There is no connection')
    press('Send')
    await waitFor(() => expect(keysOf(requests)).toHaveLength(2))
    await screen.findByText('There is no connection')
    fireEvent.change(screen.getByLabelText('Your name'), { target: { value: 'Bob' } })
    press('Send')
    await waitFor(() => expect(keysOf(requests)).toHaveLength(3))
    const [first, second, third] = keysOf(requests)
    expect(first).toBe(second)
    expect(third).not.toBe(first)
  })

  it('shows what the server has against a field', async () => {
    const fields = { 'inputs.name': ['is too short'] }
    serve({ ...about(), 'POST /runs': () => ({ status: 400, body: { message: 'Wrong', fields } }) })
    render(<Visitor />)
    await fill()
    press('Send')
    expect(await screen.findByText('is too short')).toBeTruthy()
    expect(screen.getByLabelText('Your name').getAttribute('aria-invalid')).toBe('true')
  })

  it('shows what was said though a person has to look at it first', async () => {
    serve({
      ...about(),
      'POST /runs': () => ({ status: 202, body: { state: 'working', answers: [], outputs: null } }),
      'GET /runs/:key': () => ({ body: { state: 'waiting', answers: ['We got it'], outputs: null } }),
    })
    render(<Visitor />)
    await fill()
    press('Send')
    expect(await screen.findByText('We got it')).toBeTruthy()
    expect(screen.getByText(/Someone has to look at this/)).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })
})

describe('a talk', () => {
  it('is written in, taken along and deleted for good', async () => {
    let turns: object[] = []
    const requests = serve({
      ...about({ show: 'chat', text: 'Ask away' }),
      'GET /conversations/:key': () => (turns.length ? { body: { turns } } : { status: 404 }),
      'POST /runs': ({ body }) => {
        turns = [{ text: (body as { text: string }).text, state: 'done', answer: 'Thirty days.' }]
        return { status: 202, body: { state: 'working', answers: [], outputs: null } }
      },
      'GET /conversations/:key/export': () => ({ body: { title: '', turns } }),
      'DELETE /conversations/:key': () => {
        turns = []
        return { status: 204 }
      },
    })
    render(<Visitor />)
    const message = await screen.findByLabelText('Message')
    await waitFor(() => expect(sentTo(requests, 'GET /conversations/:key')).toHaveLength(1))
    fireEvent.change(message, { target: { value: 'How long?' } })
    fireEvent.keyDown(message, { key: 'Enter' })
    expect(await screen.findByText('Thirty days.')).toBeTruthy()
    expect(message).toHaveProperty('value', '')
    press('Delete conversation')
    expect(document.querySelector('dialog')?.open).toBe(true)
    press('Cancel')
    expect(document.querySelector('dialog')?.open).toBe(false)
    expect(sentTo(requests, 'DELETE /conversations/:key')).toEqual([])
    press('Delete conversation')
    press('Delete')
    await waitFor(() => expect(screen.queryByText('Thirty days.')).toBeNull())
    expect(sentTo(requests, 'DELETE /conversations/:key')).toHaveLength(1)
    expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  })

  it('is sent by its button, downloaded, and begun anew', async () => {
    const turn = { text: 'How long?', state: 'done', answer: 'Thirty days.' }
    const requests = serve({
      ...about({ show: 'chat', text: 'Ask away' }),
      'GET /conversations/:key': () =>
        sentTo(requests, 'POST /runs').length ? { body: { turns: [turn] } } : { status: 404 },
      'POST /runs': () => ({ status: 202, body: { state: 'working', answers: [], outputs: null } }),
      'GET /conversations/:key/export': () => ({ body: { title: '', turns: [turn] } }),
    })
    const blobs: Blob[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${blobs.push(blob as Blob)}`)
    render(<Visitor />)
    fireEvent.change(await screen.findByLabelText('Message'), { target: { value: 'How long?' } })
    press('Send')
    expect(await screen.findByText('Thirty days.')).toBeTruthy()
    press('Download')
    await waitFor(() => expect(blobs).toHaveLength(1))
    expect(sentTo(requests, 'GET /conversations/:key/export')).toHaveLength(1)
    press('New conversation')
    expect(screen.queryByText('Thirty days.')).toBeNull()
    expect(sessionStorage).toHaveLength(0)
  })
})

describe('a page that is closed', () => {
  it.each([
    [404, 'This page does not exist or is switched off'],
    [401, 'Sign in to use this page'],
    [429, 'Too much'],
  ])('says why (%i), and tries again', async (status, text) => {
    let open = false
    serve({
      'GET /about': () => (open ? { body: ABOUT } : { status, body: { message: 'Too much' } }),
    })
    render(<Visitor />)
    expect((await screen.findByRole('alert')).textContent).toContain(text)
    open = true
    press('Try again')
    expect(await screen.findByRole('heading', { name: 'Contact us' })).toBeTruthy()
  })
})
