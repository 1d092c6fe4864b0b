/** What is opened by a key before its code is there: that is loaded once only, so its modules are fresh. */
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

it('the command palette is not waited for when Escape comes first', async () => {
  vi.resetModules()
  const { AppActions } = await import('./AppActions')
  const { listenToKeys } = await import('@/ui')
  const { FakeServer, show } = await import('@/testing/server')
  new FakeServer()
  const stop = listenToKeys()
  show(<AppActions />)
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  fireEvent.keyDown(document.querySelector('input[aria-busy]') as Element, { key: 'Escape' })
  expect(document.querySelector('input[aria-busy]')).toBeNull()
  await import('./CommandPalette')
  expect(screen.queryByRole('dialog')).toBeNull()
  stop()
})
