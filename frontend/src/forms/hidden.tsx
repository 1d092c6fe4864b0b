/**
 * A text field whose value hides characters: it is drawn with them as marks, where the decision is made, and edited as
 * it is. Below stands what most programs would draw, and how to be rid of them.
 */
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useT } from '@/i18n'
import { hiddenCount, stretches, turns, withoutHidden } from '@/ui'

interface HiddenProps {
  readonly text: string
  readonly label: string | undefined
  readonly disabled: boolean
  readonly onChange: (text: string) => void
  readonly children: ReactNode
}

/** `children`, the field itself, is shown while it is edited. */
export function WithHidden({ text, label, disabled, onChange, children }: HiddenProps) {
  const t = useT()
  const [editing, setEditing] = useState(false)
  const count = hiddenCount(text)
  if (count === 0) return children
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: focus leaving the field, nothing to click
    <div
      className="form-hidden"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setEditing(false)
      }}
    >
      {editing ? (
        children
      ) : (
        <button
          type="button"
          className="input form-marked"
          data-bad
          disabled={disabled}
          aria-label={t('forms.hidden_edit', { field: label ?? '', n: count })}
          onClick={(event) => {
            const place = event.currentTarget.parentElement
            setEditing(true)
            requestAnimationFrame(() => place?.querySelector<HTMLElement>('input, textarea')?.focus())
          }}
        >
          <Marked text={text} />
        </button>
      )}
      <p className="form-hidden-note">
        <span className="form-hidden-count">
          <TriangleAlert aria-hidden />
          {t('forms.hidden_count', { n: count })}
        </span>
        {editing ? <Marked text={text} /> : null}
        {turns(text) ? (
          <span>
            {t('forms.hidden_drawn')} <bdi className="font-mono">{text}</bdi>
          </span>
        ) : null}
        {disabled ? null : (
          <button type="button" className="link" onClick={() => onChange(withoutHidden(text))}>
            {t('forms.hidden_remove', { n: count })}
          </button>
        )}
      </p>
    </div>
  )
}

function Marked({ text }: { readonly text: string }) {
  return (
    <span className="form-marks">
      {stretches(text).map((stretch, index) =>
        stretch.name === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place
          <bdi key={index}>{stretch.text}</bdi>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place
          <mark key={index} className="form-mark">
            {stretch.name}
            {(stretch.count ?? 1) > 1 ? ` ×${stretch.count}` : ''}
          </mark>
        ),
      )}
    </span>
  )
}
