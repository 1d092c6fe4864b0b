/** What the doors of a workflow are put together from: their page, an address, who may call, who did. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import type { OfferedCall } from '@/api/offer'
import { sentenceGap, useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { callerName } from '@/live/caller'
import { statusOfStanding } from '@/live/run-status'
import { Callout, CopyButton, LoadFailed, RelativeTime, Skeleton, StatusWord } from '@/ui'

export interface DoorPageProps {
  readonly children: ReactNode
  /** At the right, or below where the page is narrow: who may come in, and who did. */
  readonly side?: ReactNode
}

export function DoorPage({ children, side }: DoorPageProps) {
  const t = useT()
  return (
    <div className="share-page" data-alone={side === undefined ? '' : undefined}>
      <div className="share-main">{children}</div>
      {side === undefined ? null : (
        <aside className="share-side" aria-label={t('share.calls')}>
          {side}
        </aside>
      )}
    </div>
  )
}

export function DoorFailed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => unknown }) {
  const t = useT()
  return (
    <div className="p-4">
      <LoadFailed error={asApiError(error)} title={t('share.load_failed')} onRetry={() => void onRetry()} />
    </div>
  )
}

export const DoorLoading = () => <Skeleton rows={6} />

export interface AddressProps {
  readonly url: string
  readonly hint?: string
  /** What it is the address of; absent = of the door itself. */
  readonly title?: string
  /** What the button that copies it is called. */
  readonly copy?: string
}

export function Address({ url, hint, title, copy }: AddressProps) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-1.5" aria-label={title ?? t('share.address')}>
      <h3 className="section-title">{title ?? t('share.address')}</h3>
      <div className="well flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-40 break-all">{url}</code>
        <CopyButton text={url} label={copy ?? t('share.copy_address')} />
      </div>
      {hint ? <p className="text-xs text-muted">{hint}</p> : null}
    </section>
  )
}

/** In the place of what is offered while nothing is published. */
export function Unpublished({ workflow }: { readonly workflow: string }) {
  const t = useT()
  return (
    <Callout tone="waiting">
      {t('share.unpublished')}
      {sentenceGap()}
      <Link href={`/workflows/${workflow}`}>{t('share.to_editor')}</Link>
    </Callout>
  )
}

/** Who may come in; `text` = what is said of it in place of what holds for most doors. */
export function WhoMayCall({ text }: { readonly text?: string }) {
  const t = useT()
  return (
    <>
      <h3 className="section-title">{t('share.who')}</h3>
      <p className="text-sm text-muted">
        {text ?? t('share.who_text')}
        {sentenceGap()}
        <a className="link" href={docsHref('sharing')}>
          {t('share.more')}
        </a>
      </p>
    </>
  )
}

/** Who called, and with which of their programs. */
function CalledBy({ call }: { readonly call: OfferedCall }) {
  const t = useT()
  const by = call.by ?? t('share.someone_gone')
  const program = callerName(call.caller)
  return (
    <span className="min-w-0 truncate" title={program ? `${program} · ${by}` : by}>
      {program ? <b className="font-medium">{program}</b> : null}
      {program ? ' · ' : null}
      {by}
    </span>
  )
}

export function Calls({ calls }: { readonly calls: readonly OfferedCall[] }) {
  const t = useT()
  return (
    <>
      <h3 className="section-title">{t('share.calls')}</h3>
      {calls.length === 0 ? (
        <p className="text-sm text-muted">{t('share.no_calls')}</p>
      ) : (
        <ul className="share-calls">
          {calls.map((call) => (
            <li key={call.run}>
              <Link href={`/runs/${call.run}`}>
                <RelativeTime value={call.at} />
              </Link>
              <CalledBy call={call} />
              <StatusWord status={statusOfStanding(call)} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
