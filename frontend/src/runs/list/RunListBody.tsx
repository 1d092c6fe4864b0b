/** What stands below the filters of every list of runs: the runs, or why there are none, and the way to more of them. */
import type { ReactNode } from 'react'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import type { Run } from '@/api/run-types'
import { flatten, type useRuns } from '@/api/runs'
import { useT } from '@/i18n'
import { cx, LoadFailed, More, Skeleton } from '@/ui'

interface RunListBodyProps {
  readonly query: ReturnType<typeof useRuns>
  /** How many rows are hinted at until the runs are there, and how high each is, px. */
  readonly skeleton: { readonly rows: number; readonly row: number }
  /** In the place of the list where there is no run. */
  readonly empty: ReactNode
  readonly className?: string
  readonly children: (runs: readonly Run[]) => ReactNode
}

export function RunListBody({ query, skeleton, empty, className, children }: RunListBodyProps) {
  const t = useT()
  const runs = flatten(query.data)
  return (
    <div className={cx('min-h-0 flex-1 overflow-auto', className)}>
      {query.error && !query.isFetchNextPageError ? (
        <div className="p-4">
          <LoadFailed error={asApiError(query.error)} title={t('runs.load_failed')} onRetry={query.refetch} />
        </div>
      ) : null}
      {query.isPending ? (
        <Skeleton {...skeleton} />
      ) : runs.length === 0 ? (
        query.error ? null : (
          empty
        )
      ) : (
        children(runs)
      )}
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void loadNextPage(query)}
        />
      ) : null}
    </div>
  )
}
