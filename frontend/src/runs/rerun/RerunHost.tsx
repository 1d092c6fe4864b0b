/** Where the dialog of running again stands; its code comes when it is first asked for. */
import { Suspense } from 'react'
import type { Run } from '@/api/run-types'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { requestRerun, useRerunRequest } from './request'

const RerunDialog = lazily(async () => ({
  default: (await fetchCode(() => import('./RerunDialog'))).RerunDialog,
}))

export function RerunHost({ onStarted }: { readonly onStarted: (run: Run) => void }) {
  const request = useRerunRequest()
  if (!request) return null
  return (
    <Suspense fallback={null}>
      <RerunDialog
        key={`${request.run} ${request.node}`}
        request={request}
        onClose={() => requestRerun(null)}
        onStarted={(run) => {
          requestRerun(null)
          onStarted(run)
        }}
      />
    </Suspense>
  )
}
