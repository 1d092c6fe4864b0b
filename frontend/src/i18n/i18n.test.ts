import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { agent } from './en/agent'
import { agents } from './en/agents'
import { agui } from './en/agui'
import { app } from './en/app'
import { canvas } from './en/canvas'
import { chat } from './en/chat'
import { collections } from './en/collections'
import { common } from './en/common'
import { consent } from './en/consent'
import { contents } from './en/contents'
import { grants } from './en/grants'
import { http } from './en/http'
import { importing } from './en/importing'
import { modelscope } from './en/modelscope'
import { openapi } from './en/openapi'
import { palette } from './en/palette'
import { rest } from './en/rest'
import { share } from './en/share'
import { signin } from './en/signin'
import { triggers } from './en/triggers'
import { versions } from './en/versions'
import {
  format,
  inLanguage,
  type Key,
  LATER,
  listOf,
  sentenceGap,
  sentencesOf,
  setLanguage,
  translate,
} from './index'
import type { Message } from './types'
import { zh } from './zh'

const en: Record<string, Readonly<Record<string, Message>>> = {
  agui,
  agent,
  agents,
  app,
  canvas,
  common,
  consent,
  importing,
  modelscope,
  openapi,
  palette,
  ...rest,
  contents,
  grants,
  http,
  chat,
  collections,
  share,
  signin,
  triggers,
  versions,
}

const texts = (message: Message): string[] =>
  typeof message === 'string' ? [message] : [message.one, message.other]
const places = (message: Message): string[] => {
  const matches = texts(message).flatMap((text) =>
    [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
  )
  return [...new Set(matches)].filter((name) => name !== 'n').sort()
}

/** What `loadWords` loads, and the rooms that are shown once it is there. */
const USED_IN: Readonly<Record<string, readonly string[]>> = {
  agui: ['share'],
  agent: ['share'],
  agents: ['registry/agents', 'registry/kind'],
  chat: ['chat'],
  collections: ['collections'],
  consent: ['app/entrance/consent'],
  contents: ['inspector/contents', 'registry/contents'],
  grants: ['registry/grants'],
  http: ['inspector/data', 'inspector/curl', 'canvas/input/foreign', 'settings/team/RequestHosts'],
  importing: ['workflows/importing'],
  modelscope: ['registry/modelscope'],
  openapi: ['registry/openapi'],
  share: ['share'],
  signin: ['registry/sign-in'],
  triggers: ['triggers', 'share', 'app/start/WentOff'],
  versions: ['versions', 'app/compare'],
}

afterEach(() => setLanguage('en'))

describe('the dictionaries', () => {
  it('has every file of English among its features', () => {
    const files = readdirSync(join(import.meta.dirname, 'en')).map((file) => file.replace('.ts', ''))
    expect(Object.keys(en).sort()).toEqual(
      files.filter((file) => file !== 'rest' && !file.endsWith('-first')).sort(),
    )
  })

  it('says the same things in Chinese as in English', () => {
    for (const [feature, sentences] of Object.entries(en)) {
      const chinese = zh[feature as keyof typeof zh]
      expect(Object.keys(chinese).sort(), feature).toEqual(Object.keys(sentences).sort())
    }
  })

  it('fills the same places in both languages', () => {
    for (const [feature, sentences] of Object.entries(en)) {
      const chinese = zh[feature as keyof typeof zh] as Readonly<Record<string, Message>>
      for (const [key, message] of Object.entries(sentences)) {
        const translated = chinese[key]
        expect(translated && places(translated), `${feature}.${key}`).toEqual(places(message))
      }
    }
  })

  it('says what is loaded later only where it is loaded', () => {
    const source = join(import.meta.dirname, '..')
    for (const [feature, rooms] of Object.entries(USED_IN)) {
      const used = new RegExp(`['\`]${feature}\\.[a-z_$]`)
      const elsewhere = readdirSync(source, { recursive: true, encoding: 'utf-8' })
        .filter(
          (file) => /\.tsx?$/.test(file) && !/\.(test|testing)\./.test(file) && !file.startsWith('i18n'),
        )
        .filter((file) => !rooms.some((room) => file.startsWith(room)))
        .filter((file) => used.test(readFileSync(join(source, file), 'utf-8')))
      expect(elsewhere, feature).toEqual([])
    }
    expect(Object.keys(USED_IN).sort()).toEqual([...LATER].sort())
  })

  it('sets no space after a stop as wide as a character', () => {
    for (const [feature, sentences] of Object.entries(zh as typeof en)) {
      for (const [key, message] of Object.entries(sentences)) {
        for (const text of texts(message)) expect(text, `${feature}.${key}`).not.toMatch(/[。，；：？！、] /)
      }
    }
  })

  it('leaves no sentence empty', () => {
    for (const dictionary of [en, zh as typeof en]) {
      for (const [feature, sentences] of Object.entries(dictionary)) {
        for (const [key, message] of Object.entries(sentences)) {
          for (const text of texts(message)) expect(text.trim(), `${feature}.${key}`).not.toBe('')
        }
      }
    }
  })
})

describe('translate', () => {
  it('chooses the word by the number', () => {
    expect(translate('registry.add_n', { n: 1 })).toBe('Add 1 server')
    expect(translate('registry.add_n', { n: 3 })).toBe('Add 3 servers')
  })

  it('speaks the chosen language, and English again', async () => {
    await setLanguage('zh')
    expect(translate('common.save')).toBe('保存')
    expect(document.documentElement.lang).toBe('zh-CN')
    await setLanguage('en')
    expect(translate('common.save')).toBe('Save')
  })

  it('groups digits of numbers and leaves texts as they are', () => {
    expect(format('{n} of {name}', { n: 12345, name: '12345' }, 'en')).toBe('12,345 of 12345')
  })

  it('writes a number as the browser would', () => {
    const some = [0, -0, 7, -7, 999, 1000, -1000, 123456, -123456, 1_234_567.891, 0.5, 1e21, 2 ** 53, NaN]
    for (const language of ['en', 'zh'] as const) {
      for (const value of some) {
        expect(format('{n}', { n: value }, language)).toBe(value.toLocaleString(language))
      }
    }
  })

  it('shows the key of what it does not know, never nothing', () => {
    expect(translate('registry.nowhere' as Key as 'common.save')).toBe('registry.nowhere')
  })

  it('puts names and sentences together as the language does', async () => {
    expect(listOf(['mail', 'time'])).toBe('mail, time')
    expect(sentencesOf(['It failed.', undefined, '', 'Try again.'])).toBe('It failed. Try again.')
    expect(sentencesOf(undefined)).toBe('')
    expect(sentenceGap()).toBe(' ')
    await setLanguage('zh')
    expect(listOf(['mail', 'time'])).toBe('mail、time')
    expect(sentencesOf(['失败了。', '请重试。'])).toBe('失败了。请重试。')
    expect(sentenceGap()).toBe('')
  })

  it('takes a text of the server in the language at hand', async () => {
    expect(inLanguage({ en: 'Time', zh: '时间' })).toBe('Time')
    await setLanguage('zh')
    expect(inLanguage({ en: 'Time', zh: '时间' })).toBe('时间')
    expect(inLanguage({ en: 'Time' })).toBe('Time')
  })
})
