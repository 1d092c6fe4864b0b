/** Sentences of runs in Chinese. */
import type { runs as en } from '../en/runs'
import type { Translation } from '../types'

export const runs: Translation<typeof en> = {}
