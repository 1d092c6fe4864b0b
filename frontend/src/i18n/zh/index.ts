/** The Chinese dictionary, loaded when Chinese is chosen. */
import type { Dictionary } from '../index'
import { again } from './again'
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
import { restored } from './restored'
import { results } from './results'
import { runs } from './runs'
import { settings } from './settings'
import { talk } from './talk'
import { tests } from './tests'
import { usage } from './usage'
import { workflows } from './workflows'

export const zh: Dictionary = {
  again,
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
