import { act, createEvent, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Button, IconButton } from './controls/button'
import { Checkbox, Segmented, Select, Switch, TextArea, TextField } from './controls/field'
import { More } from './controls/more'
import { PasswordField } from './controls/password'
import { TabPanel, Tabs } from './controls/tabs'
import { CodeBlock, JsonTree } from './display/code'
import { ErrorBox } from './display/feedback'
import { StatusWord } from './display/status'
import { Confirm, Dialog } from './floating/dialog'
import { ContextMenu, Menu, type MenuEntry, Popover } from './floating/popover'
import { Toasts, toast } from './floating/toast'
import { TooltipLayer } from './floating/tooltip'
import { Boundary } from './layout/boundary'
import { Splitter, useStoredSize } from './layout/splitter'
import { TypedAhead, useTypedAhead } from './typed-ahead'

function Two() {
  const [tab, setTab] = useState<'a' | 'b'>('a')
  return (
    <>
      <Tabs
        id="t"
        label="Parts"
        value={tab}
        onChange={setTab}
        items={[
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B', count: 3 },
        ]}
      />
      <TabPanel id="t" value={tab}>
        {tab}
      </TabPanel>
    </>
  )
}

function Asking({ onClick }: { onClick?: () => void }) {
  const [open, setOpen] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: stands for a row that can be clicked
    <div onClick={onClick}>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Dialog open={open} onOpenChange={setOpen} title="New token">
        <input aria-label="Name" />
      </Dialog>
    </div>
  )
}

/** A box whose code came only now. */
function LateBox({ take }: { take: (text: string) => void }) {
  useTypedAhead(take)
  return null
}

/** A part of the page that can be drawn, or cannot. */
function Part({ of }: { of: { broken: boolean } }) {
  if (of.broken) throw new Error('It broke.')
  return <p>drawn</p>
}

function Panel() {
  const [size, setSize] = useStoredSize('test', 300, { min: 200, max: 400 })
  return (
    <Splitter
      panel="Inspector"
      orientation="vertical"
      size={size}
      onSize={setSize}
      initial={300}
      after
      min={200}
      max={400}
    />
  )
}

describe('a button', () => {
  it('that is blocked says why, stays reachable, and does nothing', async () => {
    const run = vi.fn()
    render(
      <>
        <Button blocked="Only admins can do this." onClick={run}>
          Add
        </Button>
        <TooltipLayer />
      </>,
    )
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add' }))
    expect(screen.getByRole('tooltip').textContent).toBe('Only admins can do this.')
    await userEvent.keyboard('{Enter}')
    expect(run).not.toHaveBeenCalled()
  })

  it('that submits does not submit while it is busy', () => {
    const sent = vi.fn((event: Event) => event.preventDefault())
    const { container } = render(
      <form>
        <Button type="submit" busy>
          Save
        </Button>
      </form>,
    )
    container.querySelector('form')?.addEventListener('submit', sent)
    fireEvent.click(screen.getByRole('button'))
    expect(sent).not.toHaveBeenCalled()
  })

  it('of a picture has a name', () => {
    render(<IconButton label="Undo">x</IconButton>)
    expect(screen.getByRole('button', { name: 'Undo' }).dataset.tip).toBe('Undo')
  })
})

describe('a field', () => {
  it('belongs to its label, its hint and its error', () => {
    render(
      <TextField label="URL" hint="With a host." error="Not an address." value="x" onChange={() => {}} />,
    )
    const input = screen.getByRole('textbox', { name: 'URL' })
    const words = (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
    expect(words).toEqual(['Not an address.', 'With a host.'])
    expect(input.getAttribute('aria-invalid')).toBe('true')
  })

  it('gives the chosen value', async () => {
    const chosen = vi.fn()
    render(
      <Select
        label="Risk"
        value="a"
        onChange={chosen}
        options={[
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B' },
        ]}
      />,
    )
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Risk' }), 'b')
    expect(chosen).toHaveBeenCalledWith('b')
  })

  it('of segments is a group of radio buttons', async () => {
    const chosen = vi.fn()
    render(
      <Segmented
        label="Policy"
        value="auto"
        onChange={chosen}
        options={[
          { value: 'auto', label: 'auto' },
          { value: 'deny', label: 'deny' },
        ]}
      />,
    )
    await userEvent.click(
      within(screen.getByRole('group', { name: 'Policy' })).getByRole('radio', { name: 'deny' }),
    )
    expect(chosen).toHaveBeenCalledWith('deny')
  })

  it('can be half chosen', () => {
    render(<Checkbox checked={false} some onChange={() => {}} label="All" />)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'All' }).indeterminate).toBe(true)
  })
})

describe('what is entered', () => {
  it('into a field of text, of several lines, and into a switch is given', async () => {
    const values: unknown[] = []
    const give = (value: unknown) => values.push(value)
    render(
      <>
        <TextField label="Name" value="" onChange={give} />
        <TextArea label="Notes" value="" onChange={give} />
        <Switch label="On" checked={false} onChange={give} />
        <Checkbox label="All" checked={false} onChange={give} />
      </>,
    )
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'a')
    await userEvent.type(screen.getByRole('textbox', { name: 'Notes' }), 'b')
    await userEvent.click(screen.getByRole('switch', { name: 'On' }))
    await userEvent.click(screen.getByRole('checkbox', { name: 'All' }))
    expect(values).toEqual(['a', 'b', true, true])
  })

  it('as a password is seen while one looks', async () => {
    render(<PasswordField label="Password" value="k" onChange={() => {}} />)
    expect(screen.getByLabelText('Password')).toHaveProperty('type', 'password')
    await userEvent.click(screen.getByRole('button', { name: 'Show password' }))
    expect(screen.getByLabelText('Password')).toHaveProperty('type', 'text')
  })

  it('before the code of its box is there is kept for it', async () => {
    const { rerender } = render(<TypedAhead label="Find" onClose={() => {}} />)
    await userEvent.keyboard('git')
    const taken: string[] = []
    rerender(<LateBox take={(text) => taken.push(text)} />)
    expect(taken).toEqual(['git'])
  })

  it('before the code of its box is there is given up by Escape', async () => {
    const closed = vi.fn()
    render(<TypedAhead label="Find" onClose={closed} />)
    await userEvent.keyboard('git{Escape}')
    expect(closed).toHaveBeenCalledOnce()
  })
})

describe('the end of a list', () => {
  it('loads more when it is pressed', async () => {
    const load = vi.fn()
    render(<More busy={false} failed={false} load={load} />)
    await userEvent.click(screen.getByRole('button', { name: 'Load more' }))
    expect(load).toHaveBeenCalledOnce()
  })
})

describe('tabs', () => {
  it('are turned by a click', async () => {
    render(<Two />)
    await userEvent.click(screen.getByRole('tab', { name: 'B 3' }))
    expect(screen.getByRole('tabpanel', { name: 'B 3' }).textContent).toBe('b')
  })

  it('are one stop of the Tab key and turn with the arrows', async () => {
    render(<Two />)
    await userEvent.tab()
    await userEvent.keyboard('{ArrowRight}')
    expect(screen.getByRole('tab', { name: 'B 3' }).getAttribute('aria-selected')).toBe('true')
    expect(screen.getByRole('tabpanel', { name: 'B 3' }).textContent).toBe('b')
    await userEvent.keyboard('{ArrowRight}')
    expect(document.activeElement?.textContent?.trim()).toBe('A')
  })
})

describe('a dialog', () => {
  it('opens on its first field, has its title as name, and gives the focus back', async () => {
    render(<Asking />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    const dialog = screen.getByRole('dialog', { name: 'New token' })
    expect(document.activeElement).toBe(within(dialog).getByRole('textbox', { name: 'Name' }))
    await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('closes when the browser asks it to', async () => {
    render(<Asking />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    act(() => {
      screen.getByRole('dialog').dispatchEvent(new Event('cancel', { cancelable: true }))
    })
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('keeps presses from the row whose button opened it', async () => {
    const row = vi.fn()
    render(<Asking onClick={row} />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    row.mockClear()
    await userEvent.click(screen.getByRole('textbox', { name: 'Name' }))
    expect(row).not.toHaveBeenCalled()
  })

  it('closes when a person presses beside it, not when they press in it', async () => {
    render(<Asking />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    const dialog = screen.getByRole('dialog')
    vi.spyOn(dialog, 'getBoundingClientRect').mockReturnValue(new DOMRect(100, 100, 200, 200))
    fireEvent.pointerDown(dialog, { clientX: 150, clientY: 150 })
    expect(screen.queryByRole('dialog')).toBeTruthy()
    fireEvent.pointerDown(dialog, { clientX: 50, clientY: 50 })
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it.each(['Cancel', 'Close'])('does nothing when what it asks is declined: %s', async (name) => {
    const [done, closed] = [vi.fn(), vi.fn()]
    render(
      <Confirm open onOpenChange={closed} title="Delete time?" action="Delete server" onConfirm={done}>
        Gone for good.
      </Confirm>,
    )
    await userEvent.click(screen.getByRole('button', { name }))
    expect(closed).toHaveBeenCalledWith(false)
    expect(done).not.toHaveBeenCalled()
  })

  it('asks before what cannot be taken back', async () => {
    const done = vi.fn()
    render(
      <Confirm
        open
        danger
        onOpenChange={() => {}}
        title="Delete time?"
        action="Delete server"
        onConfirm={done}
      >
        Gone for good.
      </Confirm>,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Delete server' }))
    expect(done).toHaveBeenCalledOnce()
  })
})

describe('a menu', () => {
  const menu = (rename: () => void, remove: () => void) => (
    <Menu
      trigger={<Button>More</Button>}
      items={[
        { kind: 'label', label: 'Server' },
        { label: 'Rename', onSelect: rename },
        { label: 'Cannot', disabled: true, onSelect: () => {} },
        { kind: 'separator' },
        { label: 'Delete', danger: true, onSelect: remove },
      ]}
    />
  )

  it('is walked with the arrows, past what cannot be done', async () => {
    const [rename, remove] = [vi.fn(), vi.fn()]
    render(menu(rename, remove))
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    expect(document.activeElement?.textContent).toBe('Rename')
    await userEvent.keyboard('{ArrowDown}{Enter}')
    expect(remove).toHaveBeenCalledOnce()
    expect(screen.queryByRole('menu')).toBeNull()
    expect(document.activeElement?.textContent).toBe('More')
  })

  it('keeps an item, and the focus on it, when others come above it', async () => {
    const history: MenuEntry = { label: 'History', onSelect: vi.fn() }
    const trigger = <Button>More</Button>
    const { rerender } = render(<Menu trigger={trigger} items={[{ kind: 'separator' }, history]} />)
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    const item = screen.getByRole('menuitem', { name: 'History' })
    expect(document.activeElement).toBe(item)
    const version: MenuEntry = { label: 'v1', onSelect: vi.fn() }
    rerender(<Menu trigger={trigger} items={[version, { kind: 'separator' }, history]} />)
    expect(screen.getByRole('menuitem', { name: 'v1' })).toBeTruthy()
    expect(document.activeElement).toBe(item)
  })

  it('goes to an item by its first letter, and leaves with Escape', async () => {
    const [rename, remove] = [vi.fn(), vi.fn()]
    render(menu(rename, remove))
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    await userEvent.keyboard('d')
    expect(document.activeElement?.textContent).toBe('Delete')
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('menu')).toBeNull()
    expect(remove).not.toHaveBeenCalled()
  })

  it('closes when a person presses elsewhere, and by its own button', async () => {
    render(
      <>
        {menu(
          () => {},
          () => {},
        )}
        <p>elsewhere</p>
      </>,
    )
    const more = screen.getByRole('button', { name: 'More' })
    await userEvent.click(more)
    await userEvent.click(screen.getByText('elsewhere'))
    expect(screen.queryByRole('menu')).toBeNull()
    await userEvent.click(more)
    await userEvent.click(more)
    expect(screen.queryByRole('menu')).toBeNull()
  })

  it('chooses what the pointer lies on', async () => {
    render(
      menu(
        () => {},
        () => {},
      ),
    )
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    await userEvent.hover(screen.getByRole('menuitem', { name: 'Delete' }))
    expect(document.activeElement?.textContent).toBe('Delete')
  })

  it('keeps presses from the row that it belongs to', async () => {
    const [row, menuOfRow] = [vi.fn(), vi.fn()]
    render(
      // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: stands for a row that can be clicked
      <div onClick={row} onContextMenu={menuOfRow}>
        {menu(
          () => {},
          () => {},
        )}
      </div>,
    )
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    row.mockClear()
    await userEvent.pointer({ target: screen.getByText('Server'), keys: '[MouseLeft][MouseRight]' })
    expect(row).not.toHaveBeenCalled()
    expect(menuOfRow).not.toHaveBeenCalled()
  })

  it.each(['resize', 'scroll'])('stays at its button: %s', async (what) => {
    render(
      menu(
        () => {},
        () => {},
      ),
    )
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    const more = screen.getByRole('button', { name: 'More' })
    vi.spyOn(more, 'getBoundingClientRect').mockReturnValue(new DOMRect(200, 100, 40, 20))
    act(() => void window.dispatchEvent(new Event(what)))
    expect(screen.getByRole('menu').style.top).toBe('124px')
  })

  it('of the right mouse button is closed by Escape', async () => {
    render(
      <ContextMenu items={() => [{ label: 'Paste', onSelect: () => {} }]}>
        <p>canvas</p>
      </ContextMenu>,
    )
    await userEvent.pointer({ target: screen.getByText('canvas'), keys: '[MouseRight]' })
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('menu')).toBeNull()
  })

  it.each([
    ['opens with what comes late', [{ label: 'Paste', onSelect: () => {} }], 1],
    ['stays away where nothing comes', [], 0],
  ])('of the right mouse button %s', async (_, items, menus) => {
    const late = Promise.withResolvers<MenuEntry[]>()
    render(
      <ContextMenu items={() => late.promise}>
        <p>canvas</p>
      </ContextMenu>,
    )
    const event = createEvent.contextMenu(screen.getByText('canvas'))
    fireEvent(screen.getByText('canvas'), event)
    expect(event.defaultPrevented, "the browser's own menu does not come between").toBe(true)
    expect(screen.queryByRole('menu')).toBeNull()
    await act(async () => late.resolve(items))
    expect(screen.queryAllByRole('menu')).toHaveLength(menus)
  })

  it.each(['touchend', 'touchcancel'])(
    'of a finger that rests takes that %s, and no later one',
    async (lifting) => {
      render(
        <ContextMenu items={() => [{ label: 'Paste', onSelect: () => {} }]}>
          <p>canvas</p>
        </ContextMenu>,
      )
      fireEvent.pointerDown(screen.getByText('canvas'), { pointerType: 'touch', isPrimary: true })
      const entry = await screen.findByRole('menuitem', { name: 'Paste' })
      const isTaken = () => !entry.dispatchEvent(new Event(lifting, { bubbles: true, cancelable: true }))
      expect(isTaken(), 'the entry below the finger is not chosen').toBe(true)
      expect(isTaken(), 'what is tapped next is').toBe(false)
    },
  )

  it('opens under the right mouse button', async () => {
    const done = vi.fn()
    render(
      <ContextMenu items={() => [{ label: 'Paste', onSelect: done }]}>
        <p>canvas</p>
      </ContextMenu>,
    )
    await userEvent.pointer({ target: screen.getByText('canvas'), keys: '[MouseRight]' })
    await userEvent.click(screen.getByRole('menuitem', { name: 'Paste' }))
    expect(done).toHaveBeenCalledOnce()
  })
})

describe('a popover', () => {
  it('opens on its first field and stays while a person works in it', async () => {
    render(
      <Popover label="Inputs" trigger={<Button>Run</Button>}>
        <input aria-label="city" />
      </Popover>,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Run' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'city' }), 'Oslo')
    expect(screen.getByRole('dialog', { name: 'Inputs' })).toBeTruthy()
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(document.activeElement?.textContent).toBe('Run')
  })
})

describe('a splitter', () => {
  const bar = () => screen.getByRole('separator', { name: 'Resize Inspector' })

  it('moves with the arrow keys, within its limits, and remembers', async () => {
    const { unmount } = render(<Panel />)
    bar().focus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(bar().getAttribute('aria-valuenow')).toBe('310')
    await userEvent.keyboard('{Shift>}{ArrowLeft}{ArrowLeft}{ArrowLeft}{/Shift}')
    expect(bar().getAttribute('aria-valuenow')).toBe('400')
    unmount()
    render(<Panel />)
    expect(bar().getAttribute('aria-valuenow')).toBe('400')
    bar().focus()
    await userEvent.keyboard('{Enter}')
    expect(bar().getAttribute('aria-valuenow')).toBe('300')
  })
})

describe('a splitter that is dragged', () => {
  const bar = () => screen.getByRole('separator', { name: 'Resize Inspector' })
  const size = () => bar().getAttribute('aria-valuenow')

  it.each(['pointerUp', 'pointerCancel'] as const)('follows the pointer until %s', (end) => {
    render(<Panel />)
    fireEvent.pointerDown(bar(), { clientX: 500, button: 0, pointerId: 1 })
    fireEvent.pointerMove(bar(), { clientX: 470 })
    expect(size()).toBe('330')
    fireEvent[end](bar())
    fireEvent.pointerMove(bar(), { clientX: 400 })
    expect(size()).toBe('330')
  })

  it('goes back to where it began by a double click', async () => {
    render(<Panel />)
    bar().focus()
    await userEvent.keyboard('{ArrowLeft}')
    await userEvent.dblClick(bar())
    expect(size()).toBe('300')
  })
})

describe('a tooltip', () => {
  const page = () =>
    render(
      <>
        <Button tip="Saves it">Save</Button>
        <TooltipLayer />
      </>,
    )
  const button = () => screen.getByRole('button', { name: 'Save' })
  const tip = () => screen.queryByRole('tooltip')?.textContent
  const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
  beforeEach(() => {
    vi.useFakeTimers()
    document.elementsFromPoint ??= () => []
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('comes where the pointer rests, and goes when it lies elsewhere', () => {
    page()
    fireEvent.pointerOver(button())
    wait(500)
    expect(tip()).toBe('Saves it')
    fireEvent.pointerOver(document.body)
    expect(tip()).toBeUndefined()
  })

  it.each([
    ['a press', () => fireEvent.pointerDown(button())],
    ['Escape', () => fireEvent.keyDown(button(), { key: 'Escape' })],
    ['scrolling', () => fireEvent.scroll(document)],
    ['the focus going elsewhere', () => fireEvent.focusOut(button())],
  ])('is hidden by %s', (_by, hide) => {
    page()
    fireEvent.pointerOver(button())
    wait(500)
    expect(tip()).toBe('Saves it')
    hide()
    expect(tip()).toBeUndefined()
  })

  it('comes where a finger rests', () => {
    page()
    fireEvent.pointerDown(button(), { pointerType: 'touch' })
    wait(600)
    expect(tip()).toBe('Saves it')
  })

  it('does not come where a finger only taps or scrolls', () => {
    page()
    fireEvent.pointerDown(button(), { pointerType: 'touch', clientX: 5, clientY: 5 })
    fireEvent.pointerUp(button(), { pointerType: 'touch' })
    wait(600)
    expect(tip()).toBeUndefined()
    fireEvent.pointerDown(button(), { pointerType: 'touch', clientX: 5, clientY: 5 })
    fireEvent.pointerMove(button(), { pointerType: 'touch', clientX: 5, clientY: 50 })
    wait(600)
    expect(tip()).toBeUndefined()
  })
})

describe('a part of the page that breaks', () => {
  const part = { broken: true }
  beforeEach(() => {
    part.broken = true
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })

  it('says so, and is drawn again when asked to', async () => {
    render(
      <Boundary>
        <Part of={part} />
      </Boundary>,
    )
    expect(screen.getByText('It broke.')).toBeTruthy()
    part.broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(screen.getByText('drawn')).toBeTruthy()
  })

  it('has a way to load the page anew', async () => {
    const reload = vi.fn()
    vi.stubGlobal('location', { reload })
    try {
      render(
        <Boundary>
          <Part of={part} />
        </Boundary>,
      )
      await userEvent.click(screen.getByRole('button', { name: 'Reload' }))
      expect(reload).toHaveBeenCalledOnce()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('is drawn again at another address', () => {
    const at = (address: string) => (
      <Boundary resetKey={address}>
        <Part of={part} />
      </Boundary>
    )
    const { rerender } = render(at('/a'))
    part.broken = false
    rerender(at('/b'))
    expect(screen.getByText('drawn')).toBeTruthy()
  })
})

describe('code', () => {
  it('is copied, which shows', async () => {
    const user = userEvent.setup()
    render(<CodeBlock code="a = 1" />)
    await user.click(screen.getByRole('button', { name: 'Copy' }))
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
    expect(await navigator.clipboard.readText()).toBe('a = 1')
  })
})

describe('what is said', () => {
  const announced: number[] = []
  const say = (...ids: number[]) => void announced.push(...ids)
  // toasts outlive the page of a test
  afterEach(() => act(() => announced.splice(0).forEach(toast.dismiss)))

  it('as an error of the installation names the request, in a box and in a toast', () => {
    render(
      <>
        <Toasts />
        <ErrorBox error={{ code: 'INTERNAL', message: 'It failed.', reference: 'abc-1' }} />
      </>,
    )
    act(() => void toast.error({ title: 'Not saved.', reference: 'abc-2' }))
    expect(screen.getByText('Request ID abc-1')).toBeTruthy()
    expect(screen.getByText('Request ID abc-2')).toBeTruthy()
  })

  it('as an error has a sentence, what to do, its code, and the repair inside', () => {
    render(
      <ErrorBox
        error={{
          code: 'MCP_AUTH_FAILED',
          message: 'The server refused the credentials.',
          hint: 'Replace the key.',
        }}
        actions={<Button>Replace</Button>}
      />,
    )
    const box = within(screen.getByRole('alert'))
    for (const text of ['The server refused the credentials.', 'Replace the key.', 'MCP_AUTH_FAILED']) {
      expect(box.getByText(text)).toBeTruthy()
    }
    expect(box.getByRole('button', { name: 'Replace' })).toBeTruthy()
  })

  it('as a state has a word beside its colour', () => {
    render(<StatusWord status="person" />)
    expect(screen.getByText('Needs a person').dataset.tone).toBe('person')
  })

  it('as a toast goes by its button', async () => {
    render(<Toasts />)
    act(() => say(toast.ok('Stored')))
    const stored = screen.getByText('Stored').closest('.toast') as HTMLElement
    await userEvent.click(within(stored).getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByText('Stored')).toBeNull()
  })

  it.each([
    ['the pointer lies on it', 'pointerEnter', 'pointerLeave'],
    ['the focus is in it', 'focus', 'blur'],
  ] as const)('as a toast stays while %s', (_while, enter, leave) => {
    vi.useFakeTimers()
    try {
      render(<Toasts />)
      act(() => say(toast.ok('Read me')))
      const shown = screen.getByText('Read me').closest('.toast') as HTMLElement
      fireEvent[enter](shown)
      act(() => void vi.advanceTimersByTime(10_000))
      expect(screen.queryByText('Read me')).toBeTruthy()
      fireEvent[leave](shown)
      act(() => void vi.advanceTimersByTime(10_000))
      expect(screen.queryByText('Read me')).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  it('as a toast offers its way out and goes by itself', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      const undo = vi.fn()
      render(<Toasts />)
      act(() => {
        say(toast.error({ title: 'Not saved', action: { label: 'Keep mine', run: undo } }), toast.ok('Saved'))
      })
      await userEvent
        .setup({ advanceTimers: vi.advanceTimersByTime })
        .click(screen.getByRole('button', { name: 'Keep mine' }))
      expect(undo).toHaveBeenCalledOnce()
      expect(screen.queryByText('Not saved')).toBeNull()
      act(() => {
        vi.advanceTimersByTime(7000)
      })
      await waitFor(() => expect(screen.queryByText('Saved')).toBeNull())
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a tree of JSON', () => {
  it('unfolds on demand and shows long lists in pieces', async () => {
    render(
      <JsonTree
        value={{ deep: { deeper: { deepest: 1 } }, many: Array.from({ length: 250 }, (_, i) => i) }}
        open={0}
      />,
    )
    expect(screen.queryByText('deepest')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /deep/ }))
    await userEvent.click(screen.getByRole('button', { name: /deeper/ }))
    expect(screen.getByText('deepest')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: /many/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Show 150 more' }))
    expect(screen.getAllByText('249')).toHaveLength(2)
  })
})

describe('the end of a list that has more', () => {
  it('loads once it is in sight, and after a failure only when it is asked to', async () => {
    class EverythingIsInSight {
      readonly #seen: (entries: readonly { isIntersecting: boolean }[]) => void
      constructor(seen: (entries: readonly { isIntersecting: boolean }[]) => void) {
        this.#seen = seen
      }
      observe = () => this.#seen([{ isIntersecting: true }])
      disconnect = () => {}
    }
    vi.stubGlobal('IntersectionObserver', EverythingIsInSight)
    const load = vi.fn()
    const { rerender } = render(<More busy={false} failed={false} load={load} />)
    expect(load).toHaveBeenCalledTimes(1)
    rerender(<More busy failed={false} load={load} />)
    rerender(<More busy={false} failed load={load} />)
    expect(load).toHaveBeenCalledTimes(1)
    expect(screen.getByRole('alert').textContent).toBe('More could not be loaded.')
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(load).toHaveBeenCalledTimes(2)
    vi.unstubAllGlobals()
  })
})
