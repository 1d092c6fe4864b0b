/** How one signs in, as the server has it. */
import type { components } from '@/api/schema'

export type SecurityState = components['schemas']['Security']

export const SECURITY = ['security'] as const
