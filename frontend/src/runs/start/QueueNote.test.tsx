import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Queue } from '@/api/usage'
import { FakeServer, show } from '@/testing/server'
import { PlaceInQueue } from './QueueNote'

async function noteText(change: Partial<Queue>): Promise<string> {
  const worker = { name: 'builder:4711', running: 1, capacity: 64, age_s: 60, seen_s: 1 }
  const queue: Queue = { limit: 30, running: 1, queued: 2, oldest_s: 0.4, runs: [], workers: [worker] }
  new FakeServer().on('GET /api/queue', { body: { ...queue, ...change } })
  show(<PlaceInQueue run="run_1" />)
  return (await screen.findByRole('status')).textContent ?? ''
}

describe('what a run that waits for its turn says', () => {
  it('names the server that has no place for it, however short the wait', async () => {
    const text = await noteText({ runs: [{ run: 'run_1', position: 2, server: 'Booking', busy: null }] })
    expect(text).toBe('Position 2 in the queue: waiting for Booking')
  })

  it('names no server that is private to somebody else', async () => {
    const text = await noteText({ runs: [{ run: 'run_1', position: 1, server: '', busy: null }] })
    expect(text).toBe('Position 1 in the queue: waiting for a private server')
  })

  it('leads to the run that its workflow lets go first', async () => {
    const text = await noteText({ runs: [{ run: 'run_1', position: null, server: null, busy: 'run_0' }] })
    expect(text).toBe('Waiting until another run of this workflow ends')
    expect(screen.getByRole('link', { name: 'another run' }).getAttribute('href')).toBe('/runs/run_0')
  })

  it('tells how full the house is', async () => {
    const text = await noteText({
      running: 30,
      runs: [{ run: 'run_1', position: 2, server: null, busy: null }],
    })
    expect(text).toBe('Position 2 in the queue: 30 of 30 runs are active')
  })
})
