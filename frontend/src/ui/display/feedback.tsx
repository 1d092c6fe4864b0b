/** What a screen says when something is empty, loading, or went wrong. */
import { CircleX, Info, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useT } from '@/i18n'
import { Button } from '@/ui/controls/button'
import { cx } from '@/ui/cx'
import type { Tone } from './status'
import { visible } from './visible'

/** What an error says, as the contract words it: an `ApiError`, a run's error, a test's. */
export interface ShownError {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined | null
  /** By which the installation's log knows the request that failed. */
  readonly reference?: string | undefined
}

export interface ErrorBoxProps {
  readonly error: ShownError
  /** The repair first: at most one primary button. */
  readonly actions?: ReactNode
  /** Amber where nothing failed for certain. */
  readonly tone?: 'failed' | 'waiting'
  /** More under the hint: fields, the raw answer. */
  readonly children?: ReactNode
  readonly title?: string
}

/** A sentence, what to do, the code as a label at the right, and the repair inside. */
export function ErrorBox({ error, actions, tone = 'failed', children, title }: ErrorBoxProps) {
  const t = useT()
  const Icon = tone === 'failed' ? CircleX : TriangleAlert
  return (
    <div className="callout" data-tone={tone} role="alert">
      <Icon aria-hidden />
      <div className="grid grid-cols-1 gap-1">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <p className="min-w-0 shrink grow basis-48 font-semibold">{title ?? visible(error.message)}</p>
          {error.code ? <code className="font-mono text-xs text-muted">{error.code}</code> : null}
        </div>
        {title && title !== error.message ? (
          <p className="text-sm text-muted">{visible(error.message)}</p>
        ) : null}
        {error.hint ? <p className="text-sm text-muted">{error.hint}</p> : null}
        {error.reference ? (
          <p className="text-xs text-muted">{t('common.request_id', { id: error.reference })}</p>
        ) : null}
        {children}
        {actions ? <div className="flex flex-wrap gap-2 pt-1">{actions}</div> : null}
      </div>
    </div>
  )
}

/** What could not be read, in its place, with the way to ask again. */
export function LoadFailed({
  error,
  title,
  onRetry,
}: {
  readonly error: ShownError
  readonly title?: string
  readonly onRetry: () => unknown
}) {
  const t = useT()
  return (
    <ErrorBox
      error={error}
      title={title ?? t('common.not_loaded')}
      actions={
        <Button size="small" onClick={() => void onRetry()}>
          {t('common.retry')}
        </Button>
      }
    />
  )
}

/** A remark in a frame: amber for a warning, purple for a person's turn. */
export function Callout({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <div className="callout" data-tone={tone}>
      {icon ?? (tone === 'waiting' ? <TriangleAlert aria-hidden /> : <Info aria-hidden />)}
      <div>{children}</div>
    </div>
  )
}

/** Says what belongs here and offers the first step; no art. */
export function EmptyState({
  title,
  text,
  actions,
  flush,
}: {
  readonly title: string
  readonly text?: ReactNode
  readonly actions?: ReactNode
  /** Below another title, in a place that has padding. */
  readonly flush?: boolean
}) {
  const Title = flush ? 'h3' : 'h2'
  return (
    <div className={cx('grid grid-cols-1 max-w-120 content-start gap-2', !flush && 'p-4')}>
      <Title>{title}</Title>
      {text ? <p className="text-muted">{text}</p> : null}
      {actions ? <div className="flex flex-wrap gap-2 pt-1">{actions}</div> : null}
    </div>
  )
}

/** True after 300 ms: nothing that is quick shows that it loads. */
export function useSlow(waiting: boolean, after = 300): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!waiting) return setSlow(false)
    const timer = window.setTimeout(() => setSlow(true), after)
    return () => window.clearTimeout(timer)
  }, [waiting, after])
  return slow
}

/** Grey lines in the place of a list that loads; appears after 300 ms. */
export function Skeleton({ rows = 5, row = 36 }: { rows?: number; row?: number }) {
  const t = useT()
  const slow = useSlow(true)
  if (!slow) return null
  return (
    <div role="status" aria-label={t('common.loading')} className="skeleton-rows">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey lines have no identity
        <div key={index} className="flex items-center gap-3 border-b border-line" style={{ height: row }}>
          <span className="skeleton w-4 !h-4" />
          <span className="skeleton" style={{ width: `${[38, 24, 46, 30, 18][index % 5]}%` }} />
          <span className="skeleton ml-auto w-12" />
        </div>
      ))}
    </div>
  )
}
