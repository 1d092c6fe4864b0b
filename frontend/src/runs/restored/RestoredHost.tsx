/** Where the dialog of restored runs stands; its code comes when it is first asked for. */
import { Suspense } from 'react'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { askRestored, useRestoredRequest } from './ask'

const RestoredDialog = lazily(async () => ({
  default: (await fetchCode(() => import('./RestoredDialog'))).RestoredDialog,
}))

export function RestoredHost() {
  const request = useRestoredRequest()
  if (!request) return null
  return (
    <Suspense fallback={null}>
      <RestoredDialog key={request.run} run={request.run} onClose={() => askRestored(null)} />
    </Suspense>
  )
}
