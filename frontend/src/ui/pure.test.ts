import { describe, expect, it } from 'vitest'
import { setLanguage } from '@/i18n'
import { fc } from '@/testing/properties'
import { diffLines, hunks } from './display/diff'
import { bytes, clock, compact, cost, duration, isoDate, relativeTime, setCurrency } from './display/format'
import { type Align, place, type Side } from './floating/floating'

describe('a difference', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'))

  it('holds both texts whole, whatever they are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after)
        const without = (kind: string) =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n')
        expect(without('add')).toBe(before)
        expect(without('del')).toBe(after)
      }),
    )
  })

  it('of equal texts says nothing changed', () => {
    fc.assert(fc.property(text, (same) => diffLines(same, same).every((line) => line.kind === 'same')))
  })

  it('shows only what changed and a little around it', () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i}`)
    const after = before.with(10, 'new')
    const shown = hunks(diffLines(before.join('\n'), after.join('\n')), 1)
    expect(shown.map((line) => line.text)).toEqual(['⋯ 9', 'line 9', 'line 10', 'new', 'line 11', '⋯ 8'])
  })
})

describe('a floating box', () => {
  it('is always wholly on the screen, if it fits at all', () => {
    const px = (max: number) => fc.integer({ min: 0, max })
    fc.assert(
      fc.property(
        fc.record({ left: px(1000), top: px(800), width: px(200), height: px(60) }),
        fc.record({ width: px(400), height: px(400) }),
        fc.constantFrom<Side>('top', 'right', 'bottom', 'left'),
        fc.constantFrom<Align>('start', 'center', 'end'),
        (anchor, size, side, align) => {
          const { left, top } = place(anchor, size, { width: 1000, height: 800 }, side, align)
          expect(left).toBeGreaterThanOrEqual(8)
          expect(top).toBeGreaterThanOrEqual(8)
          expect(left + size.width).toBeLessThanOrEqual(992)
          expect(top + size.height).toBeLessThanOrEqual(792)
        },
      ),
    )
  })

  it('turns over where there is no room', () => {
    const screen = { width: 500, height: 500 }
    const size = { width: 100, height: 100 }
    expect(place({ left: 100, top: 100, width: 50, height: 20 }, size, screen)).toEqual({
      left: 100,
      top: 124,
    })
    expect(place({ left: 100, top: 450, width: 50, height: 20 }, size, screen)).toEqual({
      left: 100,
      top: 346,
    })
  })
})

describe('figures', () => {
  it('of time are short and never lie by rounding up a unit', () => {
    const cases: [number, string][] = [
      [0, '0 ms'],
      [6.4, '6 ms'],
      [999, '999 ms'],
      [1240, '1.2 s'],
      [9960, '10 s'],
      [59_400, '59 s'],
      [124_000, '2 m 04 s'],
      [11_520_000, '3 h 12 m'],
      [190_800_000, '2 d 5 h'],
    ]
    for (const [ms, words] of cases) expect(duration(ms)).toBe(words)
  })

  it('of moments are told from now', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    expect(relativeTime('2026-11-21T11:59:40Z', now)).toBe('just now')
    expect(relativeTime('2026-11-21T11:57:00Z', now)).toBe('3 minutes ago')
    expect(relativeTime('2026-12-20T12:00:00Z', now)).toBe('in 29 days')
    expect(relativeTime('nonsense', now)).toBe('')
    expect(clock('nonsense')).toBe('')
    expect(isoDate('nonsense')).toBe('')
  })

  it('of size and cost keep what tells them apart', () => {
    expect([bytes(640), bytes(12_300), bytes(3_600_000), bytes(76_871_000_000)]).toEqual([
      '640 B',
      '12 KB',
      '3.4 MB',
      '71.6 GB',
    ])
    expect([cost(0.0182), cost(12.5), cost(0), cost(0.00002)]).toEqual([
      '$0.0182',
      '$12.50',
      '$0.0000',
      '< $0.0001',
    ])
    setCurrency('EUR')
    expect([cost(0.0182), cost(12.5), cost(0.00002)]).toEqual(['€0.0182', '€12.50', '< €0.0001'])
    setCurrency('USD')
    expect(compact(23_914)).toBe('23.9K')
  })

  it('keep Chinese apart from the digits before it', async () => {
    await setLanguage('zh')
    try {
      const now = Date.parse('2026-11-21T12:00:00Z')
      expect(relativeTime('2026-11-21T11:57:00Z', now)).toBe('3 分钟前')
      expect([compact(914), compact(132_000)]).toEqual(['914', '13.2 万'])
      expect([236, 3_600, 124_000, 11_520_000, 190_800_000].map(duration)).toEqual([
        '236 毫秒',
        '3.6 秒',
        '2 分 04 秒',
        '3 小时 12 分',
        '2 天 5 小时',
      ])
    } finally {
      await setLanguage('en')
    }
  })
})
