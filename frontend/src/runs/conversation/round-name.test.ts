import { describe, expect, it } from 'vitest'
import { translate } from '@/i18n'
import { roundName } from './round-name'

describe('a round is called', () => {
  it.each([
    ['round:3', 'Round 3'],
    ['round:3/fit:1', 'Round 3, shortened'],
    ['final/fit:2', 'Last answer, shortened'],
    ['round:3/summary', 'Summary of earlier rounds'],
    ['round:3/fit:1/summary', 'Summary of earlier rounds'],
    ['step:2/parameters/json:2', 'Parameters 2'],
  ])('%s: %s', (call, name) => {
    expect(roundName(call, translate)).toBe(name)
  })
})
