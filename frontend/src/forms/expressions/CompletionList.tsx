/** The list of what may be written at the caret: left of the field over the canvas, or below it where no room is. */
import { Braces, Calendar, Filter, Hash, List, ToggleLeft, Type } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Shape } from '@/forms/schema/schema'
import { type Key, useT } from '@/i18n'
import { Kbd } from '@/ui'
import { type Choice, type Completion, glimpse } from './completion'
import { suits } from './Preview'

export interface CompletionListProps {
  anchor: HTMLElement
  id: string
  completion: Completion
  selected: number
  owner: string | undefined
  expected: Shape | undefined
  onPick: (choice: Choice) => void
  onSelect: (index: number) => void
}

const WIDTH = 396
const ICONS: Record<string, typeof Type> = {
  string: Type,
  number: Hash,
  integer: Hash,
  boolean: ToggleLeft,
  array: List,
  object: Braces,
}

export function CompletionList(props: CompletionListProps) {
  const { anchor, id, completion, selected, owner, expected, onPick, onSelect } = props
  const t = useT()
  const place = usePlace(anchor, completion)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-index="${selected}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const words = {
    items: (n: number) => t('common.tree_items', { n }),
    fields: (n: number) => t('common.tree_fields', { n }),
  }
  const current = completion.choices[selected]
  const title =
    completion.kind === 'filter'
      ? t('forms.filters')
      : owner
        ? t('forms.upstream_of', { node: owner })
        : t('forms.upstream')
  return createPortal(
    // The editor keeps the focus while the list is clicked.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus where it is
    <div
      className="pop completion"
      style={place}
      onMouseDown={(event) => event.preventDefault()}
      role="presentation"
    >
      <div className="completion-head">
        <span>{title}</span>
        {completion.kind === 'path' ? <span>{t('forms.last_value')}</span> : null}
      </div>
      <div
        ref={list}
        className="completion-list"
        role="listbox"
        id={`${id}-options`}
        aria-label={title}
        tabIndex={-1}
      >
        {completion.choices.map((choice, index) => (
          <Option
            key={choice.label}
            choice={choice}
            id={`${id}-option-${index}`}
            index={index}
            selected={index === selected}
            detail={
              choice.filter
                ? t(`forms.filter_${choice.filter}` as Key as 'forms.filter_default')
                : choice.node?.value === undefined
                  ? ''
                  : glimpse(choice.node.value, words)
            }
            onPick={() => onPick(choice)}
            onHover={() => onSelect(index)}
          />
        ))}
      </div>
      <div className="completion-foot">
        <Kbd>Tab</Kbd> {t('forms.key_insert')}
        {completion.kind === 'path' ? (
          <>
            <Kbd>.</Kbd> {t('forms.key_inside')} <Kbd>|</Kbd> {t('forms.key_filters')}
          </>
        ) : null}
        <span>{current?.kind === 'path' ? fitWords(current, expected, t) : ''}</span>
      </div>
    </div>,
    document.body,
  )
}

function fitWords(choice: Choice, expected: Shape | undefined, t: ReturnType<typeof useT>): string {
  if (!expected || expected.kind === 'any' || choice.node?.value === undefined) return choice.type
  return suits(expected, choice.node.value)
    ? t('forms.fits', { type: choice.type })
    : t('forms.fits_not', { given: choice.type, wanted: expected.type })
}

interface OptionProps {
  choice: Choice
  id: string
  index: number
  selected: boolean
  detail: string
  onPick: () => void
  onHover: () => void
}

function Option({ choice, id, index, selected, detail, onPick, onHover }: OptionProps) {
  const Icon =
    choice.kind === 'filter'
      ? Filter
      : choice.type.includes('date') || choice.label === 'sys.time'
        ? Calendar
        : (ICONS[choice.type.split(/[, ]/)[0] ?? ''] ?? Braces)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the editor's, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      data-index={index}
      className="completion-option"
      title={choice.node?.description}
      onClick={onPick}
      onMouseMove={selected ? undefined : onHover}
    >
      <Icon aria-hidden />
      <span>{choice.label}</span>
      {detail ? <span className="completion-value">{detail}</span> : null}
    </div>
  )
}

/** Left of the panel that holds the field when the screen has room there, else below (or above) the field. */
function usePlace(anchor: HTMLElement, completion: Completion): React.CSSProperties {
  const [place, setPlace] = useState<React.CSSProperties>({ visibility: 'hidden' })
  useLayoutEffect(() => {
    const measure = () => {
      const field = anchor.getBoundingClientRect()
      const edge = anchor.closest('[data-completion-edge]')?.getBoundingClientRect().left ?? 0
      const height = Math.min(240, completion.choices.length * 28) + 62
      if (edge >= WIDTH + 16) {
        setPlace({
          left: edge - WIDTH - 8,
          top: Math.max(8, Math.min(field.top, window.innerHeight - height - 8)),
        })
        return
      }
      const below = field.bottom + 4 + height <= window.innerHeight
      const left = Math.max(8, Math.min(field.left, window.innerWidth - WIDTH - 8))
      setPlace(below ? { left, top: field.bottom + 4 } : { left, top: Math.max(8, field.top - 4 - height) })
    }
    measure()
    window.addEventListener('resize', measure)
    window.addEventListener('scroll', measure, true)
    return () => {
      window.removeEventListener('resize', measure)
      window.removeEventListener('scroll', measure, true)
    }
  }, [anchor, completion])
  return place
}
