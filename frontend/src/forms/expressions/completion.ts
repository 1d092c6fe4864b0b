/**
 * What may be written at the cursor of a template: names upstream, what lies inside them, filters. Pure; the editor
 * asks after every change and draws the answer.
 */

import type { Key } from '@/forms/pointer'
import { FILTERS, type FilterName, pathText } from './expression'
import { childrenOf, find, hasChildren, jsonType, type Scope, type ScopeNode, typeOf } from './scope'

export interface Choice {
  /** What is shown and matched. */
  label: string
  /** What replaces `from`–`to`. */
  insert: string
  from: number
  to: number
  kind: 'path' | 'filter'
  /** string, number, array …; '' for filters. */
  type: string
  /** The last value, when one is known. */
  node?: ScopeNode
  filter?: FilterName
  /** Can be opened with a dot. */
  open: boolean
}

export interface Completion {
  kind: 'path' | 'filter'
  choices: Choice[]
  /** Which choice is what stands there already. */
  current: number
}

const MOST = 60

/**
 * The choices at `cursor`, or undefined when it does not stand inside an expression. With `browse` (the field was just
 * entered, nothing typed) all that could stand there are offered, not only those that begin like what does.
 */
export function completionsAt(
  text: string,
  cursor: number,
  scope: Scope,
  { browse = false }: { browse?: boolean } = {},
): Completion | undefined {
  const open = openingBefore(text, cursor)
  if (open === -1) return undefined
  let start = open + 2
  if (text[start] === '#') start += 1
  const inner = text.slice(start, cursor)
  const bar = lastOutsideQuotes(inner, '|')
  if (bar !== -1) return filtersAt(text, start + bar + 1, cursor)
  if (lastOutsideQuotes(inner, '(') !== -1) return undefined
  return pathsAt(text, start, cursor, scope, browse)
}

/** Where the expression around the cursor opens; -1 outside of one. */
function openingBefore(text: string, cursor: number): number {
  const open = text.lastIndexOf('{{', cursor - 1)
  if (open === -1 || open + 2 > cursor || text[open - 1] === '\\') return -1
  return lastOutsideQuotes(text.slice(open + 2, cursor), '}}') === -1 ? open : -1
}

/** Whether the cursor stands inside of an expression where braces would end it: not within a text in quotes. */
export function endsExpression(text: string, cursor: number): boolean {
  const open = openingBefore(text, cursor)
  return open !== -1 && lastOutsideQuotes(`${text.slice(open + 2, cursor)}\u0000`, '\u0000') !== -1
}

function lastOutsideQuotes(text: string, token: string): number {
  let quote = ''
  let last = -1
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string
    if (quote) {
      if (char === '\\') index += 1
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (text.startsWith(token, index)) last = index
  }
  return last
}

function filtersAt(text: string, start: number, cursor: number): Completion | undefined {
  const typed = text.slice(start, cursor)
  const word = typed.trimStart()
  if (!/^\w*$/.test(word)) return undefined
  const from = cursor - word.length
  const insertGap = typed === '' ? ' ' : ''
  const choices = FILTERS.filter((name) => name.startsWith(word.toLowerCase())).map(
    (name): Choice => ({
      label: name,
      insert: `${insertGap}${name}${name === 'default' ? '("")' : ''}`,
      from,
      to: wordEnd(text, cursor),
      kind: 'filter',
      type: '',
      filter: name,
      open: false,
    }),
  )
  return { kind: 'filter', choices, current: 0 }
}

function pathsAt(
  text: string,
  start: number,
  cursor: number,
  scope: Scope,
  browse: boolean,
): Completion | undefined {
  const typed = text.slice(start, cursor)
  const begin = start + (typed.length - typed.trimStart().length)
  const path = text.slice(begin, cursor)
  if (/\s$/.test(path)) return undefined
  const to = wordEnd(text, cursor)
  const parsed = splitPath(path)
  if (!parsed) return undefined
  const { word } = parsed
  const named =
    browse && scope.groups.some((group) => group.names.some((name) => pathText(name.path) === path))
  const base = named ? [] : parsed.base
  const gap = begin === start && typed === '' ? ' ' : ''
  const scopeNode = base.length > 0 ? find(scope, base) : undefined
  const options = scopeNode
    ? childrenOf(scopeNode)
    : base.length > 0
      ? []
      : scope.groups.flatMap((group) => group.names)
  const query = browse ? '' : word.toLowerCase()
  const ranked = options
    .map((node) => {
      const label = pathText(node.path)
      return {
        node,
        label,
        rank: rank(base.length > 0 ? node.name.toLowerCase() : label.toLowerCase(), query),
      }
    })
    .filter((entry) => entry.rank >= 0)
    .sort((a, b) => a.rank - b.rank)
  const choices = ranked.slice(0, MOST).map(
    ({ node, label }): Choice => ({
      label,
      insert: gap + label,
      from: begin,
      to,
      kind: 'path',
      type: typeOf(node),
      node,
      open: hasChildren(node),
    }),
  )
  const whole = text.slice(begin, to)
  return {
    kind: 'path',
    choices,
    current: Math.max(
      0,
      choices.findIndex((choice) => choice.label === whole),
    ),
  }
}

function rank(label: string, query: string): number {
  if (query === '' || label.startsWith(query)) return 0
  const index = label.indexOf(query)
  if (index === -1) return -1
  return label[index - 1] === '.' || label[index - 1] === '_' ? 1 : 2
}

/** `a.b[0].wo` → the keys before the last separator, and the word after it. */
function splitPath(path: string): { base: Key[]; word: string } | undefined {
  const base: Key[] = []
  let rest = path
  let key = /^[\p{L}\p{N}_-]*/u.exec(rest)?.[0] ?? ''
  rest = rest.slice(key.length)
  for (;;) {
    if (rest === '') return { base, word: key }
    if (key !== '') base.push(/^\d+$/.test(key) && base.length > 0 ? Number(key) : key)
    const bracket = /^\[\s*(?:(\d+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\]/.exec(rest)
    if (bracket) {
      base.push(
        bracket[1] === undefined
          ? (bracket[2] ?? bracket[3] ?? '').replace(/\\(.)/g, '$1')
          : Number(bracket[1]),
      )
      rest = rest.slice(bracket[0].length)
      key = ''
      if (rest === '') return undefined
      continue
    }
    const next = /^(?:\.|\[["']?)([\p{L}\p{N}_-]*)/u.exec(rest)
    if (!next) return undefined
    key = next[1] ?? ''
    rest = rest.slice(next[0].length)
  }
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^[\p{L}\p{N}_-]*/u.exec(text.slice(cursor))?.[0].length ?? 0)
}

/** A value in one row: texts in quotes, lists and objects counted. `words` says how many. */
export function glimpse(
  value: unknown,
  words: { items: (n: number) => string; fields: (n: number) => string },
): string {
  switch (jsonType(value)) {
    case 'string':
      return JSON.stringify((value as string).length > 80 ? `${(value as string).slice(0, 80)}…` : value)
    case 'array':
      return words.items((value as unknown[]).length)
    case 'object':
      return words.fields(Object.keys(value as object).length)
    default:
      return String(value)
  }
}
