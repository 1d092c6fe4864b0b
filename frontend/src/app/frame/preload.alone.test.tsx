/** The code of a page is fetched while the hand, or the focus, is on its way to it. */
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { FakeServer } from '@/testing/server'

const team = { id: 'team_1', name: 'Platform', slug: 'platform', role: 'owner' }
const me = {
  id: 'usr_1',
  email: 'alice@example.org',
  name: 'Alice',
  language: 'en',
  theme: 'light',
  auto_execute: false,
  team,
  teams: [team],
}

/** A websocket that never opens: nothing here is about what is live. */
class SilentSocket {
  close() {}
  send() {}
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', SilentSocket)
  new FakeServer().on('GET /api/me', { body: me })
})

/** The link to a page, for somebody whose browser has fetched no code but that of the page shown. */
async function linkTo(name: string): Promise<HTMLElement> {
  vi.resetModules()
  const { App } = await import('../App')
  window.history.replaceState(null, '', '/settings')
  render(<App />)
  await screen.findByRole('heading', { level: 1, name: 'Settings' })
  return screen.getByRole('link', { name })
}

/** The page is there with the press itself: nothing is fetched then. */
async function opensAtOnce(link: HTMLElement, name: string): Promise<void> {
  await act(() => vi.dynamicImportSettled())
  act(() => link.click())
  expect(screen.queryByRole('heading', { level: 1, name })).not.toBeNull()
}

it('the hand on its way fetches it', async () => {
  const link = await linkTo('Usage')
  await userEvent.hover(link)
  await opensAtOnce(link, 'Usage')
})

it('the focus on its way fetches it', async () => {
  const link = await linkTo('Usage')
  act(() => link.focus())
  await opensAtOnce(link, 'Usage')
})
