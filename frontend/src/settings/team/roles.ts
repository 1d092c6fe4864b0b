/** The roles in words, and who may give which: the same rules as the server's. */
import type { Role } from '@/api/queries'
import type { Key } from '@/i18n'

export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies readonly Role[]

export const ROLE_NAMES = {
  owner: 'settings.role_owner',
  admin: 'settings.role_admin',
  editor: 'settings.role_editor',
  viewer: 'settings.role_viewer',
} as const satisfies Record<Role, Key>

export const ROLE_MEANINGS = {
  owner: 'settings.role_owner_may',
  admin: 'settings.role_admin_may',
  editor: 'settings.role_editor_may',
  viewer: 'settings.role_viewer_may',
} as const satisfies Record<Role, Key>

/** The roles that a member gives and takes: owners all, admins those below admin. */
export const givable = (role: Role): readonly Role[] =>
  role === 'owner' ? ROLES : role === 'admin' ? ['editor', 'viewer'] : []

/** Whether a member with `role` decides on one who is `other`. */
export const decidesOn = (role: Role, other: Role): boolean => givable(role).includes(other)
