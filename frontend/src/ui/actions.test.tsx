import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Action, comboOf, listenToKeys, registerActions, useActions } from './actions'
import { keyParts } from './controls/kbd'
import { Dialog } from './floating/dialog'

let stop: () => void
const registered: (() => void)[] = []
const register = (...actions: Action[]) => registered.push(registerActions(actions))
const action = (keys: string, run: () => void, more: Partial<Action> = {}): Action => ({
  id: keys,
  title: keys,
  keys,
  run,
  ...more,
})

beforeEach(() => {
  stop = listenToKeys()
})
afterEach(() => {
  stop()
  for (const take of registered.splice(0)) take()
})

const press = (key: string, modifiers: Partial<KeyboardEvent> = {}) => ({
  key,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
})

const seen: number[] = []

function Counter({ count }: { count: number }) {
  useActions([action('n', () => seen.push(count))])
  return null
}

describe('a combination', () => {
  it('has one name on every keyboard', () => {
    expect(comboOf(press('z', { ctrlKey: true }), false)).toBe('mod+z')
    expect(comboOf(press('z', { metaKey: true }), true)).toBe('mod+z')
    expect(comboOf(press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe('mod+shift+z')
    expect(comboOf(press('F', { shiftKey: true }), false)).toBe('shift+f')
    expect(comboOf(press(' '), false)).toBe('space')
  })

  it('forgets the shift that only made the character', () => {
    expect(comboOf(press('?', { shiftKey: true }), false)).toBe('?')
    expect(comboOf(press('ArrowUp', { shiftKey: true }), false)).toBe('shift+arrowup')
  })

  it('is shown as it is printed on the keys', () => {
    expect(keyParts('mod+shift+z', true)).toEqual(['⌘', '⇧', 'Z'])
    expect(keyParts('mod+enter', false)).toEqual(['Ctrl', '↵'])
  })
})

describe('a key', () => {
  it('does what the action says that was registered last and can be done', async () => {
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()]
    register(action('f', first), action('f', second), action('f', third, { when: () => false }))
    await userEvent.keyboard('f')
    expect([first, second, third].map((run) => run.mock.calls.length)).toEqual([0, 1, 0])
  })

  it('is a letter while a person types; with Ctrl it is a command', async () => {
    const [letter, command, undo] = [vi.fn(), vi.fn(), vi.fn()]
    register(action('f', letter), action('mod+enter', command), action('mod+z', undo))
    const { getByRole } = render(<input />)
    await userEvent.click(getByRole('textbox'))
    await userEvent.keyboard('f{Control>}{Enter}z{/Control}')
    expect(letter).not.toHaveBeenCalled()
    expect(command).toHaveBeenCalledOnce()
    // undo belongs to the field
    expect(undo).not.toHaveBeenCalled()
  })

  it('is kept from what lies behind a dialog', async () => {
    const run = vi.fn()
    register(action('f', run))
    const { rerender } = render(
      <Dialog open onOpenChange={() => {}} title="Open">
        text
      </Dialog>,
    )
    await userEvent.keyboard('f')
    expect(run).not.toHaveBeenCalled()
    rerender(
      <Dialog open={false} onOpenChange={() => {}} title="Open">
        text
      </Dialog>,
    )
    await userEvent.keyboard('f')
    expect(run).toHaveBeenCalledOnce()
  })

  it('runs the newest closure of a component, and nothing once it is gone', async () => {
    seen.length = 0
    const { rerender, unmount } = render(<Counter count={1} />)
    rerender(<Counter count={2} />)
    await userEvent.keyboard('n')
    unmount()
    await userEvent.keyboard('n')
    expect(seen).toEqual([2])
  })
})
