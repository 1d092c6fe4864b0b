/** The palette of a team with more workflows than are read at once: Enter waits for the one that was typed. */
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { FakeServer, show } from '@/testing/server'
import { CommandPalette } from './CommandPalette'

const workflow = (id: string, name: string) => ({ id, name, slug: id })
const LAST = Array.from({ length: 200 }, (_, index) => workflow(`wf_${index}`, `Digest ${index}`))

/** A palette whose search for names is answered when `found` is called. */
function open(last: readonly object[]) {
  window.history.replaceState(null, '', '/registry')
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = new FakeServer()
    .on('GET /api/mcp/servers', { body: { results: [], next: null } })
    .on('GET /api/workflows', async ({ path }) => {
      const q = new URLSearchParams(path.split('?')[1]).get('q')
      if (q) await promise
      return { body: { results: q ? [workflow('wf_far', 'Zebra crossing')] : last, next: null } }
    })
  const onClose = vi.fn()
  show(<CommandPalette onClose={onClose} />)
  return { server, found: resolve, onClose, user: userEvent.setup() }
}

describe('the command palette', () => {
  it('waits with Enter for a workflow that is found by its name only', async () => {
    const { found, onClose, user } = open(LAST)
    await screen.findByRole('combobox')
    await user.type(screen.getByRole('combobox'), 'zebra{Enter}')
    expect(window.location.pathname).toBe('/registry')
    expect(onClose).not.toHaveBeenCalled()
    found()
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_far'))
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('asks nobody else where the team has no more workflows than it has read', async () => {
    const { onClose, user } = open([workflow('wf_1', 'Zebra')])
    await user.type(await screen.findByRole('combobox'), 'zebra')
    await screen.findByText('Open Zebra')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_1'))
    expect(onClose).toHaveBeenCalledOnce()
  })
})
