/** The dictionaries that the first page does not need, in one file to load. */
import { forms } from './forms'
import { inbox } from './inbox'
import { inspector } from './inspector'
import { registry } from './registry'
import { settings } from './settings'

export const rest = { forms, inbox, inspector, registry, settings } as const
