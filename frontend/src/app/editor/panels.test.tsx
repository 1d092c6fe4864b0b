/** The panels around the canvas: opened, closed, widened, and what they do to the graph. */
import { act, createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { setDockOpen } from '@/runs/hooks'
import { onScreen } from '@/testing/screen'
import { canvasElement, card, choose, command, inspector, openEditor, PUT, press } from './editor.testing'

beforeEach(() => setDockOpen(false))

const button = (name: string) => screen.findByRole('button', { name })
const bar = (panel: string) => screen.findByRole('separator', { name: `Resize ${panel}` })
const palette = () => screen.queryByRole('textbox', { name: 'Search tools and nodes' })
const type = (name: string) => screen.findByTestId(`type-${name}`)

describe('the panel at the left', () => {
  it('is hidden by its button and shown by another', async () => {
    const { user } = await openEditor()
    await user.click(await button('Hide the panel'))
    expect(palette()).toBeNull()
    await user.click(await button('Show tools and nodes'))
    expect(palette()).not.toBeNull()
  })

  it('adds what Enter is pressed on', async () => {
    await openEditor()
    const row = await type('template')
    act(() => row.focus())
    fireEvent.keyDown(row, { key: 'Enter' })
    expect(await card('template')).toBeTruthy()
  })

  it('lets what is pressed be dragged onto the canvas', async () => {
    await openEditor()
    const row = await type('template')
    const from = { clientX: 20, clientY: 20, isPrimary: true, button: 0 }
    fireEvent.pointerDown(row, from)
    fireEvent.pointerMove(window, { ...from, clientX: 300 })
    expect(document.querySelector('.ghost')?.textContent).toContain('Template')
    fireEvent.pointerCancel(window)
  })
})

describe('a panel', () => {
  it.each([
    ['Tools and nodes', '{ArrowRight}', 274],
    ['Inspector', '{ArrowLeft}', 370],
    ['Bottom panel', '{ArrowUp}', 350],
  ])('gets another size by its bar: %s', async (panel, key, size) => {
    setDockOpen(true)
    const { user } = await openEditor()
    await choose('log')
    const separator = await bar(panel)
    act(() => separator.focus())
    await user.keyboard(key)
    expect(separator.getAttribute('aria-valuenow')).toBe(String(size))
  })
})

describe('the inspector', () => {
  it('opens by a double click on a card', async () => {
    const { user } = await openEditor()
    await choose('log')
    await user.click(await button('Close the inspector'))
    expect(inspector()).toBeNull()
    fireEvent.doubleClick(await card('log'))
    expect(inspector()).not.toBeNull()
  })

  it('gets wide', async () => {
    const { user } = await openEditor()
    await choose('log')
    await user.click(await button('Input, form and output side by side'))
    expect(localStorage.getItem('flag:editor-wide')).toBe('1')
    expect(palette()).toBeNull()
  })

  it('gets narrow where the palette is asked for beside it', async () => {
    localStorage.setItem('flag:editor-wide', '1')
    const { user } = await openEditor()
    await choose('log')
    await user.click(await button('Show tools and nodes'))
    expect(palette()).not.toBeNull()
    expect(localStorage.getItem('flag:editor-wide')).toBe('0')
  })

  it('gives the focus to the canvas by Escape, and does not take it again', async () => {
    const { user } = await openEditor()
    await choose('log')
    act(() => canvasElement().focus())
    await command('canvas.open')
    await waitFor(() => expect(inspector()?.contains(document.activeElement)).toBe(true))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(canvasElement().contains(document.activeElement)).toBe(true))
    act(() => canvasElement().focus()) // where it was when the inspector was asked for
    await command('editor.right')
    await waitFor(() => expect(inspector()).toBeNull())
    await command('editor.right')
    await waitFor(() => expect(inspector()).not.toBeNull())
    expect(document.activeElement).toBe(canvasElement())
  })

  it('asks for a new title as often as F2 is pressed', async () => {
    const { user } = await openEditor()
    await choose('log')
    for (const _ of [1, 2]) {
      press('F2')
      const field = await screen.findByRole('textbox', { name: 'Title' })
      act(() => field.focus())
      await user.keyboard('{Escape}')
      expect(screen.queryByRole('textbox', { name: 'Title' })).toBeNull()
      act(() => canvasElement().focus())
    }
  })

  it('asks for no new title where the node is chosen again', async () => {
    const { user } = await openEditor()
    await choose('log')
    press('F2')
    await screen.findByRole('textbox', { name: 'Title' })
    await user.keyboard('{Escape}')
    await choose('say')
    await screen.findByRole('heading', { level: 2, name: 'answer' })
    await choose('log')
    expect(await screen.findByRole('heading', { level: 2, name: 'git_log' })).toBeTruthy()
    expect(screen.queryByRole('textbox', { name: 'Title' })).toBeNull()
  })

  it('runs up to its node', async () => {
    const { server, user } = await openEditor({
      prepare: (server) => server.on('POST /api/workflows/wf_1/runs', { status: 202, body: { id: 'run_2' } }),
    })
    await choose('log')
    const panel = await waitFor(() => inspector() ?? Promise.reject(new Error('no inspector')))
    await user.click(await within(panel).findByRole('button', { name: 'Run to here' }))
    await waitFor(() =>
      expect(server.to('POST /api/workflows/wf_1/runs')[0]?.body).toMatchObject({
        until: 'log',
        revision: 5,
      }),
    )
  })
})

describe('where there is no room beside the canvas', () => {
  async function narrow() {
    const opened = openEditor()
    onScreen('narrow')
    return opened
  }

  it.each(['Tools', 'Show tools and nodes'])('the palette opens by: %s', async (name) => {
    const { user } = await narrow()
    expect(palette()).toBeNull()
    await user.click(await button(name))
    await waitFor(() => expect(palette()).not.toBeNull())
  })

  it.each([
    ['Escape', () => fireEvent.keyDown(window, { key: 'Escape' })],
    [
      'a press beside it',
      () => fireEvent.pointerDown(document.querySelector('.editor-scrim') ?? document.body),
    ],
  ])('the palette is closed by %s', async (_, close) => {
    const { user } = await narrow()
    await user.click(await button('Tools'))
    await waitFor(() => expect(palette()).not.toBeNull())
    act(() => void close())
    expect(palette()).toBeNull()
  })

  it('the inspector opens by the button with the name of the node', async () => {
    const { user } = await narrow()
    await choose('log')
    expect(inspector()).toBeNull()
    await user.click(await button('git_log'))
    await waitFor(() => expect(inspector()).not.toBeNull())
  })

  it('what is tapped in the palette is added, and the palette makes room', async () => {
    const { user } = await narrow()
    await user.click(await button('Tools'))
    await user.click(await type('template'))
    expect(await card('template')).toBeTruthy()
    expect(palette()).toBeNull()
  })
})

describe('the menu of what can be added', () => {
  const open = async () => {
    const opened = await openEditor()
    act(() => canvasElement().focus())
    await command('canvas.add')
    const field = await screen.findByRole('combobox', { name: 'Tool or node' })
    act(() => field.focus())
    return opened
  }

  it('adds what is chosen and goes', async () => {
    const { server, user } = await open()
    await user.click(await screen.findByRole('option', { name: /Template/ }))
    expect(screen.queryByRole('combobox', { name: 'Tool or node' })).toBeNull()
    expect(await card('template')).toBeTruthy()
    await waitFor(() => expect(server.to(PUT)).toHaveLength(1))
  })

  it('goes by Escape', async () => {
    const { user } = await open()
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('combobox', { name: 'Tool or node' })).toBeNull()
  })
})

describe('leaving', () => {
  it('is asked about while somebody else was faster', async () => {
    const detail = { revision: 9, by: 'alice@example.org', at: '2026-11-21T13:00:00Z' }
    const body = { code: 'STALE_DRAFT', message: '', hint: '', fields: {}, detail }
    await openEditor({ prepare: (server) => server.on(PUT, { status: 409, body }) })
    const leave = () => {
      const event = createEvent('beforeunload', window, { cancelable: true })
      fireEvent(window, event)
      return event.defaultPrevented
    }
    await choose('log')
    expect(leave()).toBe(false)
    press('ArrowRight')
    await screen.findByTestId('conflict')
    expect(leave()).toBe(true)
  })
})
