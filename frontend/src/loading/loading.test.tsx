// Tests: what is fetched late waits for a network that is away, says when it does not come, and may be asked for again.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Suspense } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Boundary } from '@/ui/layout/boundary'
import { fetchCode } from './fetch-code'
import { lazily } from './lazily'

const file = { default: () => <p>the part</p> }
/** Whether the server answers, whether the file is there, and how often it was asked for. */
const server = { up: true, has: true, requests: 0 }

async function load(): Promise<typeof file> {
  server.requests += 1
  if (!server.up || !server.has) throw new TypeError('Failed to fetch dynamically imported module')
  return file
}

beforeEach(() => {
  Object.assign(server, { up: true, has: true, requests: 0 })
  vi.useFakeTimers({ shouldAdvanceTime: true })
  vi.stubGlobal('fetch', async () => {
    if (!server.up) throw new TypeError('Failed to fetch')
    return new Response(null)
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('code that is fetched', () => {
  it('comes when the server is back', async () => {
    server.up = false
    const coming = fetchCode(load)
    await vi.advanceTimersByTimeAsync(2000)
    expect(server.requests).toBeGreaterThan(1)
    server.up = true
    await vi.advanceTimersByTimeAsync(4000)
    expect(await coming).toBe(file)
  })

  it('waits for the network of a browser that is offline, however long', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    server.up = false
    const coming = fetchCode(load)
    await vi.advanceTimersByTimeAsync(600_000)
    server.up = true
    online.mockReturnValue(true)
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect(await coming).toBe(file)
  })

  it('is given up when nobody answers for some time', async () => {
    server.up = false
    const coming = fetchCode(load).catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await coming).toBe('Failed to fetch dynamically imported module')
  })

  it('is given up at once when the server answers without it', async () => {
    server.has = false
    await expect(fetchCode(load)).rejects.toThrow('Failed to fetch')
    expect(server.requests).toBe(2)
  })
})

describe('a part whose code does not come', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    server.has = false
  })

  it('says so, and comes when it is asked for again', async () => {
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime })
    const Part = lazily(() => fetchCode(load))
    render(
      <Boundary>
        <Suspense fallback="…">
          <Part />
        </Suspense>
      </Boundary>,
    )
    expect(await screen.findByText('This part of the page stopped working.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('This part of the page stopped working.')).toBeTruthy()
    server.has = true
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('the part')).toBeTruthy()
  })

  it('leaves its place empty where nobody misses it', async () => {
    const Part = lazily(() => fetchCode(load))
    render(
      <>
        <p>the page</p>
        <Boundary optional>
          <Suspense fallback="…">
            <Part />
          </Suspense>
        </Boundary>
      </>,
    )
    await act(() => vi.waitFor(() => expect(server.requests).toBe(2)))
    await vi.waitFor(() => expect(screen.queryByText('…')).toBeNull())
    expect(screen.getByText('the page')).toBeTruthy()
  })
})

describe('every import of code', () => {
  it('goes through the one that waits', () => {
    const source = join(import.meta.dirname, '..')
    const files = readdirSync(source, { recursive: true, encoding: 'utf-8' }).filter(
      (name) => /\.tsx?$/.test(name) && !/\.test\.|\.testing\.|^testing\b/.test(name),
    )
    const bare = files.filter((name) =>
      /(?<!typeof |fetchCode\(\(\) => )\bimport\(/.test(readFileSync(join(source, name), 'utf-8')),
    )
    expect(bare).toEqual([])
    const lazy = files.filter((name) => /\blazy\(/.test(readFileSync(join(source, name), 'utf-8')))
    expect(lazy).toEqual(['loading/lazily.ts'])
  })
})
