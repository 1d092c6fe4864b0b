/** The menu that adds a node where an edge was dropped, or after `/`: type, arrows, Enter. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { nodeIcon } from '@/graph/nodes/icons'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type { Point } from '@/graph/types'
import { useT } from '@/i18n'
import { cx, useTypedAhead } from '@/ui'
import { filterEntries, useEntries } from './catalog'

const WIDTH = 320
const HEIGHT = 360
const MOST = 60

export interface QuickAddProps {
  /** Where it opens, in the window. */
  readonly at: Point
  readonly onPick: (template: NodeTemplate) => void
  readonly onClose: () => void
}

export function QuickAdd({ at, onPick, onClose }: QuickAddProps) {
  const t = useT()
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  useTypedAhead(setQuery)
  const [active, setActive] = useState(0)
  const entries = useEntries()
  const shown = useMemo(() => filterEntries(entries, query).slice(0, MOST), [entries, query])

  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose()
    }
    window.addEventListener('pointerdown', away, true)
    return () => window.removeEventListener('pointerdown', away, true)
  }, [onClose])

  useEffect(() => {
    box.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView?.({ block: 'nearest' })
  }, [active])

  const pick = (index: number) => {
    const entry = shown[index]
    if (entry) onPick(entry.template)
  }
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    const last = shown.length - 1
    if (event.key === 'ArrowDown') setActive(active >= last ? 0 : active + 1)
    else if (event.key === 'ArrowUp') setActive(active <= 0 ? last : active - 1)
    else if (event.key === 'Enter') pick(active)
    else if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else return
    event.preventDefault()
  }
  const left = Math.max(8, Math.min(at.x, window.innerWidth - WIDTH - 8))
  const top = Math.max(8, Math.min(at.y, window.innerHeight - HEIGHT - 8))
  return (
    <div
      ref={box}
      className="pop fixed flex flex-col"
      role="dialog"
      aria-label={t('palette.quick_label')}
      style={{ left, top, width: WIDTH, maxHeight: HEIGHT }}
    >
      <div className="border-b border-line p-1.5">
        <div className="input">
          <Search aria-hidden />
          <input
            // biome-ignore lint/a11y/noAutofocus: the menu was just asked for
            autoFocus
            role="combobox"
            aria-expanded
            aria-controls={id}
            aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
            aria-label={t('palette.quick_placeholder')}
            placeholder={t('palette.quick_placeholder')}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setActive(0)
            }}
            onKeyDown={keys}
          />
        </div>
      </div>
      <div
        id={id}
        role="listbox"
        aria-label={t('palette.label')}
        className="min-h-0 flex-1 overflow-auto p-1"
      >
        {shown.length === 0 ? <p className="px-2 py-3 text-sm text-muted">{t('palette.empty')}</p> : null}
        {shown.map((entry, index) => {
          const Icon = nodeIcon(entry.template)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves in the field above
            <div
              key={entry.key}
              id={`${id}-${index}`}
              data-index={index}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={cx('menu-item', index === active && 'bg-hover')}
              onPointerMove={() => setActive(index)}
              onClick={() => pick(index)}
            >
              <Icon aria-hidden />
              <span className={cx('truncate', entry.key.startsWith('tool:') && 'font-mono text-sm')}>
                {entry.title}
              </span>
              <span className="ml-auto flex-none pl-2 text-xs text-muted">{entry.about}</span>
            </div>
          )
        })}
      </div>
    </div>
  )
}
