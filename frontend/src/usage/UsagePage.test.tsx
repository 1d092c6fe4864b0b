import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Amounts, Queue, Storage } from '@/api/usage'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, type SentRequest, show, unwatched } from '@/testing/server'
import { ceiling, lastDays } from './measures'
import UsagePage from './UsagePage'

const NONE: Amounts = {
  runs: 0,
  failed: 0,
  cancelled: 0,
  rounds: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost: 0,
  tool_calls: 0,
}
const TODAY = lastDays(1)[0] ?? ''
const QUEUE: Queue = {
  limit: 30,
  running: 30,
  queued: 4,
  oldest_s: 12.4,
  runs: [],
  workers: [{ name: 'builder:4711', running: 30, capacity: 64, age_s: 60, seen_s: 1 }],
}
const STORED: Storage = {
  database_bytes: 5 * 1024 * 1024,
  runs: 120,
  events: 4000,
  oldest_run: null,
  blobs: { count: 3, bytes: 2048 },
  files: { count: 0, bytes: 0 },
  retention_days: 30,
}

/** What was used, as it is asked for: by day, workflow, member, model or server. */
function used({ path }: SentRequest) {
  const by = new URLSearchParams(path.split('?')[1]).get('by')
  const results =
    by === 'day'
      ? [{ ...NONE, runs: 12, failed: 2, input_tokens: 900, rounds: 3, key: TODAY, name: TODAY }]
      : by === 'workflow'
        ? [
            { ...NONE, runs: 3, key: 'wf_2', name: null },
            { ...NONE, runs: 9, input_tokens: 900, key: 'wf_1', name: 'Weekly digest' },
          ]
        : []
  return { body: { from: TODAY, to: TODAY, by, total: { ...NONE, runs: 12, failed: 2, rounds: 3 }, results } }
}

function page(change: Partial<Queue> = {}) {
  const server = new FakeServer()
    .on('GET /api/usage', used)
    .on('GET /api/queue', { body: { ...QUEUE, ...change } })
    .on('GET /api/usage/storage', { body: STORED })
  show(<UsagePage />)
  return { server, user: userEvent.setup() }
}

describe('the usage page', () => {
  beforeEach(() => window.history.replaceState(null, '', '/usage'))

  it('tells the sums, and every day by arrow keys', async () => {
    const { user } = page()
    expect(await screen.findByText('2 failed')).toBeTruthy()
    const days = screen.getByRole('slider', { name: /Runs per day/ })
    days.focus()
    expect(days.getAttribute('aria-valuetext')).toContain('10 succeeded · 2 failed')
    await user.click(screen.getByRole('radio', { name: /Tokens/ }))
    expect(screen.getByRole('slider', { name: /Tokens per day/ }).getAttribute('aria-valuetext')).toContain(
      '900 in',
    )
  })

  describe('tells above the chart', () => {
    const readout = () => document.querySelector('.usage-readout')?.textContent ?? ''
    const plot = async () => {
      await screen.findByRole('slider')
      return document.querySelector('.usage-bars svg') as SVGElement
    }
    // 30 days, 10 px each
    beforeEach(() => {
      vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 300, 100))
    })

    it('the last day to who comes by the keyboard, and nothing once they leave', async () => {
      const { user } = page()
      ;(await screen.findByRole('slider')).focus()
      expect(await screen.findByText(/: 10 succeeded · 2 failed/)).toBeTruthy()
      await user.tab()
      expect(readout()).toBe('succeededfailedcancelled')
    })

    it('the day that the slider is moved to', async () => {
      page()
      const days = await screen.findByRole('slider')
      fireEvent.change(days, { target: { value: '0' } })
      expect(readout()).toContain(': 0 succeeded')
    })

    it('the day under the pointer, while it is there', async () => {
      const { user } = page()
      const target = await plot()
      await user.pointer({ target, coords: { clientX: 299, clientY: 5 } })
      expect(readout()).toContain(': 10 succeeded · 2 failed')
      await user.unhover(target)
      expect(readout()).toBe('succeededfailedcancelled')
    })

    it('the day under a finger', async () => {
      const { user } = page()
      await user.pointer({ keys: '[TouchA>]', target: await plot(), coords: { clientX: 5, clientY: 5 } })
      expect(readout()).toContain(': 0 succeeded')
    })
  })

  it('takes another time on a phone', async () => {
    onScreen('phone')
    const { user } = page()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), '7')
    expect(window.location.search).toBe('?days=7')
  })

  it('is asked for again where it could not be read', async () => {
    const { server, user } = page()
    server.on('GET /api/usage', refusal(500, 'INTERNAL'))
    const days = await screen.findByRole('region', { name: 'By day' })
    const again = await within(days).findByRole('button', { name: 'Try again' })
    expect(within(days).getByText('This could not be loaded.')).toBeTruthy()
    server.on('GET /api/usage', used)
    await user.click(again)
    expect(await screen.findByText('2 failed')).toBeTruthy()
  })

  it('draws a bar for each part of a day, and has it all as a table', async () => {
    const { user } = page()
    await screen.findByRole('slider')
    const bars = document.querySelectorAll('.usage-bar rect[data-tone]')
    expect(
      [...bars].map((bar) => [bar.getAttribute('data-tone'), Number(bar.getAttribute('height'))]),
    ).toEqual([
      ['ok', 50],
      ['failed', 10],
    ])
    await user.click(screen.getByRole('button', { name: 'Show as a table' }))
    const first = screen.getAllByRole('row')[1] as HTMLElement
    expect(
      within(first)
        .getAllByRole('cell')
        .map((cell) => cell.textContent)
        .slice(1),
    ).toEqual(['10', '2', '0'])
  })

  it('lists who used it, the most first; what is gone has no link', async () => {
    const { user } = page()
    const link = await screen.findByRole('link', { name: 'Weekly digest' })
    expect(link.getAttribute('href')).toBe('/workflows/wf_1')
    const names = screen.getAllByRole('row').map((row) => row.querySelector('td')?.textContent)
    expect(names.slice(1)).toEqual(['Weekly digest', 'deleted workflow'])
    await user.click(screen.getByRole('tab', { name: 'Model' }))
    expect(await screen.findByText('No model was called in this period.')).toBeTruthy()
  })

  it('asks for the time that was chosen', async () => {
    const { server, user } = page()
    await user.click(await screen.findByRole('radio', { name: '7 days' }))
    expect(window.location.search).toBe('?days=7')
    await screen.findByRole('slider')
    const last = server.to('GET /api/usage').at(-1)?.path ?? ''
    expect(last).toContain(`from=${lastDays(7)[0]}`)
  })

  it('shows the queue, the workers and what is stored', async () => {
    page()
    expect(await screen.findByText('30 of 30')).toBeTruthy()
    expect(screen.getByText('Worker builder:4711')).toBeTruthy()
    expect(screen.getByText('12 s')).toBeTruthy()
    expect(await screen.findByText('5.0 MB')).toBeTruthy()
  })

  it.each([
    ['the queue', 'GET /api/queue', () => refusal(500, 'INTERNAL')],
    ['what is stored', 'GET /api/usage/storage', () => refusal(500, 'INTERNAL')],
    [
      'what each workflow used',
      'GET /api/usage',
      (request: SentRequest) =>
        request.path.includes('by=workflow') ? refusal(500, 'INTERNAL') : used(request),
    ],
  ])('asks again for %s that could not be read', async (_, route, answer) => {
    unwatched()
    const { server, user } = page()
    server.on(route, answer)
    const again = await screen.findByRole('button', { name: 'Try again' })
    const before = server.to(route).length
    await user.click(again)
    await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
  })

  it('says when nobody works', async () => {
    page({ workers: [] })
    expect(await screen.findByText('No worker is running: new runs wait.')).toBeTruthy()
  })
})

describe('the scale', () => {
  it('ends at a round number that nothing passes', () => {
    expect([0, 1, 3, 7, 12, 99, 100, 2100].map((value) => ceiling(value, true))).toEqual([
      1, 1, 3, 8, 20, 100, 100, 3000,
    ])
    expect(ceiling(0.031, false)).toBeCloseTo(0.04)
  })

  it('has every day up to today once', () => {
    const days = lastDays(30, new Date('2026-03-02T12:00:00Z'))
    expect([days.length, days[0], days[29]]).toEqual([30, '2026-02-01', '2026-03-02'])
  })
})
