/** The lines of the report: J and K go from one to the next, Enter opens what has to be chosen. */
import { CircleCheck, PencilLine, SquareDashed, TriangleAlert } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { ChooseTool } from './ChooseTool'
import type { Choosing, LineState, Row } from './report'

export const STATE_ICONS = {
  choose: TriangleAlert,
  left: SquareDashed,
  changed: PencilLine,
  mapped: CircleCheck,
} as const satisfies Record<LineState, unknown>

/** Keys are for what one types in there. */
const typing = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select') !== null

export function Lines({ rows, choosing }: { rows: readonly Row[]; choosing: Choosing }) {
  const t = useT()
  const body = useRef<HTMLTableSectionElement>(null)
  const [open, setOpen] = useState<string | null>(null)
  const [current, setCurrent] = useState<string | null>(null)
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === current),
  )
  const focused = useFocusKept(body, rows[at]?.key, rows)
  const go = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!row) return
    setCurrent(row.key)
    body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.key)}"]`)?.focus()
  }
  const pressed = (event: KeyboardEvent) => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    const by = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key]
    const row = rows[at]
    if (by) go(document.activeElement?.closest('[data-row]') ? at + by : at)
    else if (event.key === 'Enter' && row?.want && !(event.target instanceof HTMLButtonElement)) {
      setOpen(open === row.key ? null : row.key)
    } else return
    event.preventDefault()
  }
  if (rows.length === 0) return <p className="flex-1 px-4 py-3 text-muted">{t('importing.none_shown')}</p>
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the rows inside, which take the focus
    <div className="import-table" onKeyDown={pressed}>
      <table className="table" aria-label={t('importing.lines')}>
        <thead>
          <tr>
            <th className="w-[22%]">{t('importing.col_title')}</th>
            <th className="w-[19%]">{t('importing.col_type')}</th>
            <th className="w-[23%]">{t('importing.col_becomes')}</th>
            <th className="w-24">{t('importing.col_state')}</th>
            <th>{t('importing.col_why')}</th>
          </tr>
        </thead>
        <tbody ref={body} {...focused}>
          {rows.map((row, index) => (
            <LineRow
              key={row.key}
              row={row}
              current={index === at}
              open={open === row.key}
              onCurrent={() => setCurrent(row.key)}
              onOpen={(next) => {
                setOpen(next ? row.key : null)
                if (!next) go(index)
              }}
              choosing={choosing}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A row that moves because it was answered loses the focus; it gets it back. */
function useFocusKept(body: RefObject<HTMLElement | null>, key: string | undefined, rows: readonly Row[]) {
  const inside = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the rows that move
  useLayoutEffect(() => {
    const lost =
      document.activeElement === document.body || document.activeElement instanceof HTMLDialogElement
    if (!inside.current || !lost || key === undefined) return
    body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`)?.focus()
  }, [rows, key, body])
  return {
    onFocus: () => {
      inside.current = true
    },
    onBlur: (event: FocusEvent) => {
      const to = event.relatedTarget
      if (to instanceof Node && !body.current?.contains(to)) inside.current = false
    },
  }
}

interface LineProps {
  readonly row: Row
  readonly current: boolean
  readonly open: boolean
  readonly onCurrent: () => void
  readonly onOpen: (open: boolean) => void
  readonly choosing: Choosing
}

function LineRow({ row, current, open, onCurrent, onOpen, choosing }: LineProps) {
  const t = useT()
  const { line, lines, want } = row
  const Icon = STATE_ICONS[line.state]
  const name = lines.length > 1 && want ? want.name : line.title
  return (
    <>
      <tr
        data-row={row.key}
        data-state={line.state}
        tabIndex={current ? 0 : -1}
        aria-selected={open}
        onFocus={onCurrent}
      >
        <td className="font-medium">
          <span className="truncate">{name}</span>
          {lines.length > 1 ? (
            <span className="pl-1 text-muted">{t('importing.times', { n: lines.length })}</span>
          ) : null}
        </td>
        <td className="truncate font-mono text-xs text-muted">{line.type}</td>
        <td>
          {want ? (
            <button
              type="button"
              className="link max-w-full truncate"
              tabIndex={-1}
              aria-expanded={open}
              onClick={() => onOpen(!open)}
            >
              {line.becomes === 'tool' ? line.becomes : t('importing.choose_tool')}
            </button>
          ) : line.becomes === 'placeholder' ? (
            t('importing.placeholder')
          ) : (
            line.becomes
          )}
        </td>
        <td>
          <span className="import-state" data-state={line.state}>
            <Icon aria-hidden />
            {t(`importing.state_${line.state}`)}
          </span>
        </td>
        <td className="import-why" title={line.why}>
          {line.why}
        </td>
      </tr>
      {open && want ? (
        <tr className="import-open">
          <td colSpan={5}>
            <ChooseTool want={want} lines={lines} choosing={choosing} onDone={() => onOpen(false)} />
          </td>
        </tr>
      ) : null}
    </>
  )
}
