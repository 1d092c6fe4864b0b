/** The page of strangers as it starts, once: in the system's theme, and in its next one. */
import { waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

it('follows the theme of the system while it is open', async () => {
  const system = Object.assign(new EventTarget(), { matches: false })
  vi.spyOn(window, 'matchMedia').mockReturnValue(system as unknown as MediaQueryList)
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 404 }))
  document.body.innerHTML = '<div id="root"></div>'
  vi.resetModules() // it starts when it is loaded
  await import('./main')
  const { dataset } = document.documentElement
  expect(dataset.theme).toBe('light')
  system.matches = true
  system.dispatchEvent(new Event('change'))
  expect(dataset.theme).toBe('dark')
  await waitFor(() => expect(document.getElementById('root')?.textContent).not.toBe(''))
})
