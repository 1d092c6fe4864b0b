/**
 * Changesets: what an edit changed, as a value that can be applied, inverted and merged.
 *
 * An edit is written as a function from graph to graph; the changeset is found by comparing identities afterwards, so an
 * edit that leaves an object alone costs nothing. Applying the inverse gives back exactly the graph before, order included.
 */
import type { EditLabel, Graph } from '@/graph/types'

interface Item {
  id: string
}

/** One item of a collection: absent before = added, absent after = removed. `at` is its index where it exists alone. */
export interface ItemChange<T extends Item = Item> {
  before?: T
  after?: T
  at: number
}

export interface CollectionChange {
  items: Record<string, ItemChange>
  /** Ids in order, only when the items that stayed changed their order. */
  order?: { before: string[]; after: string[] }
}

export interface Changeset {
  label: EditLabel
  /** Changes to the collections of the document: nodes, edges, annotations. */
  lists: Record<string, CollectionChange>
  /** Changes to every other key of the document; a missing side means that the key was not there. */
  keys: Record<string, { before?: unknown; after?: unknown; had: boolean; has: boolean }>
}

export const LISTS = ['nodes', 'edges', 'annotations'] as const

function isList(key: string): boolean {
  return (LISTS as readonly string[]).includes(key)
}

function listOf(graph: Graph, key: string): Item[] {
  return (graph[key] as Item[] | undefined) ?? []
}

function sameOrder(left: string[], right: string[]): boolean {
  return left.length === right.length && left.every((id, index) => id === right[index])
}

function diffList(before: Item[], after: Item[]): CollectionChange | null {
  if (before === after) return null
  const items: Record<string, ItemChange> = {}
  const afterById = new Map(after.map((item, index) => [item.id, { item, at: index }]))
  const beforeIds = new Set<string>()
  const keptBefore: string[] = []
  before.forEach((item, index) => {
    beforeIds.add(item.id)
    const now = afterById.get(item.id)
    if (!now) items[item.id] = { before: item, at: index }
    else {
      keptBefore.push(item.id)
      if (now.item !== item) items[item.id] = { before: item, after: now.item, at: now.at }
    }
  })
  const keptAfter: string[] = []
  after.forEach((item, index) => {
    if (beforeIds.has(item.id)) keptAfter.push(item.id)
    else items[item.id] = { after: item, at: index }
  })
  const moved = !sameOrder(keptBefore, keptAfter)
  if (!moved && Object.keys(items).length === 0) return null
  return moved
    ? { items, order: { before: before.map((item) => item.id), after: after.map((item) => item.id) } }
    : { items }
}

/** What turns `before` into `after`; null when they are the same. Ids within one list must be unique. */
export function diff(label: EditLabel, before: Graph, after: Graph): Changeset | null {
  const lists: Changeset['lists'] = {}
  const keys: Changeset['keys'] = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const had = key in before
    const has = key in after
    if (isList(key) && had && has) {
      const change = diffList(listOf(before, key), listOf(after, key))
      if (change) lists[key] = change
    } else if (before[key] !== after[key] || had !== has) {
      keys[key] = { before: before[key], after: after[key], had, has }
    }
  }
  if (Object.keys(lists).length === 0 && Object.keys(keys).length === 0) return null
  return { label, lists, keys }
}

function applyList(list: Item[], change: CollectionChange): Item[] {
  const added: ItemChange[] = []
  for (const item of Object.values(change.items)) if (item.after && !item.before) added.push(item)
  const next: Item[] = []
  for (const item of list) {
    const changed = change.items[item.id]
    if (!changed) next.push(item)
    else if (changed.after) next.push(changed.after)
  }
  added.sort((left, right) => left.at - right.at)
  for (const item of added) if (item.after) next.splice(item.at, 0, item.after)
  const order = change.order
  if (order) {
    const place = new Map(order.after.map((id, index) => [id, index]))
    next.sort((left, right) => (place.get(left.id) ?? next.length) - (place.get(right.id) ?? next.length))
  }
  return next
}

/** The graph with the changeset applied. */
export function apply(graph: Graph, change: Changeset): Graph {
  const next: Graph = { ...graph }
  for (const [key, list] of Object.entries(change.lists)) next[key] = applyList(listOf(graph, key), list)
  for (const [key, value] of Object.entries(change.keys)) {
    if (value.has) next[key] = value.after
    else delete next[key]
  }
  return next
}

/** The changeset that undoes this one. */
export function invert(change: Changeset): Changeset {
  const lists: Changeset['lists'] = {}
  for (const [key, list] of Object.entries(change.lists)) {
    const items: Record<string, ItemChange> = {}
    for (const [id, item] of Object.entries(list.items)) {
      items[id] = {
        at: item.at,
        ...(item.after ? { before: item.after } : {}),
        ...(item.before ? { after: item.before } : {}),
      }
    }
    lists[key] = list.order
      ? { items, order: { before: list.order.after, after: list.order.before } }
      : { items }
  }
  const keys: Changeset['keys'] = {}
  for (const [key, value] of Object.entries(change.keys)) {
    keys[key] = { before: value.after, after: value.before, had: value.has, has: value.had }
  }
  return { label: change.label, lists, keys }
}

/** Ids of the items of one list that a changeset touches. */
export function touched(change: Changeset, list: (typeof LISTS)[number]): string[] {
  return Object.keys(change.lists[list]?.items ?? {})
}
