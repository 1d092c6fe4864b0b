/** Where the dialog of restored runs stands; its code comes when it is first asked for. */
import { Suspense } from 'react'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { askRestored, useAskedRestored } from './ask'

const RestoredDialog = lazily(async () => ({
  default: (await fetchCode(() => import('./RestoredDialog'))).RestoredDialog,
}))

export function RestoredHost() {
  const asked = useAskedRestored()
  if (!asked) return null
  return (
    <Suspense fallback={null}>
      <RestoredDialog key={asked.run} run={asked.run} onClose={() => askRestored(null)} />
    </Suspense>
  )
}
