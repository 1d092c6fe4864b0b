import { describe, expect, it } from 'vitest'
import { evaluate, lookupIn, parse, pathText, references } from './expression'

const values = {
  a: {
    b: [{ c: 1 }, { c: 'two' }],
    'odd key': true,
    none: null,
    text: ' Hé ',
    list: ['x', 2, null, { k: 1 }],
    n: 2.345,
  },
  sys: { time: '2026-11-20T16:05:09Z', local: '2026-11-22T07:36:00+08:00' },
}
const of = (text: string) => evaluate(text, lookupIn(values))
const value = (text: string) => {
  const outcome = of(text)
  if (!outcome.ok) throw new Error(`${text}: ${outcome.reason} at ${outcome.at}`)
  return outcome.value
}
const reason = (text: string) => {
  const outcome = of(text)
  return outcome.ok ? 'ok' : outcome.reason
}

describe('paths', () => {
  it('keep the type of the value when they are the whole text', () => {
    expect(value('{{ a.b }}')).toEqual(values.a.b)
    expect(value('{{a.b[1].c}}')).toBe('two')
    expect(value('{{ a.b.0.c }}')).toBe(1)
    expect(value('{{ a["odd key"] }}')).toBe(true)
    expect(value("{{ a['odd key'] }}")).toBe(true)
    expect(value('{{#a.b[0].c#}}')).toBe(1)
  })
  it('render to text beside other text: objects as JSON, null as nothing', () => {
    expect(value('n={{ a.b[0] }}!')).toBe('n={"c": 1}!')
    expect(value('<{{ a.none }}>')).toBe('<>')
    expect(value(' {{ a.b.0.c }}')).toBe(' 1')
    expect(value('{{ a.b.0.c }}{{ a.b.1.c }}')).toBe('1two')
  })
  it('write braces by a backslash', () => {
    expect(value('\\{{ a }} {{ a.b.0.c }}')).toBe('{{ a }} 1')
    expect(parse('\\{{')).toEqual([{ kind: 'text', text: '{{', from: 0, to: 3 }])
  })
  it('never reach what is not a member of the value itself', () => {
    for (const path of [
      'a.constructor',
      'a.__proto__',
      'a.b.length',
      'a.text.length',
      'toString',
      'a.toString',
    ]) {
      expect(reason(`{{ ${path} }}`)).toBe('missing')
    }
  })
  it('say what does not parse', () => {
    expect(reason('{{ a.b')).toBe('unclosed')
    expect(reason('{{ }}')).toBe('empty')
    expect(reason('{{ a. }}')).toBe('syntax')
    expect(reason('{{ a + 1 }}')).toBe('syntax')
    expect(reason('{{ a() }}')).toBe('syntax')
    expect(reason('{{ a | shout }}')).toBe('unknown_filter')
    expect(reason('{{ a | default }}')).toBe('filter_arguments')
    expect(reason('{{ a-b }}')).toBe('syntax')
  })
  it('go on behind what does not parse', () => {
    expect(references('{{ a. }} and {{ b.c }} {{ {{ d }}')).toEqual([['b', 'c'], ['d']])
  })
  it('come back from their text', () => {
    for (const path of [
      ['a', 'b', 0, 'c'],
      ['a', 'odd key', 'x'],
      ['a', '0x', 'quo"te'],
      ['start', '问题', '__proto__'],
    ]) {
      expect(references(`{{ ${pathText(path)} }}`)).toEqual([path])
    }
  })
})

describe('filters', () => {
  it.each<[string, unknown]>([
    ['{{ a.missing | default("x") }}', 'x'],
    ['{{ a.none | default(3) }}', 3],
    ['{{ a.missing | upper | default("x") }}', 'x'],
    ['{{ a.list | join(", ") }}', 'x, 2, , {"k": 1}'],
    ['{{ a.b | tojson }}', '[{"c": 1}, {"c": "two"}]'],
    ['{{ a.b | tojson | fromjson | length }}', 2],
    ['{{ a.text | length }}', 4],
    ['{{ a.text | trim | upper }}', 'HÉ'],
    ['{{ a.text | trim | last }}', 'é'],
    ['{{ a.b | first | keys }}', ['c']],
    ['{{ a.b | last | values | first }}', 'two'],
    ['{{ a.n | round }}', 2],
    ['{{ a.n | round(2) }}', 2.35],
    ['{{ a.none | upper }}', null],
    ['{{ sys.time | date }}', '2026-11-20'],
    ['{{ sys.time | date("%H:%M:%S day %j %%") }}', '16:05:09 day 324 %'],
    ['{{ sys.local | date("%Y-%m-%d %H:%M") }}', '2026-11-22 07:36'],
    ['{{ a.missing | default("}}") }}', '}}'],
    ["{{ a.missing | default('it\\'s \"so\"') }}", 'it\'s "so"'],
  ])('%s', (text, expected) => {
    expect(value(text)).toEqual(expected)
  })
  it('refuse what they cannot take', () => {
    for (const text of [
      '{{ a.n | join }}',
      '{{ a.text | round }}',
      '{{ a.b | upper }}',
      '{{ a.text | date }}',
      '{{ a.text | fromjson }}',
    ]) {
      expect(reason(text)).toBe('filter')
    }
  })
})
