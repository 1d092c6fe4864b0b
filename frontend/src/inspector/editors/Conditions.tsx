/** Conditions of "if" and "switch": a value, a comparison, and what it is compared with. */
import { Plus, X } from 'lucide-react'
import { isRecord, type Path, without } from '@/forms'
import { type Key, useT } from '@/i18n'
import { Button, IconButton, Select, TextField } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm, ValueEntry } from '../node-form'
import { RowButtons } from '../RowButtons'

const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'ge',
  'lt',
  'le',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
  'empty',
  'not_empty',
  'is_true',
  'matches',
] as const
type Operator = (typeof OPERATORS)[number]
/** These look at one value only. */
const ALONE: readonly string[] = ['empty', 'not_empty', 'is_true']

export function IfConfig() {
  return <Conditions path={[]} holder={useNodeForm().node.config} />
}

const EMPTY: Record<string, unknown> = { left: '', op: 'eq', right: '' }

interface ConditionsProps {
  path: Path
  holder: Record<string, unknown>
  /** What the list is called in `holder`. */
  at?: string
}

/** `match` and the conditions of `holder`, which stands at `path`. Where there is none yet, the first can be filled in. */
export function Conditions({ path, holder, at = 'conditions' }: ConditionsProps) {
  const t = useT()
  const form = useNodeForm()
  const conditions = holder[at]
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : []
  const offered = list.length === 0 && !form.disabled
  const set = (next: readonly unknown[]) => form.edit.config([...path, at], next)
  const errors = useFieldErrors([...path, at])
  return (
    <div className="inspector-stack">
      {list.length > 1 ? (
        <Select
          label={t(path.length > 0 ? 'inspector.match_case' : 'inspector.match')}
          value={holder.match === 'any' ? 'any' : 'all'}
          disabled={form.disabled}
          options={[
            { value: 'all', label: t('inspector.match_all') },
            { value: 'any', label: t('inspector.match_any') },
          ]}
          onChange={(next) => form.edit.config([...path, 'match'], next)}
        />
      ) : null}
      {(offered ? [EMPTY] : list).map((condition, index) => (
        <Condition
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their place
          key={index}
          n={index + 1}
          path={[...path, at, index]}
          condition={isRecord(condition) ? condition : {}}
          {...(offered ? {} : { onRemove: () => set(without(list, index)) })}
        />
      ))}
      {list.length === 0 && errors[0] ? <p className="field-error">{errors[0]}</p> : null}
      {form.disabled || offered ? null : (
        <div>
          <Button size="small" icon={<Plus aria-hidden />} onClick={() => set([...list, EMPTY])}>
            {t('inspector.add_condition')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ConditionProps {
  n: number
  path: Path
  condition: Record<string, unknown>
  /** Absent where nothing is there yet. */
  onRemove?: () => void
}

function Condition({ n, path, condition, onRemove }: ConditionProps) {
  const t = useT()
  const form = useNodeForm()
  const errors = useFieldErrors(path)
  const set = (key: 'left' | 'right', next: unknown) =>
    form.edit.config(path, { ...condition, [key]: next ?? '' }, [key])
  const op = typeof condition.op === 'string' ? condition.op : 'eq'
  const known = (OPERATORS as readonly string[]).includes(op)
  const options = OPERATORS.map((text) => ({
    value: text as string,
    label: t(`inspector.op_${text}` as Key as 'inspector.op_eq'),
  }))
  return (
    <FieldFrame
      label={t('inspector.condition', { n })}
      errors={errors}
      aside={
        form.disabled || !onRemove ? null : (
          <IconButton size="small" label={t('inspector.remove_condition', { n })} onClick={onRemove}>
            <X aria-hidden />
          </IconButton>
        )
      }
    >
      <div className="inspector-condition">
        <ValueEntry
          label={t('inspector.left')}
          value={condition.left}
          onChange={(next) => set('left', next)}
          invalid={errors.length > 0}
        />
        <Select
          aria-label={t('inspector.operator')}
          value={op}
          disabled={form.disabled}
          options={known ? options : [...options, { value: op, label: op }]}
          onChange={(next) => form.edit.config(path, changed(condition, next as Operator))}
        />
        {ALONE.includes(op) ? null : (
          <ValueEntry
            label={t('inspector.right')}
            value={condition.right}
            onChange={(next) => set('right', next)}
          />
        )}
      </div>
    </FieldFrame>
  )
}

function changed(condition: Record<string, unknown>, op: Operator): Record<string, unknown> {
  const { right, ...rest } = condition
  return ALONE.includes(op) ? { ...rest, op } : { ...rest, op, right: right ?? '' }
}

/** The cases of a switch, tried in order; each is a port. */
export function SwitchConfig() {
  const t = useT()
  const form = useNodeForm()
  const list: readonly unknown[] = Array.isArray(form.node.config.cases) ? form.node.config.cases : []
  const ids = list.map((entry) => (isRecord(entry) && typeof entry.id === 'string' ? entry.id : ''))
  const set = (next: readonly unknown[]) => form.edit.config(['cases'], next)
  return (
    <div className="inspector-stack">
      {list.map((entry, index) => {
        const holder = isRecord(entry) ? entry : {}
        const id = ids[index] ?? ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the id is what is edited here
          <fieldset key={index} className="inspector-case" aria-label={t('inspector.case', { n: index + 1 })}>
            <TextField
              mono
              label={t('inspector.case_id', { n: index + 1 })}
              value={id}
              disabled={form.disabled}
              error={ids.indexOf(id) !== index ? t('inspector.case_taken') : undefined}
              onChange={(next) => form.edit.config(['cases', index, 'id'], next)}
              aside={
                form.disabled ? undefined : (
                  <RowButtons
                    list={list}
                    index={index}
                    up={t('inspector.case_move_up', { id })}
                    remove={t('inspector.remove_case', { id })}
                    onChange={set}
                  />
                )
              }
            />
            <Conditions path={['cases', index]} holder={holder} />
          </fieldset>
        )
      })}
      {form.disabled ? null : (
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden />}
            onClick={() =>
              set([
                ...list,
                { id: freeCase(ids), match: 'all', conditions: [{ left: '', op: 'eq', right: '' }] },
              ])
            }
          >
            {t('inspector.add_case')}
          </Button>
        </div>
      )}
      <p className="field-hint">{t('inspector.default_port')}</p>
    </div>
  )
}

function freeCase(ids: readonly string[]): string {
  for (let n = ids.length + 1; ; n++) if (!ids.includes(`case_${n}`)) return `case_${n}`
}
