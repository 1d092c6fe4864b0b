/** One thing that a server offers, as it describes it; below it the place where it is tried. */
import { type ReactNode, useId, useState } from 'react'
import { useT } from '@/i18n'
import { Button, visible } from '@/ui'
import { ChangeChip } from './Changes'

export function Offer(props: {
  readonly name: string
  readonly code: string
  readonly about: string | null
  readonly facts: readonly (string | null)[]
  readonly action: string
  /** What happened to it since it was accepted. */
  readonly change: string | null
  readonly children: ReactNode
}) {
  const { name, code, about, facts, action, change, children } = props
  const t = useT()
  const [open, setOpen] = useState(false)
  const id = `${useId()}try`
  const shown = visible(name)
  const known = facts.filter((fact) => fact)
  return (
    <li className="min-w-0 rounded-md border border-line p-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="font-semibold break-words">
            {shown} <ChangeChip change={change} />
          </p>
          {code === name && known.length === 0 ? null : (
            <p className="font-mono text-xs break-all text-muted">
              {[code === name ? null : visible(code), ...known].filter(Boolean).join(' · ')}
            </p>
          )}
          {about ? <p className="text-sm break-words text-muted">{visible(about)}</p> : null}
        </div>
        <Button
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={`${open ? t('common.close') : action}: ${shown}`}
          onClick={() => setOpen(!open)}
        >
          {open ? t('common.close') : action}
        </Button>
      </div>
      {open ? (
        <div id={id} className="grid grid-cols-1 gap-3 border-t border-line pt-3" style={{ marginTop: 12 }}>
          {children}
        </div>
      ) : null}
    </li>
  )
}
