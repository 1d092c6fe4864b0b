/**
 * Every sentence the screen says, in English and Chinese.
 *
 * One file per feature and language; the English ones type the keys and their parameters, so an unknown key or a
 * missing parameter does not compile. Chinese is loaded when it is chosen; of English the first page's words come first.
 */
import { useCallback, useSyncExternalStore } from 'react'
import { fetchCode } from '@/loading/fetch-code'
import { app } from './en/app'
import { canvas } from './en/canvas'
import { common } from './en/common'
import { editorFirst } from './en/editor-first'
import { palette } from './en/palette'
import type { rest } from './en/rest'
import { runsFirst } from './en/runs-first'
import type { Message, Param, ParamsOf } from './types'

/** What the first page needs; the rest comes with the other pages. */
const first = { app, canvas, common, editor: editorFirst, palette, runs: runsFirst } as const

/** What only some pages say, in files of its own: `loadWords(name)` before those are shown. */
const later = {
  agui: async () => (await fetchCode(() => import('./en/agui'))).agui,
  agent: async () => (await fetchCode(() => import('./en/agent'))).agent,
  agents: async () => (await fetchCode(() => import('./en/agents'))).agents,
  chat: async () => (await fetchCode(() => import('./en/chat'))).chat,
  collections: async () => (await fetchCode(() => import('./en/collections'))).collections,
  consent: async () => (await fetchCode(() => import('./en/consent'))).consent,
  contents: async () => (await fetchCode(() => import('./en/contents'))).contents,
  grants: async () => (await fetchCode(() => import('./en/grants'))).grants,
  http: async () => (await fetchCode(() => import('./en/http'))).http,
  importing: async () => (await fetchCode(() => import('./en/importing'))).importing,
  modelscope: async () => (await fetchCode(() => import('./en/modelscope'))).modelscope,
  openapi: async () => (await fetchCode(() => import('./en/openapi'))).openapi,
  share: async () => (await fetchCode(() => import('./en/share'))).share,
  signin: async () => (await fetchCode(() => import('./en/signin'))).signin,
  triggers: async () => (await fetchCode(() => import('./en/triggers'))).triggers,
  versions: async () => (await fetchCode(() => import('./en/versions'))).versions,
} as const

type Later = { readonly [F in keyof typeof later]: Awaited<ReturnType<(typeof later)[F]>> }
export type English = Omit<typeof first, keyof typeof rest> & typeof rest & Later
export type Language = 'en' | 'zh'
export type Dictionary = { readonly [F in keyof English]: { readonly [K in keyof English[F]]: Message } }

type KeysOf<F extends keyof English> = `${F}.${keyof English[F] & string}`
/** All keys, `feature.key`. */
export type Key = { [F in keyof English]: KeysOf<F> }[keyof English]

type MessageAt<K extends Key> = K extends `${infer F extends keyof English & string}.${infer Name}`
  ? Name extends keyof English[F]
    ? English[F][Name]
    : never
  : never

type Arguments<K extends Key> = [ParamsOf<MessageAt<K>>] extends [never]
  ? []
  : [params: { readonly [Name in ParamsOf<MessageAt<K>>]: Param }]

/** Says a sentence in the chosen language. */
export type Translate = <K extends Key>(key: K, ...params: Arguments<K>) => string

let language: Language = 'en'
/** What is loaded so far: some features, and of those not every sentence. */
type Words = { readonly [F in keyof Dictionary]?: Partial<Dictionary[F]> }

let english: Words = first
let dictionary: Words = english
const listeners = new Set<() => void>()

/** The chosen language. */
export const currentLanguage = (): Language => language

/** Changes the language of the whole page; resolves once its dictionary is there. */
export async function setLanguage(next: Language): Promise<void> {
  const loaded = next === 'zh' ? (await fetchCode(() => import('./zh'))).zh : english
  language = next
  dictionary = loaded
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en'
  for (const listener of listeners) listener()
}

/** Loads the sentences of the pages behind the first one. Until then their keys stand in their place. */
export async function loadRest(): Promise<void> {
  const { rest } = await fetchCode(() => import('./en/rest'))
  if (!('registry' in english)) learn(rest)
}

/** Loads sentences that only some pages say. */
export async function loadWords(...names: (keyof Later)[]): Promise<void> {
  const missing = names.filter((name) => !(name in english))
  const loaded = await Promise.all(missing.map((name) => later[name]()))
  if (missing.length) learn(Object.fromEntries(missing.map((name, index) => [name, loaded[index]])))
}

/** All that `loadWords` knows. */
export const LATER = Object.keys(later) as (keyof Later)[]

/** More sentences to say. */
function learn(words: Words): void {
  english = { ...english, ...words }
  if (language !== 'en') return
  dictionary = english
  for (const listener of listeners) listener()
}

/**
 * A number with its thousands apart: 12,345, in both languages alike. Whole numbers are written without the browser's
 * tables, which take 20 ms and more when they are first asked for.
 */
export const grouped = (value: number, lang: Language): string =>
  Number.isSafeInteger(value) && !Object.is(value, -0)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, ',')
    : value.toLocaleString(lang)

const plurals = { en: new Intl.PluralRules('en'), zh: new Intl.PluralRules('zh') }

/** Fills `{name}` places; a number in `{n}` chooses between one and other. Held by i18n.test.ts. */
export function format(message: Message, params: Readonly<Record<string, Param>>, lang: Language): string {
  const text =
    typeof message === 'string'
      ? message
      : plurals[lang].select(Number(params.n ?? 0)) === 'one'
        ? message.one
        : message.other
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? grouped(value, lang) : value
  })
}

/** Outside of React: says a sentence in the language of this moment. */
export const translate: Translate = (key, ...rest) => {
  const [feature, name] = key.split('.', 2) as [keyof Dictionary, string]
  const group = dictionary[feature] as Readonly<Record<string, Message>> | undefined
  const message = group?.[name]
  return message === undefined ? key : format(message, rest[0] ?? {}, language)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

const currentDictionary = () => dictionary

/** The chosen language; redraws when it changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, currentLanguage)

/** The translator of the chosen language; its identity changes with the dictionary, so that memoised rows redraw. */
export function useT(): Translate {
  const words = useSyncExternalStore(subscribe, currentDictionary)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dictionary is read inside translate
  return useCallback<Translate>((key, ...params) => translate(key, ...params), [words])
}

/** A text that the server sends in both languages, as presets do. */
export function inLanguage(
  text: { readonly en?: string; readonly zh?: string } | string | null | undefined,
): string {
  if (text === null || text === undefined) return ''
  if (typeof text === 'string') return text
  return text[language] ?? text.en ?? text.zh ?? ''
}

/** Names one after the other, as the language sets them apart: `a, b` and `a、b`. */
export const listOf = (names: readonly string[]): string => names.join(language === 'zh' ? '、' : ', ')

/** What stands between two sentences: a space, but nothing in Chinese, where a stop is as wide as a character. */
export const sentenceGap = (): string => (language === 'zh' ? '' : ' ')

/** Sentences one after the other; what is empty is left out. */
export const sentencesOf = (texts: readonly (string | undefined | null)[] = []): string =>
  texts.filter(Boolean).join(sentenceGap())
