/** The dictionaries that the first page does not need, in one file to load. */

import { audit } from './audit'
import { editor } from './editor'
import { forms } from './forms'
import { inbox } from './inbox'
import { inspector } from './inspector'
import { installation } from './installation'
import { people } from './people'
import { providers } from './providers'
import { registry } from './registry'
import { rerun } from './rerun'
import { restored } from './restored'
import { results } from './results'
import { runs } from './runs'
import { settings } from './settings'
import { talk } from './talk'
import { tests } from './tests'
import { usage } from './usage'
import { workflows } from './workflows'

export const rest = {
  rerun,
  audit,
  editor,
  forms,
  inbox,
  inspector,
  installation,
  people,
  providers,
  registry,
  restored,
  results,
  runs,
  settings,
  talk,
  usage,
  tests,
  workflows,
} as const
