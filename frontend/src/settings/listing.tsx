/** What the lists of the settings share: their states from loading to rows, and the question before a row goes. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, Confirm, cx, EmptyState, ErrorBox, LoadFailed, Skeleton } from '@/ui'

export interface ListingProps<Row> {
  readonly intro: string
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined
  readonly error: unknown
  readonly refetch: () => unknown
  /** What stands in the place of no rows; without it, nothing. */
  readonly empty?: { readonly title: string; readonly text: string }
  readonly row: (row: Row) => ReactNode
  readonly add: {
    readonly label: string
    readonly icon?: ReactNode
    readonly blocked?: string | undefined
    readonly onClick: () => void
  }
  /** Below the rows: the way to those that follow. */
  readonly more?: ReactNode
}

export function Listing<Row>({ intro, rows, error, refetch, empty, row, add, more }: ListingProps<Row>) {
  return (
    <>
      <p className="text-muted">{intro}</p>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {!rows && !error ? <Skeleton rows={2} /> : null}
      {rows?.length === 0 && empty ? <EmptyState flush {...empty} /> : null}
      {rows?.length ? (
        <ul className="overflow-hidden rounded-md border border-line">{rows.map(row)}</ul>
      ) : null}
      {more}
      <div>
        <Button icon={add.icon ?? <Plus />} variant="primary" blocked={add.blocked} onClick={add.onClick}>
          {add.label}
        </Button>
      </div>
    </>
  )
}

/** One row, with what can be done with it at its end. `wraps` = where it has no room, some of it stands on a line below. */
export function ListingRow({ wraps, children }: { readonly wraps?: boolean; readonly children: ReactNode }) {
  return (
    <li
      className={cx(
        'flex min-h-9 items-center gap-2 border-b border-line px-3 py-1 last:border-0',
        wraps && 'small:flex-wrap small:pb-2',
      )}
    >
      {children}
    </li>
  )
}

/** Asks before a row is deleted; what the server says against it stands in the question. */
export function DeleteRow({
  title,
  text,
  action,
  list,
  remove,
  onClose,
}: {
  readonly title: string
  readonly text: string
  /** What the button says; "Delete" without it. */
  readonly action?: string
  /** The name of the query that lists the rows. */
  readonly list: string
  readonly remove: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const t = useT()
  const client = useQueryClient()
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: [list] })
      onClose()
    },
  })
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={title}
      action={action ?? t('common.delete')}
      busy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
    >
      <p>{text}</p>
      {deletion.error ? <ErrorBox error={asApiError(deletion.error)} /> : null}
    </Confirm>
  )
}
