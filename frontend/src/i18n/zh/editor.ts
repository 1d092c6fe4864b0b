/** Sentences of editor in Chinese. */
import type { editor as en } from '../en/editor'
import type { Translation } from '../types'

export const editor: Translation<typeof en> = {}
