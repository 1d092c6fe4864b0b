/** Any value as a tree, as text or as JSON; one that is stored elsewhere shows its beginning and can be loaded. */

import { useState } from 'react'
import { asApiError } from '@/api/client'
import { isFileValue } from '@/api/files'
import { isRef, type Ref } from '@/api/run-types'
import { useStored } from '@/api/runs'
import { FileRow, fileIn } from '@/files'
import { useT } from '@/i18n'
import { Button, bytes, CodeBlock, ErrorBox, JsonTree, Segmented } from '@/ui'

export type Shape = 'tree' | 'text' | 'json'

/** Text in a value: the value itself, or the one member that is text. */
function textIn(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const texts = Object.values(value).filter((one) => typeof one === 'string')
  const { result, text } = value as { result?: unknown; text?: unknown }
  if (typeof text === 'string') return text
  if (typeof result === 'string') return result
  return texts.length === 1 ? (texts[0] as string) : null
}

export function ShapeChoice({ value, onChange }: { value: Shape; onChange: (shape: Shape) => void }) {
  const t = useT()
  return (
    <Segmented
      label={t('runs.view')}
      small
      value={value}
      onChange={onChange}
      options={[
        { value: 'tree', label: t('runs.view_tree') },
        { value: 'text', label: t('runs.view_text') },
        { value: 'json', label: t('runs.view_json') },
      ]}
    />
  )
}

export interface ValueViewProps {
  readonly value: unknown
  readonly shape: Shape
  readonly label: string
  readonly maxHeight?: number
}

export function ValueView({ value, shape, label, maxHeight }: ValueViewProps) {
  const t = useT()
  if (isRef(value))
    return <StoredValue stored={value} shape={shape} label={label} {...(maxHeight ? { maxHeight } : {})} />
  if (value === undefined) return <p className="text-muted">{t('runs.step_not_yet')}</p>
  const text = textIn(value)
  if (shape === 'text' || (shape === 'tree' && typeof value === 'string')) {
    return (
      <CodeBlock
        code={text ?? JSON.stringify(value, null, 2)}
        small
        label={label}
        maxHeight={maxHeight ?? 320}
      />
    )
  }
  if (shape === 'json') {
    return (
      <CodeBlock code={JSON.stringify(value, null, 2)} small label={label} maxHeight={maxHeight ?? 320} />
    )
  }
  if (isFileValue(value)) return <FileRow file={value} />
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
    return <p className="text-muted">{t('runs.step_nothing')}</p>
  }
  return (
    <section
      className="min-w-0 overflow-auto"
      style={maxHeight ? { maxHeight } : undefined}
      aria-label={label}
    >
      <JsonTree value={unfolded(value)} open={2} whole={fileIn} />
    </section>
  )
}

/** In a tree a stored member stands as its beginning; loading it whole belongs to the value itself. */
function unfolded(value: unknown): unknown {
  if (isRef(value))
    return `${typeof value.preview === 'string' ? value.preview : JSON.stringify(value.preview)}… (${bytes(value.size)})`
  if (Array.isArray(value)) return value.map(unfolded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unfolded(inner)]))
}

function StoredValue({ stored, ...rest }: { stored: Ref } & Omit<ValueViewProps, 'value'>) {
  const t = useT()
  const [wanted, setWanted] = useState(false)
  const { data, error, isFetching } = useStored(stored.$ref, wanted)
  if (data !== undefined) return <ValueView value={data} {...rest} />
  const preview =
    typeof stored.preview === 'string' ? stored.preview : JSON.stringify(stored.preview, null, 2)
  return (
    <div className="grid gap-2">
      <p className="text-xs text-muted">{t('runs.ref_preview', { size: bytes(stored.size) })}</p>
      <CodeBlock code={`${preview}…`} small copy={false} label={rest.label} maxHeight={160} />
      {error ? <ErrorBox error={asApiError(error)} /> : null}
      <div>
        <Button size="small" busy={isFetching} onClick={() => setWanted(true)}>
          {t('runs.ref_load', { size: bytes(stored.size) })}
        </Button>
      </div>
    </div>
  )
}
