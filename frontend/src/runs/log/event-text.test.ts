/** What a line of the log says. */
import { expect, it } from 'vitest'
import { eventText } from './event-text'

it('an answer names the client in which it was given', () => {
  const data = { interaction: 'int_1', action: 'accept', by: 'alice@example.org' }
  expect(eventText({ type: 'STEP_ANSWERED', data })).toBe('accept alice@example.org')
  expect(eventText({ type: 'STEP_ANSWERED', data: { ...data, client: 'Claude' } })).toBe(
    'accept alice@example.org · Claude',
  )
})
