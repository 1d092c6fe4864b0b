import { describe, expect, it } from 'vitest'
import { fc } from '@/testing/properties'
import { decode, fileOf, isAnswer, isBlock, isContent, repeats, shownOf, sizeOf, withBytes } from './blocks'

const PNG = 'iVBORw0KGgo='

describe('a block', () => {
  it('is a picture by its type, its MIME type or its bytes', () => {
    expect(shownOf({ type: 'image', mimeType: 'image/PNG; q=1', data: PNG })).toMatchObject({
      kind: 'picture',
      mime: 'image/png',
      name: 'image.png',
    })
    expect(shownOf({ type: 'image', data: PNG })).toMatchObject({ kind: 'picture', mime: 'image/png' })
    const resource = { uri: 'file:///a/Chart%201.svg?x', mimeType: 'image/svg+xml', text: '<svg/>' }
    expect(shownOf({ type: 'resource', resource })).toMatchObject({
      kind: 'picture',
      data: btoa('<svg/>'),
      name: 'Chart 1.svg',
    })
  })

  it('takes base64 as servers write it', () => {
    expect(shownOf({ type: 'audio', mimeType: 'audio/wav', data: 'UklG\nRg__' })).toMatchObject({
      kind: 'sound',
      data: 'UklGRg//',
    })
    expect(shownOf({ type: 'image', data: 'no base64!' }).kind).toBe('unknown')
    expect(shownOf({ type: 'image', data: '' }).kind).toBe('unknown')
  })

  it('becomes a file to save where nothing can be shown of it', () => {
    const resource = { uri: 'file:///r/%2e%2e%2fetc%2f‮month.pdf', blob: 'JVBERi0=' }
    expect(shownOf({ type: 'resource', resource })).toMatchObject({
      kind: 'file',
      mime: 'application/pdf',
      name: '_etc__month.pdf',
    })
  })

  it('is text where a resource is text, whatever it says to be', () => {
    const resource = { uri: 'page://1', mimeType: 'text/html', text: '<script>1</script>' }
    expect(shownOf({ type: 'resource', resource })).toMatchObject({ kind: 'words', name: '1.html' })
  })

  it('is a link also without a name', () => {
    expect(shownOf({ type: 'resource_link', uri: 'note://7' })).toMatchObject({
      kind: 'link',
      uri: 'note://7',
    })
  })

  it('is kept whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shown = shownOf(value)
        if (shown.kind === 'unknown') expect(shown.value).toBe(value)
      }),
    )
  })

  it('gives back its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
        const data = btoa(String.fromCharCode(...bytes))
        expect(decode(data)).toEqual(new Uint8Array(bytes))
        expect(sizeOf(data)).toBe(bytes.length)
      }),
    )
    expect(decode('A')).toBeNull()
  })
})

describe('a text beside structured content', () => {
  it('is left out only where it says the same', () => {
    expect(repeats('{"b": [1], "a": 2}', { a: 2, b: [1] })).toBe(true)
    expect(repeats('hello', { result: 'hello' })).toBe(true)
    expect(repeats('[1, 2]', { result: [1, 2] })).toBe(true)
    expect(repeats('The month in pictures.', { month: 'May' })).toBe(false)
    expect(repeats('{"a": 2, "more": 1}', { a: 2 })).toBe(false)
    expect(repeats('12', { result: '1' })).toBe(false)
  })
})

describe('a value', () => {
  it('is an answer where it has the members of one and no other', () => {
    expect(isAnswer({ result: '', content: [], structured: null, is_error: false })).toBe(true)
    expect(isAnswer({ content: { $ref: 'blob_1', size: 9, preview: '[' }, structured: null })).toBe(true)
    expect(isAnswer({ content: 'a page', title: 'x' })).toBe(false)
    expect(isAnswer({ content: [], structured: null, mine: 1 })).toBe(false)
  })

  it('is content where its items are blocks and one holds bytes or leads somewhere', () => {
    expect(isContent([{ type: 'text', text: 'a' }])).toBe(false)
    expect(
      isContent([
        { type: 'text', text: 'a' },
        { type: 'image', data: PNG },
      ]),
    ).toBe(true)
    expect(isBlock({ type: 'image', name: 'a row of a table' })).toBe(false)
  })
})

describe('a block whose bytes lie in a file', () => {
  const file = { $file: 'file_1', name: 'a.png', mime: 'image/png', size: 3 }

  it('names it, wherever it stands, and is drawn with its bytes', () => {
    const picture = { type: 'image', mimeType: 'image/png', file }
    const paper = { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', file } }
    expect([picture, paper].map(fileOf)).toEqual([file, file])
    expect([picture, paper].every(isBlock)).toBe(true)
    expect(shownOf(withBytes(picture, 'AAAA'))).toMatchObject({ kind: 'picture', data: 'AAAA' })
    expect(shownOf(withBytes(paper, 'AAAA'))).toMatchObject({ kind: 'file', name: 'a.pdf', data: 'AAAA' })
  })

  it('is no other value', () => {
    expect(
      [{ type: 'text', text: 'x', file }, { file }, { type: 'image', file: 'file_1' }, null].map(fileOf),
    ).toEqual([null, null, null, null])
  })
})
