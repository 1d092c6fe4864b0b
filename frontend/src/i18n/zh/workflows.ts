/** Sentences of workflows in Chinese. */
import type { workflows as en } from '../en/workflows'
import type { Translation } from '../types'

export const workflows: Translation<typeof en> = {}
