/** Where the dialog of running again stands; its code comes with the first question. */
import { Suspense } from 'react'
import type { Run } from '@/api/run-types'
import { later } from '@/ui/first-paint'
import { requestRerun, useRerunRequest } from './request'

const RerunDialog = later(async () => (await import('./RerunDialog')).RerunDialog)

export function RerunHost({ onStarted }: { readonly onStarted: (run: Run) => void }) {
  const asked = useRerunRequest()
  if (!asked) return null
  return (
    <Suspense fallback={null}>
      <RerunDialog
        key={`${asked.run} ${asked.node}`}
        asked={asked}
        onClose={() => requestRerun(null)}
        onStarted={(run) => {
          requestRerun(null)
          onStarted(run)
        }}
      />
    </Suspense>
  )
}
