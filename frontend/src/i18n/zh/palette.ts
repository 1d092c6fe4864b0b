/** Sentences of palette in Chinese. */
import type { palette as en } from '../en/palette'
import type { Translation } from '../types'

export const palette: Translation<typeof en> = {}
