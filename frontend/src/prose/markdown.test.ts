import { describe, expect, it } from 'vitest'
import { fc } from '@/testing/properties'
import { addressOf } from '@/ui/address'
import { blocksOf, inlineOf } from './markdown'

describe("a model's text", () => {
  it('is read into headings, lists, code and paragraphs', () => {
    const text = '# Title\n\nOne **two**\nthree\n\n- a\n  1. b\n\n```py\nx = 1\n\ny = 2\n```\n> said'
    expect(blocksOf(text).map((block) => block.kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'code',
      'quote',
    ])
    expect(blocksOf(text)[3]).toEqual({ kind: 'code', text: 'x = 1\n\ny = 2', language: 'py' })
    expect(blocksOf(text)[2]).toMatchObject({
      items: [
        { depth: 0, mark: '-' },
        { depth: 1, mark: '1.' },
      ],
    })
  })

  it('takes an unclosed fence as code while it streams', () => {
    expect(blocksOf('```\nhalf')).toEqual([{ kind: 'code', text: 'half', language: '' }])
  })

  it('leaves HTML as the text it is', () => {
    expect(inlineOf('<img src=x onerror=alert(1)>')).toEqual([
      { kind: 'text', text: '<img src=x onerror=alert(1)>' },
    ])
  })

  it('names a link and its address, and follows only the web and mail', () => {
    expect(inlineOf('see [here](https://a.example/x)')).toEqual([
      { kind: 'text', text: 'see ' },
      { kind: 'link', text: 'here', href: 'https://a.example/x' },
    ])
    expect(addressOf('javascript:alert(1)')).toBeNull()
    expect(addressOf('data:text/html,x')).toBeNull()
    expect(addressOf('//a.example')).toBeNull()
    expect(inlineOf('[x](javascript:alert(1))').every((inline) => inline.kind === 'text')).toBe(true)
  })

  it('loads no picture: it is a link like any other', () => {
    expect(inlineOf('![p](https://a.example/p.png)')).toEqual([
      { kind: 'link', text: 'p', href: 'https://a.example/p.png' },
    ])
  })

  it('never loses a word of plain text, and never hangs', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '*', '_', '`', '[', ']', '(', ')', ' ', '!', '\n') }),
        (text) => {
          const letters = (value: unknown) =>
            JSON.stringify(value)
              .match(/"(?:text|language)":"[^"]*"/g)
              ?.map((text) => text.slice(text.indexOf(':')))
              .join('')
              .match(/a/g)?.length ?? 0
          expect(letters(blocksOf(text))).toBe(text.match(/a/g)?.length ?? 0)
        },
      ),
      { numRuns: 1000, examples: [['```a'], ['```\na\n```a'], ['```a\na']] },
    )
    for (const text of ['[', '*a ', '](', '`', '_a', 'https://', '![a]('])
      blocksOf(`${text.repeat(1000).slice(0, 3990)}\n`.repeat(50))
  })
})

describe('underscores', () => {
  const plain = (text: string) => inlineOf(text).every((piece) => piece.kind === 'text')

  it('inside of a name are part of it', () => {
    for (const name of [
      'many__big',
      'server__tool and other__tool',
      'a__b__c',
      'snake_case_name',
      'x__y_z',
    ]) {
      expect(plain(name)).toBe(true)
    }
  })

  it('around words still mean bold', () => {
    expect(inlineOf('say __this__ now')[1]).toEqual({ kind: 'strong', text: 'this' })
    expect(inlineOf('(__this__)')[1]).toEqual({ kind: 'strong', text: 'this' })
  })
})
