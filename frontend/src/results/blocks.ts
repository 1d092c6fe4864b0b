/**
 * What a server answered with, read block by block. Pure.
 *
 * A block is what its shape says, not only what its type claims: a picture without a type, a link without a name. What
 * cannot be read is kept as it came. Nothing here is ever markup: bytes become pictures, sound or files to save.
 */
import type { FileValue } from '@/api/files'
import { isRecord } from '@/forms/pointer'

export type Shown =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'picture' | 'sound' | 'film' | 'file'
      readonly mime: string
      /** Base64 without blanks. */
      readonly data: string
      readonly name: string
      readonly uri: string
    }
  | {
      readonly kind: 'words'
      readonly mime: string
      readonly text: string
      readonly name: string
      readonly uri: string
    }
  | {
      readonly kind: 'link'
      readonly uri: string
      readonly name: string
      readonly title: string
      readonly description: string
      readonly mime: string
      readonly size: number | null
    }
  | { readonly kind: 'unknown'; readonly type: string; readonly value: unknown }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The file in which the bytes of a block lie; null where it holds them itself, or none. */
export function fileOf(block: unknown): FileValue | null {
  if (!isRecord(block)) return null
  const { type, file, resource } = block
  const within = type === 'resource' && isRecord(resource) ? resource.file : file
  const holds = type === 'image' || type === 'audio' || type === 'resource'
  return holds && isRecord(within) && typeof within.$file === 'string'
    ? (within as unknown as FileValue)
    : null
}

/** The block with its bytes, which were read. */
export function withBytes(block: unknown, data: string): unknown {
  if (!isRecord(block)) return block
  const { resource } = block
  return isRecord(resource) ? { ...block, resource: { ...resource, blob: data } } : { ...block, data }
}

/** How a block is shown. */
export function shownOf(block: unknown): Shown {
  if (!isRecord(block)) return { kind: 'unknown', type: '', value: block }
  const { type } = block
  if (type === 'text' && typeof block.text === 'string') return { kind: 'text', text: block.text }
  if (type === 'image' || type === 'audio') return bytesOf(block, block.data, type) ?? unknown(block)
  if (type === 'resource' && isRecord(block.resource)) return resourceOf(block.resource) ?? unknown(block)
  if (type === 'resource_link' && typeof block.uri === 'string') return linkOf(block, block.uri)
  return unknown(block)
}

const unknown = (block: Record<string, unknown>): Shown => ({
  kind: 'unknown',
  type: text(block.type),
  value: block,
})

function linkOf(block: Record<string, unknown>, uri: string): Shown {
  return {
    kind: 'link',
    uri,
    name: text(block.name),
    title: text(block.title),
    description: text(block.description),
    mime: plainMime(block.mimeType),
    size: typeof block.size === 'number' && block.size >= 0 ? block.size : null,
  }
}

function resourceOf(resource: Record<string, unknown>): Shown | null {
  const uri = text(resource.uri)
  if (typeof resource.text === 'string') {
    const mime = plainMime(resource.mimeType)
    if (mime === SVG) return bytesOf({ ...resource, uri }, base64Of(resource.text), 'image')
    return { kind: 'words', mime, text: resource.text, uri, name: nameOf(uri, mime || 'text/plain') }
  }
  return bytesOf(resource, resource.blob, '')
}

function bytesOf(block: Record<string, unknown>, bytes: unknown, type: 'image' | 'audio' | ''): Shown | null {
  const data = cleanBase64(bytes)
  if (data === null) return null
  const mime = plainMime(block.mimeType) || sniffed(data)
  const uri = text(block.uri)
  const kind = kindOf(mime, type)
  return { kind, mime, data, uri, name: nameOf(uri, mime) }
}

function kindOf(mime: string, type: 'image' | 'audio' | ''): 'picture' | 'sound' | 'film' | 'file' {
  if (mime.startsWith('image/')) return 'picture'
  if (mime.startsWith('audio/')) return 'sound'
  if (mime.startsWith('video/')) return 'film'
  // A browser looks at the bytes itself; what it cannot draw or play becomes a file.
  if (mime === '' && type === 'image') return 'picture'
  return mime === '' && type === 'audio' ? 'sound' : 'file'
}

export const SVG = 'image/svg+xml'

/** A type without parameters, in small letters; empty where there is none that a header could carry. */
function plainMime(value: unknown): string {
  const mime = text(value).split(';')[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(mime) ? mime : ''
}

/** Base64 as browsers take it; null for what is none. */
function cleanBase64(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const packed = /[\s_-]/.test(value)
    ? value.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
    : value
  return packed !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(packed) ? packed : null
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi0', 'application/pdf'],
  ['PHN2Zy', SVG],
  ['UEsDB', 'application/zip'],
]

const sniffed = (data: string): string => BEGINNINGS.find(([begin]) => data.startsWith(begin))?.[1] ?? ''

const ENDINGS: Readonly<Record<string, string>> = {
  'image/svg+xml': 'svg',
  'image/jpeg': 'jpg',
  'image/x-icon': 'ico',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/mp4': 'm4a',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/gzip': 'gz',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
}

/** A name to save it by: the end of its address, else one made of its type. */
function nameOf(uri: string, mime: string): string {
  const last = decoded((uri.split(/[?#]/)[0] ?? '').split(/[/\\:]/).pop() ?? '')
  const safe = last.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
  const named = safe.replace(/^\.+/, '').slice(-120)
  if (/\.\w{1,8}$/.test(named)) return named
  const [family, kind] = mime.split('/')
  const ending = ENDINGS[mime] ?? (/^[a-z0-9]{1,8}$/.test(kind ?? '') ? (kind ?? 'bin') : 'bin')
  return `${named || family || 'file'}.${ending}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** How many bytes a base64 text holds. */
export const sizeOf = (data: string): number =>
  Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)

/** The bytes of a base64 text; null where it is cut off. */
export function decode(data: string): Uint8Array<ArrayBuffer> | null {
  try {
    const raw = atob(data)
    const bytes = new Uint8Array(raw.length)
    for (let index = 0; index < raw.length; index++) bytes[index] = raw.charCodeAt(index)
    return bytes
  } catch {
    return null
  }
}

function base64Of(words: string): string {
  let raw = ''
  for (const byte of new TextEncoder().encode(words)) raw += String.fromCharCode(byte)
  return btoa(raw)
}

/** Whether a text only says again what the structured content holds, as the protocol advises servers to do. */
export function repeats(words: string, structured: unknown): boolean {
  if (words.length > 4_000_000) return false
  const result = isRecord(structured) && Object.keys(structured).length === 1 ? structured.result : undefined
  if (typeof result === 'string' && result === words) return true
  try {
    const text = JSON.stringify(sorted(JSON.parse(words)))
    return text === JSON.stringify(sorted(structured)) || text === JSON.stringify(sorted(result))
  } catch {
    return false
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

const OF_ANSWERS = new Set(['content', 'structured', 'result', 'text', 'is_error', 'ms'])
const OF_BLOCKS = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

export interface ToolAnswer {
  readonly content: unknown
  readonly structured?: unknown
}

/** Whether a value is what a tool answered, as the outputs of nodes hold it. */
export function isAnswer(value: unknown): value is ToolAnswer {
  return (
    isRecord(value) &&
    'content' in value &&
    ('is_error' in value || 'structured' in value) &&
    (Array.isArray(value.content) || isRecord(value.content)) &&
    Object.keys(value).every((key) => OF_ANSWERS.has(key))
  )
}

/** Whether a value is one block that holds bytes or leads somewhere. */
export function isBlock(value: unknown): boolean {
  if (!isRecord(value) || !OF_BLOCKS.has(text(value.type)) || value.type === 'text') return false
  return fileOf(value) !== null || shownOf(value).kind !== 'unknown'
}

/** Whether a value is a list of blocks, at least one of which is more than text. */
export const isContent = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) &&
  value.some(isBlock) &&
  value.every((entry) => isRecord(entry) && typeof entry.type === 'string')

/** Whether an answer holds more than texts, or is stored elsewhere, where it may. */
export const showsMore = (content: unknown): boolean =>
  !Array.isArray(content) || content.some((block) => !isRecord(block) || block.type !== 'text')
