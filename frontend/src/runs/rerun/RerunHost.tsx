/** Where the dialog of running again stands. */
import type { Run } from '@/api/run-types'
import { RerunDialog } from './RerunDialog'
import { requestRerun, useRerunRequest } from './request'

export function RerunHost({ onStarted }: { readonly onStarted: (run: Run) => void }) {
  const asked = useRerunRequest()
  if (!asked) return null
  return (
    <RerunDialog
      key={`${asked.run} ${asked.node}`}
      asked={asked}
      onClose={() => requestRerun(null)}
      onStarted={(run) => {
        requestRerun(null)
        onStarted(run)
      }}
    />
  )
}
