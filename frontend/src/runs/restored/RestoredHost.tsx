/** Where the dialog of restored runs stands; its code comes when it is opened. */
import { Suspense } from 'react'
import { later } from '@/ui/first-paint'
import { askRestored, useAskedRestored } from './ask'

const RestoredDialog = later(async () => (await import('./RestoredDialog')).RestoredDialog)

export function RestoredHost() {
  const asked = useAskedRestored()
  if (!asked) return null
  return (
    <Suspense fallback={null}>
      <RestoredDialog key={asked.run} run={asked.run} onClose={() => askRestored(null)} />
    </Suspense>
  )
}
