import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Button, IconButton } from './controls/button'
import { Checkbox, Segmented, Select, TextField } from './controls/field'
import { TabPanel, Tabs } from './controls/tabs'
import { JsonTree } from './display/code'
import { ErrorBox } from './display/feedback'
import { StatusWord } from './display/status'
import { Confirm, Dialog } from './floating/dialog'
import { ContextMenu, Menu, Popover } from './floating/popover'
import { Toasts, toast } from './floating/toast'
import { TooltipLayer } from './floating/tooltip'
import { Splitter, useStoredSize } from './layout/splitter'

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

  it('that submits does not submit while it is busy', async () => {
    const sent = vi.fn((event: Event) => event.preventDefault())
    const { container } = render(
      <form>
        <Button type="submit" busy>
          Save
        </Button>
      </form>,
    )
    container.querySelector('form')?.addEventListener('submit', sent)
    await userEvent.click(screen.getByRole('button'))
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

describe('tabs', () => {
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

describe('what is said', () => {
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

  it('as a toast offers its way out and goes by itself', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      const undo = vi.fn()
      render(<Toasts />)
      act(() => {
        toast.error({ title: 'Not saved', action: { label: 'Keep mine', run: undo } })
        toast.ok('Saved')
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
