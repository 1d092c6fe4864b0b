/** Sentences of inspector in Chinese. */
import type { inspector as en } from '../en/inspector'
import type { Translation } from '../types'

export const inspector: Translation<typeof en> = {}
