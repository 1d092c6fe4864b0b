import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SchemaForm } from '@/forms/SchemaForm'
import { FakeServer, refusal, show } from '@/testing/server'
import { begun, FakeUpload, fakeUploads } from '@/testing/uploads'
import { accepts } from './accept'
import { useUploading } from './uploads'

const SCHEMA = {
  type: 'object',
  properties: { photo: { type: 'object', format: 'file', 'x-accept': 'image/*', title: 'Photo' } },
}
const PNG = new File(['png'], 'cat.png', { type: 'image/png' })
const KEPT = { $file: 'file_1', name: 'cat.png', mime: 'image/png', size: 3 }

function Form({ before, tell }: { before: unknown; tell: (value: unknown) => void }) {
  const [value, setValue] = useState(before)
  const uploading = useUploading('here')
  return (
    <>
      <SchemaForm
        schema={SCHEMA}
        value={value}
        onChange={(next) => {
          tell(next)
          setValue(next)
        }}
        labels="titles"
        idPrefix="here"
      />
      <output>{uploading ? 'sending' : 'quiet'}</output>
    </>
  )
}

function draw(before: unknown = {}) {
  const values: unknown[] = []
  const shown = show(<Form before={before} tell={(value) => values.push(value)} />)
  return { values, user: userEvent.setup(), shown }
}

const input = () => screen.findByLabelText<HTMLInputElement>('Photo')

describe('giving a file', () => {
  let server: FakeServer
  beforeEach(() => {
    fakeUploads()
    server = new FakeServer()
    // biome-ignore lint/suspicious/noDocumentCookie: the server sets it like this
    document.cookie = 'patchbay_csrf=token'
    URL.createObjectURL = () => 'blob:cat'
    URL.revokeObjectURL = () => {}
  })
  afterEach(() => vi.unstubAllGlobals())

  it('sends it, says how far it is, and holds what was kept, with its picture', async () => {
    const { values, user } = draw()
    expect((await input()).accept).toBe('image/*')
    expect(screen.getByText('images · up to 64 MB')).toBeTruthy()
    await user.upload(await input(), PNG)
    const upload = await begun()
    const sent = upload.body?.get('file')
    expect(sent instanceof File && sent.name).toBe('cat.png')
    expect(upload.headers['X-CSRFToken']).toBe('token')
    act(() => upload.progress(1, 4))
    expect(screen.getByText('Uploading: 25%')).toBeTruthy()
    expect(screen.getByText('sending')).toBeTruthy()
    await act(async () => upload.answer(201, { id: 'file_1', name: 'cat.png', mime: 'image/png', size: 3 }))
    expect(values).toEqual([{ photo: KEPT }])
    expect(screen.getByText('quiet')).toBeTruthy()
    expect(screen.getByText('cat.png')).toBeTruthy()
    expect(screen.getByText('image/png · 3 B')).toBeTruthy()
    const thumb = screen.getByRole('button', { name: 'Show cat.png larger' })
    await waitFor(() => expect(thumb.querySelector('img')?.src).toBe('blob:cat'))
    expect(server.requests, 'what was just sent is not fetched').toEqual([])
    await user.click(screen.getByRole('button', { name: 'Remove the file of Photo' }))
    expect(values.at(-1)).toEqual({})
    expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy()
  })

  it('takes one that is dropped, and not one of another kind', async () => {
    const { values } = draw()
    const zone = (await input()).closest('.file-input') as HTMLElement
    const drop = (file: File) => fireEvent.drop(zone, { dataTransfer: { types: ['Files'], files: [file] } })
    drop(new File(['x'], 'a.txt', { type: 'text/plain' }))
    expect(screen.getByRole('alert').textContent).toContain('Wrong kind of file. Accepted: images')
    expect(FakeUpload.all).toHaveLength(0)
    drop(PNG)
    const upload = await begun()
    expect(screen.queryByRole('alert')).toBeNull()
    await act(async () => upload.answer(201, { id: 'file_1', name: 'cat.png', mime: 'image/png', size: 3 }))
    expect(values).toEqual([{ photo: KEPT }])
  })

  it('says in plain words what is too large, before it is sent or when something refuses it', async () => {
    const { values, user } = draw()
    const large = new File(['x'], 'large.png', { type: 'image/png' })
    Object.defineProperty(large, 'size', { value: 65 * 1024 * 1024 })
    await user.upload(await input(), large)
    expect(screen.getByRole('alert').textContent).toContain('65.0 MB; the limit is 64 MB')
    expect(FakeUpload.all).toHaveLength(0)
    await user.upload(await input(), PNG)
    const upload = await begun()
    await act(async () => upload.answer(413, '<html>Request Entity Too Large</html>'))
    expect(screen.getByRole('alert').textContent).toContain('the limit is 64 MB')
    expect(values).toEqual([])
  })

  it('says what else went wrong, and can be tried again', async () => {
    const { user } = draw()
    await user.upload(await input(), PNG)
    await act(async () => (await begun()).answer(403, refusal(403, 'FORBIDDEN').body))
    expect(screen.getByRole('alert').textContent).toContain('FORBIDDEN in words.')
    expect(screen.getByText('quiet')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy()
  })

  it('stops when it is told to, or when its field goes', async () => {
    const { user, shown, values } = draw()
    await user.upload(await input(), PNG)
    const first = await begun()
    await user.click(screen.getByRole('button', { name: 'Cancel upload' }))
    expect(first.aborted).toBe(true)
    expect(await screen.findByRole('button', { name: 'Choose a file' })).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
    await user.upload(await input(), PNG)
    await waitFor(() => expect(FakeUpload.all).toHaveLength(2))
    shown.unmount()
    expect(FakeUpload.all[1]?.aborted).toBe(true)
    expect(values).toEqual([])
  })

  it('says where a file may be dropped, while one is over it', async () => {
    draw()
    const zone = (await input()).closest('.file-input') as HTMLElement
    const dataTransfer = { types: ['Files'], dropEffect: '' }
    fireEvent.dragOver(zone, { dataTransfer })
    expect([zone.dataset.over, dataTransfer.dropEffect]).toEqual(['true', 'copy'])
    fireEvent.dragLeave(zone)
    expect(zone.dataset.over).toBe('false')
  })

  it('takes one that is pasted', async () => {
    draw()
    const zone = (await input()).closest('.file-input') as HTMLElement
    fireEvent.paste(zone, { clipboardData: { files: [PNG] } })
    expect((await begun()).body?.get('file')).toMatchObject({ name: 'cat.png' })
  })

  it.each([
    ['Choose a file', {}],
    ['Choose another file', { photo: KEPT }],
  ])("opens the browser's own dialog: %s", async (name, before) => {
    const { user } = draw(before)
    let opened = 0
    ;(await input()).addEventListener('click', () => opened++)
    await user.click(screen.getByRole('button', { name }))
    expect(opened).toBe(1)
  })

  it('shows a picture larger, and small again', async () => {
    server.on('GET /api/files/file_1', { body: 'png' })
    const { user } = draw({ photo: KEPT })
    await user.click(await screen.findByRole('button', { name: 'Show cat.png larger' }))
    expect(await screen.findByRole('img', { name: 'cat.png' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show cat.png smaller' }))
    expect(screen.queryByRole('img', { name: 'cat.png' })).toBeNull()
  })

  it('saves what was given under its name', async () => {
    server.on('GET /api/files/file_1', { body: 'png' })
    const saved: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.download)
    })
    const { user } = draw({ photo: KEPT })
    await user.click(await screen.findByRole('button', { name: 'cat.png' }))
    await waitFor(() => expect(saved).toEqual(['cat.png']))
  })

  it('shows what was given before', async () => {
    draw({ photo: { $file: 'file_9', name: 'notes.txt', mime: 'text/plain', size: 2048 } })
    expect(await screen.findByText('notes.txt')).toBeTruthy()
    expect(screen.getByText('text/plain · 2 KB')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /larger/ })).toBeNull()
  })
})

describe('what is asked for', () => {
  it.each([
    ['', 'a/b', 'x', true],
    ['image/*', 'image/png', 'x', true],
    ['image/*', 'imagery/png', 'x', false],
    ['text/*, .json', 'application/json', 'a.JSON', true],
    ['text/*, .json', 'application/pdf', 'a.pdf', false],
    ['application/pdf', 'application/pdf; v=1', 'a', true],
  ])('%j and a file of %s named %s: %s %s', (accept, type, name, fits) => {
    expect(accepts(accept, { type, name })).toBe(fits)
  })
})
