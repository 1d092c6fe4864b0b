/** Rows of a name and a value: outputs of an end, variables to set; and lists of values without names. */
import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isRecord } from '@/forms'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm, ValueEntry } from '../node-form'
import { RowButtons } from '../RowButtons'
import { useFocusAdded } from './focus-added'

export function EndConfig() {
  const t = useT()
  return (
    <NodeRows
      at="outputs"
      title={t('inspector.outputs')}
      hint={t('inspector.outputs_hint')}
      add={t('inspector.add_output')}
      base="output"
    />
  )
}

export function SetVariableConfig() {
  const t = useT()
  return (
    <NodeRows
      at="values"
      title={t('inspector.set_values')}
      hint={t('inspector.set_hint')}
      add={t('inspector.add_variable')}
      base="value"
    />
  )
}

export function NodeRows({
  at,
  title,
  hint,
  add,
  base,
}: {
  at: string
  title: string
  hint: string
  add: string
  base: string
}) {
  const form = useNodeForm()
  const errors = useFieldErrors([at])
  const value = form.node.config[at]
  return (
    <FieldFrame label={title} hint={hint} errors={errors}>
      <NamedRows
        value={isRecord(value) ? value : {}}
        onChange={(next, place) => form.edit.config([at], next, [place])}
        disabled={form.disabled}
        add={add}
        base={base}
      />
    </FieldFrame>
  )
}

export interface NamedRowsProps {
  value: Record<string, unknown>
  /** `place` names what was edited, for merging into one undo step. */
  onChange: (value: Record<string, unknown>, place: string) => void
  disabled: boolean
  add: string
  /** What a new row is called. */
  base: string
  extra?: (name: string) => ReactNode
}

/** Names are edited in place and kept in order; a name that is empty or taken waits in its box until it is good. */
export function NamedRows({ value, onChange, disabled, add, base, extra }: NamedRowsProps) {
  const t = useT()
  const [draft, setDraft] = useState<{ name: string; text: string }>()
  const entries = Object.entries(value)
  const { stack, adding } = useFocusAdded(entries.length)
  const rename = (name: string, text: string) => {
    if (text === name) return setDraft(undefined)
    if (text === '' || Object.hasOwn(value, text)) return setDraft({ name, text })
    setDraft(undefined)
    onChange(Object.fromEntries(entries.map(([key, inner]) => [key === name ? text : key, inner])), 'name')
  }
  return (
    <div className="inspector-stack" ref={stack}>
      {entries.map(([name, inner], index) => {
        const mine = draft?.name === name ? draft.text : undefined
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is edited here
          <div key={index} className="inspector-row">
            <div className="input input-mono" data-bad={mine !== undefined}>
              <input
                value={mine ?? name}
                aria-label={t('inspector.row_name', { n: index + 1 })}
                aria-invalid={mine !== undefined || undefined}
                disabled={disabled}
                spellCheck={false}
                onChange={(event) => rename(name, event.target.value)}
                onBlur={() => setDraft(undefined)}
              />
            </div>
            <div className="inspector-row-value">
              <ValueEntry
                label={t('inspector.row_value', { name })}
                value={inner}
                onChange={(next) => onChange({ ...value, [name]: next === undefined ? '' : next }, name)}
              />
              {mine === undefined ? null : (
                <p className="field-error">
                  {mine === '' ? t('inspector.name_empty') : t('inspector.name_taken')}
                </p>
              )}
              {extra?.(name)}
            </div>
            {disabled ? null : (
              <IconButton
                size="small"
                label={t('inspector.remove_row', { name })}
                onClick={() =>
                  onChange(Object.fromEntries(entries.filter(([key]) => key !== name)), `-${name}`)
                }
              >
                <X aria-hidden />
              </IconButton>
            )}
          </div>
        )
      })}
      {disabled ? null : (
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden />}
            onClick={() => {
              adding()
              onChange({ ...value, [freeName(value, base)]: '' }, `+${entries.length}`)
            }}
          >
            {add}
          </Button>
        </div>
      )}
    </div>
  )
}

export function freeName(value: Record<string, unknown>, base: string): string {
  if (!Object.hasOwn(value, base)) return base
  for (let n = 2; ; n++) if (!Object.hasOwn(value, `${base}_${n}`)) return `${base}_${n}`
}

/** The values of a merge (or an aggregate), first to last. */
export function ValuesConfig({ title }: { title: string }) {
  const t = useT()
  const form = useNodeForm()
  const errors = useFieldErrors(['values'])
  const list: readonly unknown[] = Array.isArray(form.node.config.values) ? form.node.config.values : []
  const set = (next: readonly unknown[]) => form.edit.config(['values'], next)
  const { stack, adding } = useFocusAdded(list.length)
  const add = () => {
    adding()
    set([...list, ''])
  }
  return (
    <FieldFrame label={title} errors={errors}>
      <div className="inspector-stack" ref={stack}>
        {list.map((value, index) => {
          const n = index + 1
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: values have no identity but their place
            <div key={index} className="inspector-row inspector-row-plain">
              <div className="inspector-row-value">
                <ValueEntry
                  label={t('inspector.value_n', { n })}
                  value={value}
                  onChange={(next) => form.edit.config(['values', index], next ?? '')}
                />
              </div>
              {form.disabled ? null : (
                <span className="form-aside">
                  <RowButtons
                    list={list}
                    index={index}
                    up={t('inspector.move_value_up', { n })}
                    remove={t('inspector.remove_value', { n })}
                    onChange={set}
                  />
                </span>
              )}
            </div>
          )
        })}
        {form.disabled ? null : (
          <div>
            <Button size="small" icon={<Plus aria-hidden />} onClick={add}>
              {t('inspector.add_value')}
            </Button>
          </div>
        )}
      </div>
    </FieldFrame>
  )
}
