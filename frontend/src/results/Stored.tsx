/** A value that is stored elsewhere: fetched at once where it is not huge, else its beginning and a button. */
import { type ReactNode, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Ref } from '@/api/run-types'
import { useStored } from '@/api/runs'
import { useT } from '@/i18n'
import { Button, bytes, CodeBlock, ErrorBox } from '@/ui'

/** Larger ones cost a phone's time and data, so they wait until somebody wants them. */
const AT_ONCE = 8 * 1024 * 1024

export interface StoredProps {
  readonly stored: Ref
  readonly label: string
  /** Only when it is asked for, however small. */
  readonly onDemand?: boolean
  readonly children: (value: unknown) => ReactNode
}

export function Stored({ stored, label, onDemand = false, children }: StoredProps) {
  const t = useT()
  const [opened, setOpened] = useState(!onDemand && stored.size <= AT_ONCE)
  const { data, error, isFetching, refetch } = useStored(stored.$ref, opened)
  if (data !== undefined) return <>{children(data)}</>
  const preview =
    typeof stored.preview === 'string' ? stored.preview : JSON.stringify(stored.preview, null, 2)
  const size = bytes(stored.size)
  return (
    <div className="grid gap-2 min-w-0">
      <p className="text-xs text-muted">{t('runs.ref_preview', { size })}</p>
      <CodeBlock code={`${preview}…`} small copy={false} label={label} maxHeight={160} />
      {error ? <ErrorBox error={asApiError(error)} title={t('common.not_loaded')} /> : null}
      <div>
        <Button size="small" busy={isFetching} onClick={() => (opened ? void refetch() : setOpened(true))}>
          {t('runs.ref_load', { size })}
        </Button>
      </div>
    </div>
  )
}
