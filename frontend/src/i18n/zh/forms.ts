/** Sentences of forms in Chinese. */
import type { forms as en } from '../en/forms'
import type { Translation } from '../types'

export const forms: Translation<typeof en> = {}
