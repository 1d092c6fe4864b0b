/** Any value as a tree, as text or as JSON; one that is stored elsewhere is fetched. */

import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import { Segmented } from '@/ui'
import { isAnswer } from './blocks'
import { LongText } from './LongText'
import { Stored } from './Stored'
import { Tree } from './Tree'

export type Shape = 'tree' | 'text' | 'json'

/** Text in a value: the value itself, or the one member that is text. */
function textIn(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const texts = Object.values(value).filter((entry) => typeof entry === 'string')
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
  if (isRef(value)) {
    return (
      <Stored stored={value} label={label}>
        {(whole) => (
          <ValueView value={whole} shape={shape} label={label} {...(maxHeight ? { maxHeight } : {})} />
        )}
      </Stored>
    )
  }
  if (value === undefined) return <p className="text-muted">{t('runs.step_not_yet')}</p>
  const height = maxHeight ?? 320
  if (typeof value === 'string' && shape !== 'json') {
    return <LongText text={value} label={label} maxHeight={height} />
  }
  if (shape !== 'tree') {
    const text = shape === 'text' ? textIn(value) : null
    return <LongText text={text || JSON.stringify(value, null, 2)} label={label} maxHeight={height} />
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
    return <p className="text-muted">{t('runs.step_nothing')}</p>
  }
  if (isAnswer(value)) return <Tree value={value} />
  return (
    <section
      className="min-w-0 overflow-auto"
      style={maxHeight ? { maxHeight } : undefined}
      aria-label={label}
    >
      <Tree value={value} />
    </section>
  )
}
