/** Where the dialog of restored runs stands. */

import { askRestored, useAskedRestored } from './ask'
import { RestoredDialog } from './RestoredDialog'

export function RestoredHost() {
  const asked = useAskedRestored()
  if (!asked) return null
  return <RestoredDialog key={asked.run} run={asked.run} onClose={() => askRestored(null)} />
}
