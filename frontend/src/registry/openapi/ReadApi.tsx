/** What a document describes: its operations, what is left out, and whether it names another host. */
import { TriangleAlert } from 'lucide-react'
import type { components } from '@/api/schema'
import { sentenceGap, useT } from '@/i18n'
import { Callout, Checkbox, Chip, visible } from '@/ui'

export type Api = components['schemas']['Api']

const SHOWN = 50

export const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}

export function ReadApi({ api }: { readonly api: Api }) {
  const t = useT()
  const shown = api.operations.slice(0, SHOWN)
  const rest = api.total - shown.length
  return (
    <section className="grid grid-cols-1 gap-2 rounded-md border border-line p-3" aria-label={api.title}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <b className="font-semibold">{visible(api.title || api.dialect)}</b>
        <span className="text-sm text-muted">
          {[api.version, api.dialect, t('openapi.operations', { n: api.total })]
            .filter(Boolean)
            .map(visible)
            .join(' · ')}
        </span>
      </p>
      <details>
        <summary className="link cursor-pointer text-sm">{t('openapi.show_operations')}</summary>
        <ul className="mt-2 grid max-h-48 grid-cols-1 gap-1 overflow-auto">
          {shown.map((operation) => (
            <li key={operation.name} className="flex min-w-0 items-baseline gap-2 text-sm">
              <Chip>{operation.method}</Chip>
              <code className="truncate font-mono text-xs">{visible(operation.path)}</code>
              <span className="ml-auto truncate text-muted">{visible(operation.name)}</span>
            </li>
          ))}
          {rest > 0 ? <li className="text-sm text-muted">{t('openapi.more', { n: rest })}</li> : null}
        </ul>
      </details>
      {api.left_out.length > 0 ? (
        <details>
          <summary className="cursor-pointer text-sm">
            <TriangleAlert size={12} aria-hidden className="mr-1 inline" />
            {t('openapi.left_out', { n: api.left_out.length })}
          </summary>
          <ul className="mt-1 max-h-48 overflow-auto text-sm text-muted">
            {api.left_out.map((entry) => (
              <li key={`${entry.operation} ${entry.message}`} data-tip={entry.hint}>
                {visible(entry.message)}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  )
}

/** Asks before requests go to another host than the document's. */
export function AnotherHost({
  source,
  base,
  confirmed,
  onConfirm,
}: {
  readonly source: string
  readonly base: string
  readonly confirmed: boolean
  readonly onConfirm: (confirmed: boolean) => void
}) {
  const t = useT()
  const host = hostOf(base)
  return (
    <Callout tone="waiting">
      <div className="grid grid-cols-1 gap-2">
        <p className="text-sm">
          <b className="font-semibold">{t('openapi.foreign_title')}</b>
          {sentenceGap()}
          <span className="text-muted">{t('openapi.foreign_text', { source: hostOf(source), host })}</span>
        </p>
        <Checkbox checked={confirmed} onChange={onConfirm} label={t('openapi.foreign_confirm', { host })} />
      </div>
    </Callout>
  )
}
