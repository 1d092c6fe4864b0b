/** The Chinese dictionary, loaded when Chinese is chosen. */
import type { Dictionary } from '../index'
import { app } from './app'
import { audit } from './audit'
import { canvas } from './canvas'
import { common } from './common'
import { editor } from './editor'
import { forms } from './forms'
import { inbox } from './inbox'
import { inspector } from './inspector'
import { installation } from './installation'
import { palette } from './palette'
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

export const zh: Dictionary = {
  rerun,
  app,
  audit,
  canvas,
  common,
  editor,
  forms,
  inbox,
  inspector,
  installation,
  palette,
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
}
