/**
 * A choice among more than a list shows at once: what is typed is looked for by the server, page by page.
 *
 * It stands beside the kit's index and is imported by its path, so that only pages with such a choice load it.
 */
import { Check, ChevronDown, Search } from 'lucide-react'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { Field, type FieldProps } from '@/ui/controls/field'
import { More } from '@/ui/controls/more'
import { cx } from '@/ui/cx'
import { Popover } from './popover'

export interface Choice {
  readonly value: string
  readonly label: string
  /** Choices of one kind stand together under its name. */
  readonly group?: string
}

/** What is offered for the words typed so far. `more` = the next page, absent at the end. */
export interface Choices {
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly options: readonly Choice[]
  readonly busy: boolean
  readonly more: (() => void) | undefined
  /** The next page did not come. */
  readonly failed: boolean
}

export interface SearchSelectProps extends FieldProps {
  readonly value: string
  /** What the control shows. */
  readonly shown: string
  readonly onChange: (value: string) => void
  readonly choices: Choices
  /** The choice of nothing, first in the list while nothing is looked for. */
  readonly nothing?: string
  readonly onOpenChange?: (open: boolean) => void
  readonly disabled?: boolean
  readonly 'aria-label'?: string
}

export function SearchSelect(props: SearchSelectProps) {
  const { value, shown, onChange, choices, nothing, onOpenChange, disabled, ...field } = props
  const { 'aria-label': name, ...frame } = field
  const [open, setOpen] = useState(false)
  const turn = (next: boolean) => {
    setOpen(next)
    onOpenChange?.(next)
    if (next) choices.onSearch('')
  }
  const offered = nothing !== undefined && choices.search === '' ? [{ value: '', label: nothing }] : []
  const label = name ?? (typeof frame.label === 'string' ? frame.label : undefined)
  return (
    <Field {...frame}>
      {(ids) => (
        <Popover
          open={open}
          onOpenChange={turn}
          {...(label === undefined ? {} : { label })}
          className="w-64 p-0"
          trigger={
            <button
              type="button"
              {...ids}
              disabled={disabled}
              aria-label={label === undefined ? undefined : `${label}: ${shown}`}
              className="input w-full min-w-0 cursor-pointer text-left"
            >
              <span className="min-w-0 flex-1 truncate">{shown}</span>
              <ChevronDown aria-hidden />
            </button>
          }
        >
          <SearchList
            label={label}
            value={value}
            choices={{ ...choices, options: [...offered, ...choices.options] }}
            onPick={(next) => {
              turn(false)
              if (next !== value) onChange(next)
            }}
          />
        </Popover>
      )}
    </Field>
  )
}

export interface SearchMenuProps {
  readonly label: string
  /** One element: a Button. */
  readonly trigger: ReactNode
  readonly choices: Choices
  readonly onPick: (value: string) => void
  readonly onOpenChange: (open: boolean) => void
}

/** A menu of more than it shows at once, under a button. */
export function SearchMenu({ label, trigger, choices, onPick, onOpenChange }: SearchMenuProps) {
  const [open, setOpen] = useState(false)
  const turn = (next: boolean) => {
    setOpen(next)
    onOpenChange(next)
    if (next) choices.onSearch('')
  }
  return (
    <Popover
      open={open}
      onOpenChange={turn}
      label={label}
      align="start"
      className="w-72 p-0"
      trigger={trigger}
    >
      <SearchList
        label={label}
        value=""
        choices={choices}
        onPick={(value) => {
          turn(false)
          onPick(value)
        }}
      />
    </Popover>
  )
}

interface SearchListProps {
  readonly label: string | undefined
  readonly value: string
  readonly choices: Choices
  readonly onPick: (value: string) => void
}

/** The field and the list below it: arrows move, Enter chooses. */
function SearchList({ label, value, choices, onPick }: SearchListProps) {
  const t = useT()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const { search, onSearch, options, busy, more, failed } = choices
  const [active, setActive] = useState(0)
  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView?.({ block: 'nearest' })
  }, [active])
  const keys = (event: KeyboardEvent) => {
    const last = options.length - 1
    if (event.key === 'ArrowDown') setActive(active >= last ? 0 : active + 1)
    else if (event.key === 'ArrowUp') setActive(active <= 0 ? last : active - 1)
    else if (event.key === 'Enter') {
      const chosen = options[active]
      if (chosen) onPick(chosen.value)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex max-h-80 flex-col">
      <div className="border-b border-line p-1.5">
        <div className="input">
          <Search aria-hidden />
          <input
            role="combobox"
            aria-expanded
            aria-controls={id}
            aria-activedescendant={options[active] ? `${id}-${active}` : undefined}
            aria-label={t('common.search')}
            placeholder={t('common.search')}
            value={search}
            onChange={(event) => {
              onSearch(event.target.value)
              setActive(0)
            }}
            onKeyDown={keys}
          />
        </div>
      </div>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={label}
        aria-busy={busy}
        className="min-h-0 flex-1 overflow-auto p-1"
      >
        {options.map((option, index) => (
          <Fragment key={option.value}>
            {option.group !== undefined && option.group !== options[index - 1]?.group ? (
              <div className="menu-label" role="presentation">
                {option.group}
              </div>
            ) : null}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves in the field above */}
            <div
              id={`${id}-${index}`}
              data-index={index}
              role="option"
              tabIndex={-1}
              aria-selected={option.value === value}
              className={cx('menu-item', index === active && 'bg-hover')}
              onPointerMove={() => setActive(index)}
              onClick={() => onPick(option.value)}
            >
              <span className="min-w-0 flex-1 truncate">{option.label}</span>
              {option.value === value ? <Check aria-hidden /> : null}
            </div>
          </Fragment>
        ))}
        {options.length === 0 && !busy ? (
          <p className="px-2 py-3 text-sm text-muted">{t('common.no_match')}</p>
        ) : null}
        {more ? <More busy={busy} failed={failed} load={more} /> : null}
      </div>
    </div>
  )
}
