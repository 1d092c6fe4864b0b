/** Where the dialog of running again stands; its code comes with the first question. */
import { Suspense } from 'react'
import type { Run } from '@/api/run-types'
import { later } from '@/ui/later'
import { askAgain, useAsked } from './ask'

const AgainDialog = later(async () => (await import('./AgainDialog')).AgainDialog)

export function AgainHost({ onStarted }: { readonly onStarted: (run: Run) => void }) {
  const asked = useAsked()
  if (!asked) return null
  return (
    <Suspense fallback={null}>
      <AgainDialog
        key={`${asked.run} ${asked.node}`}
        asked={asked}
        onClose={() => askAgain(null)}
        onStarted={(run) => {
          askAgain(null)
          onStarted(run)
        }}
      />
    </Suspense>
  )
}
