/** Sentences of inbox in Chinese. */
import type { inbox as en } from '../en/inbox'
import type { Translation } from '../types'

export const inbox: Translation<typeof en> = {}
