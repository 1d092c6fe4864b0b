/** The run in the editor's bar: how it stands, and what it takes. Fetched with the first run. */

import { RunControls } from './RunControls'
import { RunFacts } from './RunFacts'

export function RunBar() {
  return (
    <>
      <RunFacts />
      <RunControls />
    </>
  )
}
