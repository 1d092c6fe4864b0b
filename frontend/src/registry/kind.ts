/** Servers and agents stand in lists of their own; what is said there of the one and of the other. */
import { type ComponentType, createContext, useContext } from 'react'
import type { Server } from '@/api/servers'
import type { Key } from '@/i18n'

type Word =
  | Extract<Key, `agents.list_${string}`>
  | 'registry.add_server'
  | 'registry.find'
  | 'registry.server'
  | 'registry.servers'
  | 'registry.tools'
  | 'registry.load_failed'
  | 'registry.none_here'
  | 'registry.no_server_fits'
  | 'registry.empty_title'
  | 'registry.empty_text'
  | 'registry.connection_and_tools'
  | 'registry.list_anew'
  | 'registry.delete_server'
  | 'registry.try_a_tool'

export interface Listed {
  readonly kind: Server['kind']
  /** The dialog that adds one, where it is no server. */
  readonly Add?: ComponentType<{
    readonly onClose: () => void
    readonly onAdded: (added: readonly Server[]) => void
  }>
  readonly add: Word
  readonly find: Word
  readonly one: Word
  readonly all: Word
  readonly tools: Word
  readonly loadFailed: Word
  readonly noneHere: Word
  readonly noneFits: Word
  readonly emptyTitle: Word
  readonly emptyText: Word
  readonly tab: Word
  readonly refresh: Word
  readonly remove: Word
  readonly trial: Word
}

const SERVER: Listed = {
  kind: 'server',
  add: 'registry.add_server',
  find: 'registry.find',
  one: 'registry.server',
  all: 'registry.servers',
  tools: 'registry.tools',
  loadFailed: 'registry.load_failed',
  noneHere: 'registry.none_here',
  noneFits: 'registry.no_server_fits',
  emptyTitle: 'registry.empty_title',
  emptyText: 'registry.empty_text',
  tab: 'registry.connection_and_tools',
  refresh: 'registry.list_anew',
  remove: 'registry.delete_server',
  trial: 'registry.try_a_tool',
}

/** What the page lists, and its words. */
export const ListedKind = createContext(SERVER)
export const useListedKind = (): Listed => useContext(ListedKind)

/** Where an entry of a kind is shown. */
export const LIST_OF: Readonly<Record<Server['kind'], string>> = { server: '/registry', agent: '/agents' }
