/** The search that is left before its code is there: that is loaded once only, so its modules are fresh. */
import { fireEvent } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

it('is not waited for when Escape comes first', async () => {
  vi.resetModules()
  const { giveLayout, openCanvas, press } = await import('@/canvas/canvas.testing')
  giveLayout()
  const { controller } = openCanvas()
  press('f', { ctrlKey: true })
  const waiting = document.querySelector('input[aria-busy]')
  fireEvent.keyDown(waiting as Element, { key: 'Escape' })
  expect(controller.canvas.getState().finding).toBe(false)
})
