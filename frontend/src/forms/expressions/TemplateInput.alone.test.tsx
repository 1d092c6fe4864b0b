import { EditorView } from '@codemirror/view'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { norm } from '@/forms/schema/schema'
import type { Scope } from './scope'
import { TemplateInput } from './TemplateInput'

const scope: Scope = {
  owner: 'Read page',
  groups: [
    {
      key: 'start',
      title: 'Start',
      names: [
        { name: 'url', path: ['start', 'url'], schema: { type: 'string' }, value: 'https://example.org' },
        { name: 'page', path: ['start', 'page'], schema: {}, value: { size: 3, tags: ['a'] } },
      ],
    },
  ],
}

interface Seen {
  value: string
}

interface HolderProps {
  seen: Seen
  multiline: boolean
  caret?: number
  Input?: typeof TemplateInput
}

function Holder({ seen, multiline, caret, Input = TemplateInput }: HolderProps) {
  const [value, setValue] = useState(seen.value)
  return (
    <Input
      id="field"
      label="url"
      value={value}
      scope={scope}
      multiline={multiline}
      caret={caret}
      expected={norm({ type: 'string' }, {})}
      onChange={(next) => {
        seen.value = next
        setValue(next)
      }}
    />
  )
}

/** A field with the caret in it, and ways to write as a person does. */
async function focused(value: string, { multiline = false } = {}) {
  const seen: Seen = { value }
  render(<Holder seen={seen} multiline={multiline} />)
  const still = screen.getByRole('textbox', { name: 'url' })
  act(() => still.focus())
  await vi.waitFor(() => expect(document.querySelector('.cm-content')).toBeTruthy(), 10_000)
  const content = document.querySelector<HTMLElement>('.cm-content') as HTMLElement
  const view = EditorView.findFromDOM(content) as EditorView
  const type = (text: string) =>
    act(() => {
      for (const char of text) {
        const { from, to } = view.state.selection.main
        const handled = view.state
          .facet(EditorView.inputHandler)
          .some((handler) => handler(view, from, to, char, () => view.state.update({})))
        if (!handled)
          view.dispatch({
            changes: { from, to, insert: char },
            selection: { anchor: from + 1 },
            userEvent: 'input.type',
          })
      }
    })
  /** Gives whether the key is left to the page. */
  const press = (key: string) => {
    let free = true
    act(() => {
      free = fireEvent.keyDown(content, { key, code: key })
    })
    return free
  }
  const options = () => screen.queryAllByRole('option').map((option) => option.textContent)
  return { seen, view, type, press, options, content }
}

describe('the editor of expressions', () => {
  it('keeps what is typed and marked before it is there', async () => {
    const seen: Seen = { value: 'a' }
    render(<Holder seen={seen} multiline={false} />)
    const still = screen.getByRole('textbox', { name: 'url' })
    act(() => still.focus())
    const press = (key: string, more = {}) =>
      act(() => void fireEvent.keyDown(document.activeElement as Element, { key, ...more }))
    for (const key of ['b', 'Shift', ' ', '/']) press(key)
    expect(seen.value).toBe('ab /')
    press('a', { ctrlKey: true })
    press('Backspace')
    expect(seen.value).toBe('')
    for (const key of ['c', 'd']) press(key)
    press('a', { metaKey: true })
    for (const key of ['e', 'f']) press(key)
    press('a', { ctrlKey: true })
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'url' }))
    expect(seen.value).toBe('ef')
    await vi.waitFor(() => expect(document.querySelector('.cm-content')).toBeTruthy(), 10_000)
    const view = EditorView.findFromDOM(document.querySelector('.cm-content') as HTMLElement) as EditorView
    const { from, to, head } = view.state.selection.main
    expect([view.state.doc.toString(), from, to, head]).toEqual(['ef', 0, 2, 2])
  })

  it('writes between braces that were closed before it is there', async () => {
    vi.resetModules()
    const first = await import('./TemplateInput') // whose editor nobody asked for yet
    const seen: Seen = { value: 'see {{  }}' }
    render(<Holder seen={seen} multiline={false} caret={7} Input={first.TemplateInput} />)
    const box = screen.getByRole('textbox', { name: 'url' })
    const type = (keys: string) =>
      act(() => {
        for (const key of keys) fireEvent.keyDown(box, { key })
      })
    for (const key of ' start.url }}!') type(key)
    expect(seen.value).toBe('see {{ start.url }}!')
    await vi.waitFor(() => expect(document.querySelector('.cm-content')).toBeTruthy(), 10_000)
    const view = EditorView.findFromDOM(document.querySelector('.cm-content') as HTMLElement) as EditorView
    expect([view.state.doc.toString(), view.state.selection.main.head]).toEqual([
      seen.value,
      seen.value.length,
    ])
  })

  it('is a resting box until it is focused', () => {
    render(<Holder seen={{ value: 'see {{ start.url }} {{ nope.x }}' }} multiline={false} />)
    expect(document.querySelector('.cm-editor')).toBeNull()
    const marks = [...document.querySelectorAll('.expression')].map((mark) => [
      mark.textContent,
      mark.getAttribute('data-unknown'),
    ])
    expect(marks).toEqual([
      ['{{ start.url }}', 'false'],
      ['{{ nope.x }}', 'true'],
    ])
  })
  it('closes braces, offers what lies upstream with its last value, and takes it by Enter', async () => {
    const { seen, type, press, options, content } = await focused('')
    type('{{')
    expect(seen.value).toBe('{{  }}')
    expect(options()).toEqual(['start.url"https://example.org"', 'start.page2 fields'])
    expect(content.getAttribute('aria-activedescendant')).toBe('field-option-0')
    type(' ')
    expect(seen.value).toBe('{{  }}')
    press('ArrowDown')
    press('Enter')
    expect(seen.value).toBe('{{ start.page }}')
    type('.si')
    expect(options()).toEqual(['start.page.size3'])
    press('Tab')
    expect(seen.value).toBe('{{ start.page.size }}')
    expect(screen.getByText('= 3')).toBeTruthy()
    expect(screen.getByText('gives number, needs string')).toBeTruthy()
  })
  it('lets Tab go on where what stands there is what would be inserted', async () => {
    const { view, press, options } = await focused('{{ start.url }}')
    expect(options()).toHaveLength(2)
    expect(press('Tab')).toBe(true)
    press('ArrowDown')
    expect(press('Tab')).toBe(false)
    expect(view.state.doc.toString()).toBe('{{ start.page }}')
  })

  it('shows everything when it is entered, and nothing after Escape', async () => {
    const { press, options } = await focused('{{ start.url }}')
    expect(options()).toHaveLength(2)
    expect(screen.getByRole('option', { selected: true }).textContent).toContain('start.url')
    press('Escape')
    expect(options()).toEqual([])
  })
  it('makes no new line where there is only one', async () => {
    const entry = await focused('a')
    entry.press('Enter')
    expect(entry.seen.value).toBe('a')
  })
  it('writes on behind what was typed just before it stood and arrives only now', async () => {
    const page = (value: string) => (
      <TemplateInput
        id="field"
        label="url"
        value={value}
        scope={scope}
        expected={norm({ type: 'string' }, {})}
        onChange={() => {}}
      />
    )
    const { rerender } = render(page(''))
    act(() => screen.getByRole('textbox', { name: 'url' }).focus())
    await vi.waitFor(() => expect(document.querySelector('.cm-content')).toBeTruthy(), 10_000)
    rerender(page('n'))
    const view = EditorView.findFromDOM(
      document.querySelector<HTMLElement>('.cm-content') as HTMLElement,
    ) as EditorView
    expect(view.state.doc.toString()).toBe('n')
    expect(view.state.selection.main.head).toBe(1)
  })
  it('follows its value from outside', async () => {
    const { view } = await focused('{{ start.url }}')
    expect(view.state.doc.toString()).toBe('{{ start.url }}')
    fireEvent.blur(view.contentDOM)
    expect(screen.queryAllByRole('option')).toEqual([])
  })
  it('takes what is clicked in the list, and keeps the focus', async () => {
    const { seen, type, content } = await focused('')
    type('{{')
    await userEvent.click(screen.getByRole('option', { name: /start\.page/ }))
    expect(seen.value).toBe('{{ start.page }}')
    expect(document.activeElement).toBe(content)
  })
  it('chooses in the list what the pointer lies on', async () => {
    const { type } = await focused('')
    type('{{')
    const page = () => screen.getByRole('option', { name: /start\.page/ })
    await userEvent.hover(page())
    expect(page().getAttribute('aria-selected')).toBe('true')
  })
  it('offers everything again by Ctrl and space', async () => {
    const { content, press, options } = await focused('{{ start.url }}')
    press('Escape')
    expect(options()).toEqual([])
    act(() => void fireEvent.keyDown(content, { key: ' ', code: 'Space', keyCode: 32, ctrlKey: true }))
    expect(options()).toHaveLength(2)
  })
  it.each(['resize', 'scroll'])('the list stays at its field: %s', async (what) => {
    await focused('{{ start.url }}')
    const list = document.querySelector<HTMLElement>('.completion') as HTMLElement
    const before = list.style.top
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 120, 300, 28))
    act(() => void window.dispatchEvent(new Event(what)))
    expect(before).toBe('4px')
    expect(list.style.top).toBe('152px')
  })
  it('begins with the caret where it is pressed', async () => {
    await focused('abc')
    cleanup()
    render(<Holder seen={{ value: 'abc' }} multiline={false} />)
    const still = screen.getByRole('textbox', { name: 'url' })
    // jsdom lays nothing out, so it cannot tell between which letters that is
    vi.spyOn(EditorView.prototype, 'posAtCoords').mockReturnValue(1)
    fireEvent.mouseDown(still, { clientX: 8, clientY: 8 })
    act(() => still.focus())
    const content = document.querySelector<HTMLElement>('.cm-content') as HTMLElement
    expect(EditorView.findFromDOM(content)?.state.selection.main.head).toBe(1)
  })
})
