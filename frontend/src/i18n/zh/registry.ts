/** Sentences of registry in Chinese. */
import type { registry as en } from '../en/registry'
import type { Translation } from '../types'

export const registry: Translation<typeof en> = {}
