/** Code and values to read: wells, copying, JSON as a tree. */
import { Check, ChevronDown, ChevronRight, Copy } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, useState } from 'react'
import { useT } from '@/i18n'
import { IconButton } from '@/ui/controls/button'
import { cx } from '@/ui/cx'
import { toast } from '@/ui/floating/toast'
import { visible } from './visible'

/** Copies a text and shows that it did. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useT()
  const [done, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return toast.error(t('common.copy_failed'))
    }
    setDone(true)
    window.setTimeout(() => setDone(false), 1500)
  }
  return (
    <IconButton label={done ? t('common.copied') : (label ?? t('common.copy'))} size="small" onClick={copy}>
      {done ? <Check /> : <Copy />}
    </IconButton>
  )
}

/** Code in a well. Scrolls inside `maxHeight` px. */
export function CodeBlock({
  code,
  small,
  copy = true,
  maxHeight,
  label,
}: {
  readonly code: string
  readonly small?: boolean
  readonly copy?: boolean
  readonly maxHeight?: number
  readonly label?: string
}) {
  return (
    <figure className="relative m-0 min-w-0" aria-label={label}>
      <pre
        className={cx('well overflow-auto', small && 'well-small', copy && 'pr-9 phone:min-h-10 phone:pr-11')}
        style={{ maxHeight }}
        tabIndex={maxHeight ? 0 : undefined}
      >
        {visible(code)}
      </pre>
      {copy ? (
        <div className="absolute top-1 right-1 rounded-md bg-well phone:top-px phone:right-px">
          <CopyButton text={code} />
        </div>
      ) : null}
    </figure>
  )
}

type Path = readonly (string | number)[]

export interface JsonTreeProps {
  readonly value: unknown
  /** The name of the root row; without it the children stand at the top. */
  readonly name?: string
  /** How many levels start open. */
  readonly open?: number
  /** More attributes per row, for dragging a value out by its path. */
  readonly row?: (path: Path, value: unknown) => HTMLAttributes<HTMLElement>
  /** What stands for a value that means something as a whole; undefined for those that do not. */
  readonly whole?: (value: unknown) => ReactNode | undefined
}

const FIRST = 100

const preview = (value: unknown): string => {
  if (typeof value === 'string')
    return visible(JSON.stringify(value.length > 300 ? `${value.slice(0, 300)}…` : value))
  return JSON.stringify(value) ?? 'null'
}

function Branch({
  name,
  value,
  path,
  open,
  row,
  whole,
}: {
  name: string | number
  value: unknown
  path: Path
  open: number
  row: JsonTreeProps['row']
  whole: JsonTreeProps['whole']
}) {
  const t = useT()
  const [shown, setShown] = useState(open > 0)
  const indent = { paddingLeft: 8 + Math.max(0, path.length - 1) * 16 }
  const drawn = whole?.(value)
  if (drawn !== undefined) {
    return (
      <div className="tree-row" style={indent} {...row?.(path, value)}>
        <span className="w-3 shrink-0" />
        <span className="tree-name">{name}</span>
        {drawn}
      </div>
    )
  }
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="tree-row" style={indent} {...row?.(path, value)}>
        <span className="w-3 shrink-0" />
        <span className="tree-name">{name}</span>
        <span
          className="tree-value"
          data-tip={typeof value === 'string' && value.length > 40 ? value.slice(0, 500) : undefined}
        >
          {preview(value)}
        </span>
      </div>
    )
  }
  const count = Array.isArray(value) ? value.length : Object.keys(value).length
  return (
    <>
      <button
        type="button"
        className="tree-row"
        style={indent}
        aria-expanded={shown}
        onClick={() => setShown(!shown)}
        {...row?.(path, value)}
      >
        {shown ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        <span className="tree-name">{name}</span>
        <span className="tree-value">
          {Array.isArray(value)
            ? t('common.tree_items', { n: count })
            : t('common.tree_fields', { n: count })}
        </span>
      </button>
      {shown ? <Children value={value} path={path} open={open - 1} row={row} whole={whole} /> : null}
    </>
  )
}

function Children({
  value,
  path,
  open,
  row,
  whole,
}: {
  value: object
  path: Path
  open: number
  row: JsonTreeProps['row']
  whole: JsonTreeProps['whole']
}): ReactNode {
  const t = useT()
  const [limit, setLimit] = useState(FIRST)
  const all: readonly [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value)
  return (
    <>
      {all.slice(0, limit).map(([key, item]) => (
        <Branch key={key} name={key} value={item} path={[...path, key]} open={open} row={row} whole={whole} />
      ))}
      {all.length > limit ? (
        <button
          type="button"
          className="tree-row text-accent"
          style={{ paddingLeft: 26 + path.length * 16 }}
          onClick={() => setLimit(limit + FIRST * 5)}
        >
          {t('common.show_all', { n: all.length - limit })}
        </button>
      ) : null}
    </>
  )
}

/** Any JSON value as rows that unfold; long lists come in pieces. */
export function JsonTree({ value, name, open = 2, row, whole }: JsonTreeProps) {
  if (name !== undefined || typeof value !== 'object' || value === null) {
    return (
      <div className="tree">
        <Branch name={name ?? ''} value={value} path={[]} open={open} row={row} whole={whole} />
      </div>
    )
  }
  return (
    <div className="tree">
      <Children value={value} path={[]} open={open} row={row} whole={whole} />
    </div>
  )
}
