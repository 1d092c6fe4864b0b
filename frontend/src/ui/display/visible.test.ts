import { describe, expect, it } from 'vitest'
import { visible } from './visible'

describe('visible', () => {
  it.each([
    ['pay \u202Eevil', 'pay ⟨U+202E⟩evil'],
    ['a\u200Bb', 'a⟨U+200B⟩b'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['\uFEFFread', '⟨U+FEFF⟩read'],
    ['hi\u{E0069}\u{E0067}', 'hi⟨U+E0069⟩⟨U+E0067⟩'],
    ['a\u0007b\u001b[31m', 'a⟨U+0007⟩b⟨U+001B⟩[31m'],
    ['soft\u00ADhyphen', 'soft⟨U+00AD⟩hyphen'],
    ['\u3164\u115F', '⟨U+3164⟩⟨U+115F⟩'],
    ['\uFE00\uFE01', '⟨U+FE00⟩⟨U+FE01⟩'],
  ])('names what %j hides', (text, seen) => {
    expect(visible(text)).toBe(seen)
  })

  it.each(['plain\ttext\r\nof two lines', '你好，世界', 'مرحبا', 'क्‍ष', '👩‍👩‍👧 ❤️', 'a\u00A0b'])(
    'leaves %j as it is',
    (text) => {
      expect(visible(text)).toBe(text)
    },
  )
})
