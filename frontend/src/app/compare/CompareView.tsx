/**
 * Two documents of a workflow compared, in the editor's place: on one canvas, as a list, and field by field.
 *
 * What is restored from here is one edit of the draft that the editor has open, so that one undo takes it back.
 */
import { useEffect, useMemo } from 'react'
import type { ApiError } from '@/api/client'
import type { Workflow } from '@/api/workflows'
import { bothGraphs, outlinesOf } from '@/graph/compare/both'
import { compareGraphs } from '@/graph/compare/compare'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { Button, Callout, ErrorBox, PageBar, Skeleton } from '@/ui'
import { markFirstPaint } from '@/ui/first-paint'
import { changesOf } from '@/versions/changes'
import { type SideDocument, sideName, useSide } from '@/versions/documents'
import { SidePicker } from '@/versions/SidePicker'
import { type Pair, readPair, type Side, writePair } from '@/versions/sides'
import { CompareScreen } from './CompareScreen'

export interface CompareViewProps {
  readonly workflow: Workflow
  /** What the address says is compared. */
  readonly address: string
  readonly published: number | null
  readonly onPublished: (version: number) => void
  /** Puts the draft on the server. */
  readonly save: () => Promise<unknown>
  /** null = back to the draft. */
  readonly onAddress: (address: string | null) => void
}

/** What stands in the place of a comparison that cannot be shown, with the ways on. */
function Stale({
  workflow,
  pair,
  error,
  published,
  onAddress,
  onRetry,
}: Pick<CompareViewProps, 'workflow' | 'published' | 'onAddress'> & {
  readonly pair: Pair | null
  readonly error: { readonly side: Side; readonly cause: ApiError } | null
  readonly onRetry?: () => void
}) {
  const t = useT()
  const gone = error === null || error.cause.status === 404
  const name = error ? sideName(error.side, t) : ''
  const title = !error
    ? t('versions.stale_link')
    : gone
      ? t('versions.side_gone', { side: name })
      : t('versions.side_failed', { side: name })
  return (
    <>
      <PageBar
        title={t('versions.compare')}
        crumbs={[
          { label: t('editor.workflows'), href: '/' },
          { label: workflow.name, href: `/workflows/${workflow.id}` },
        ]}
      />
      <div className="grid max-w-160 gap-3 p-4">
        {gone ? (
          <Callout tone="waiting">
            <p className="font-semibold">{title}</p>
            <p className="text-sm text-muted">{error ? goneHint(error.side, t) : t('versions.stale_hint')}</p>
          </Callout>
        ) : (
          <ErrorBox
            error={error.cause}
            title={title}
            actions={<Button onClick={onRetry}>{t('common.retry')}</Button>}
          />
        )}
        {pair ? (
          <SidePicker
            workflow={workflow.id}
            published={published}
            pair={pair}
            onPair={(next) => onAddress(writePair(next))}
          />
        ) : null}
        <div>
          <Button onClick={() => onAddress(null)}>{t('editor.back_to_draft')}</Button>
        </div>
      </div>
    </>
  )
}

function goneHint(side: Side, t: ReturnType<typeof useT>): string {
  if (side.kind === 'revision') return t('versions.revision_gone')
  return t(side.kind === 'run' ? 'versions.run_gone' : 'versions.version_gone')
}

export function CompareView(props: CompareViewProps) {
  const pair = readPair(props.address)
  useEffect(markFirstPaint, []) // what waits for the canvas of the editor comes with this one
  if (!pair) return <Stale {...props} pair={null} error={null} />
  return <Sides {...props} pair={pair} />
}

function Sides(props: CompareViewProps & { readonly pair: Pair }) {
  const { workflow, pair } = props
  const before = useSide(workflow.id, pair.before)
  const after = useSide(workflow.id, pair.after)
  const failed = before.error ? { side: pair.before, cause: before.error } : null
  const error = failed ?? (after.error ? { side: pair.after, cause: after.error } : null)
  if (error) return <Stale {...props} error={error} onRetry={before.error ? before.retry : after.retry} />
  if (!before.document || !after.document) return <Skeleton rows={8} />
  return <Compared {...props} before={before.document} after={after.document} />
}

interface ComparedProps extends CompareViewProps {
  readonly pair: Pair
  readonly before: SideDocument
  readonly after: SideDocument
}

function Compared(props: ComparedProps) {
  const { before, after } = props
  const types = useGraph((state) => state.types)
  const comparison = useMemo(() => compareGraphs(before.graph, after.graph), [before.graph, after.graph])
  const compared = useMemo(() => {
    const both = bothGraphs(before.graph, after.graph, comparison, types)
    return {
      both,
      outlines: outlinesOf(before.graph, both, comparison, types),
      changes: changesOf(comparison),
      names: { before: before.graph, after: after.graph, types },
    }
  }, [before.graph, after.graph, comparison, types])
  return <CompareScreen {...props} {...compared} />
}
