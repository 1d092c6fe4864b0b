import { describe, expect, it } from 'vitest'
import { emptyFold, fold } from '@/live/fold'
import { aRun, at } from '@/live/fold.testing'
import { fc } from '@/testing/properties'
import { ticks, timeScale } from './time-scale'

const run = fold(emptyFold('r'), aRun()).state

describe('the time scale', () => {
  it('shortens a minute of waiting between two seconds of work', () => {
    const scale = timeScale(run, 0)
    const wait = scale.stretches.find((stretch) => stretch.short)
    expect(wait).toMatchObject({ from: at(2533), to: at(62_533), waiting: 'person' })
    expect((wait?.right ?? 1) - (wait?.left ?? 0)).toBeLessThan(0.3)
  })

  it('keeps short waits as they are', () => {
    const brief = { ...run, waits: [{ from: at(1000), to: at(1100), waiting: [] }] }
    expect(timeScale(brief, 0).stretches).toHaveLength(1)
  })

  it('goes there and back, and never runs backwards', () => {
    const waits = fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { maxLength: 8 }).map((marks) => {
      const sorted = [...marks].sort((mark, other) => mark - other)
      return sorted.flatMap((from, i) =>
        i % 2 === 0 ? [{ from, to: sorted[i + 1] ?? null, waiting: [] }] : [],
      )
    })
    fc.assert(
      fc.property(waits, fc.nat(1000), fc.nat(1000), (list, entry, other) => {
        const scale = timeScale({ queuedAt: 0, startedAt: 0, endedAt: 1000, lastAt: 1000, waits: list }, 0)
        expect(scale.time(scale.at(entry))).toBeCloseTo(entry, 3)
        if (entry <= other) expect(scale.at(entry)).toBeLessThanOrEqual(scale.at(other) + 1e-12)
        expect(scale.at(0)).toBeGreaterThanOrEqual(0)
        expect(scale.at(1000)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('puts round times on the axis', () => {
    const scale = timeScale({ queuedAt: 0, startedAt: 0, endedAt: 24_600, lastAt: null, waits: [] }, 0)
    expect(ticks(scale, 5).map((tick) => tick.elapsed)).toEqual([0, 5000, 10_000, 15_000, 20_000])
  })
})
