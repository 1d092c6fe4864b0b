/** Too many requests: a query asks again by itself when the server says so, and the page says that it waits. */
import { useQuery } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FakeServer, show } from '@/testing/server'
import { ApiError, api } from './client'
import { queryClient } from './queries'
import { useWaiting, waits } from './slow'

afterEach(() => vi.useRealTimers())

function Page() {
  const slowed = useWaiting() > 0
  const { data } = useQuery(
    { queryKey: ['server'], queryFn: () => api.get('/api/mcp/servers', { params: { query: {} } }) },
    queryClient,
  )
  return <p>{data ? 'there' : slowed ? 'slowed' : 'asking'}</p>
}

describe('too many requests', () => {
  it('are asked again after the time that the server names', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const server = new FakeServer()
    const refused = {
      status: 429,
      headers: { 'Retry-After': '7' },
      body: { code: 'RATE_LIMITED', message: '', hint: '' },
    }
    server.on('GET /api/mcp/servers', refused)
    show(<Page />, 'editor')
    expect(await screen.findByText('slowed')).toBeTruthy()
    server.on('GET /api/mcp/servers', { body: { results: [], next: null } })
    await act(() => vi.advanceTimersByTimeAsync(8000))
    expect(await screen.findByText('there')).toBeTruthy()
    expect(server.to('GET /api/mcp/servers')).toHaveLength(2)
  })

  it('are not waited for where it takes long or nothing is said', () => {
    const refused = (after: number | null) => new ApiError(429, 'RATE_LIMITED', '', '', {}, null, after)
    expect([refused(5), refused(3600), refused(null)].map(waits)).toEqual([true, false, false])
    expect(waits(new ApiError(503, 'X', '', '', {}, null, 5))).toBe(false)
  })
})
