/** Sentences of app in Chinese. */
import type { app as en } from '../en/app'
import type { Translation } from '../types'

export const app: Translation<typeof en> = {}
