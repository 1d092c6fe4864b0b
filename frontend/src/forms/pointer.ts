/**
 * JSON pointers (RFC 6901) into plain values, and changes that copy only what lies on the way.
 *
 * Keys come from foreign schemas, so `__proto__` is a key like any other: it is read as an own property only and
 * written by a computed key, which never touches a prototype.
 */

export type Key = string | number
export type Path = readonly Key[]

/** `['a', 0, 'b/c']` → `/a/0/b~1c`; the whole value is `''`. */
export function toPointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The reverse; also accepts the fragment form (`#/a`, percent-encoded). Keys stay strings. */
export function fromPointer(pointer: string): string[] {
  const fragment = pointer.startsWith('#')
  const plain = fragment ? decode(pointer.slice(1)) : pointer
  if (plain === '') return []
  return plain
    .replace(/^\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member `key` of `value`, or undefined; own properties only. */
export function member(value: unknown, key: Key): unknown {
  if (Array.isArray(value)) {
    const index = typeof key === 'number' ? key : /^\d{1,15}$/.test(key) ? Number(key) : -1
    return value[index]
  }
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function read(value: unknown, path: Path): unknown {
  let here = value
  for (const key of path) here = member(here, key)
  return here
}

/**
 * A copy of `value` with `next` at `path`. `undefined` removes the key, so that what the user leaves unset is never
 * sent; inside a list it leaves null, since removing would move the others (lists remove by `without`).
 */
export function write(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...value] : []
    const item = write(list[key], rest, next)
    list[key] = item === undefined ? null : item
    return list
  }
  const record = isRecord(value) ? value : {}
  const inner = write(member(record, key), rest, next)
  if (inner !== undefined) return { ...record, [key]: inner }
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _removed, ...others } = record
  return others
}

/** A copy of the list without the item at `index`. */
export function without<T>(list: readonly T[], index: number): T[] {
  return list.filter((_, position) => position !== index)
}

/** A copy of the list with the item at `from` standing at `to`. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list]
  copy.splice(to, 0, ...copy.splice(from, 1))
  return copy
}

/** Whether two JSON values are the same; keys in any order. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]))
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  )
}
