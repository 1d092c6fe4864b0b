/** The Chinese dictionary, loaded when Chinese is chosen. */
import type { Dictionary } from '../index'
import { agent } from './agent'
import { agents } from './agents'
import { agui } from './agui'
import { app } from './app'
import { audit } from './audit'
import { canvas } from './canvas'
import { chat } from './chat'
import { collections } from './collections'
import { common } from './common'
import { consent } from './consent'
import { contents } from './contents'
import { editor } from './editor'
import { forms } from './forms'
import { grants } from './grants'
import { http } from './http'
import { importing } from './importing'
import { inbox } from './inbox'
import { inspector } from './inspector'
import { installation } from './installation'
import { modelscope } from './modelscope'
import { openapi } from './openapi'
import { palette } from './palette'
import { people } from './people'
import { providers } from './providers'
import { registry } from './registry'
import { rerun } from './rerun'
import { restored } from './restored'
import { results } from './results'
import { runs } from './runs'
import { settings } from './settings'
import { share } from './share'
import { signin } from './signin'
import { talk } from './talk'
import { tests } from './tests'
import { triggers } from './triggers'
import { usage } from './usage'
import { versions } from './versions'
import { workflows } from './workflows'

export const zh: Dictionary = {
  agent,
  rerun,
  agui,
  agents,
  app,
  audit,
  canvas,
  chat,
  collections,
  common,
  consent,
  editor,
  contents,
  forms,
  grants,
  http,
  importing,
  inbox,
  inspector,
  installation,
  modelscope,
  openapi,
  palette,
  people,
  providers,
  registry,
  restored,
  results,
  runs,
  settings,
  share,
  signin,
  talk,
  usage,
  tests,
  triggers,
  versions,
  workflows,
}
