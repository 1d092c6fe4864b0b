/** While someone writes nothing moves: what is to be said waits until the field is left, and the mouse is up. */
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { useHeld, useTyping } from './typing'

function Panel({ problem }: { problem: string }) {
  const { typing, handlers } = useTyping()
  return (
    <div {...handlers}>
      <input aria-label="Name" />
      <p>{useHeld(problem, typing)}</p>
    </div>
  )
}

const message = () => screen.queryByText('Too long.')

/** Someone writes, and something is wrong now. */
beforeEach(async () => {
  const { rerender } = render(<Panel problem="" />)
  await userEvent.tab()
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
  rerender(<Panel problem="Too long." />)
})

it('waits until the field is left', async () => {
  expect(message()).toBeNull()
  await userEvent.tab()
  expect(message()).toBeTruthy()
})

it('waits until the mouse is up: what was pressed is still where it was', async () => {
  const user = userEvent.setup()
  await user.pointer({ keys: '[MouseLeft>]', target: document.body })
  expect(document.activeElement).toBe(document.body)
  expect(message()).toBeNull()
  await user.pointer({ keys: '[/MouseLeft]', target: document.body })
  expect(await screen.findByText('Too long.')).toBeTruthy()
})

it('waits no longer for a press that became a scroll', async () => {
  await userEvent.pointer({ keys: '[MouseLeft>]', target: document.body })
  expect(message()).toBeNull()
  fireEvent.pointerCancel(document.body)
  expect(await screen.findByText('Too long.')).toBeTruthy()
})
