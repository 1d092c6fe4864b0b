/** Sentences of canvas in Chinese. */
import type { canvas as en } from '../en/canvas'
import type { Translation } from '../types'

export const canvas: Translation<typeof en> = {}
