/** What happens when a step fails or takes too long: the same for every type of node. */
import { useState } from 'react'
import type { GraphNode, OnError } from '@/graph/types'
import { useT } from '@/i18n'
import { useNodeForm } from '@/inspector/node-form'
import { Select, Switch, TextField } from '@/ui'

/** Types for which none of this means anything. */
const WITHOUT: readonly string[] = ['start', 'end']

export function Settings({ errors }: { errors: Readonly<Record<string, readonly string[]>> }) {
  const t = useT()
  const { node, edit, disabled } = useNodeForm()
  if (node.type === 'start') return null
  return (
    <>
      {WITHOUT.includes(node.type) ? null : (
        <div className="inspector-pair">
          <Select<OnError>
            label={t('inspector.when_it_fails')}
            value={node.on_error ?? 'fail'}
            disabled={disabled}
            error={errors['/on_error']?.[0]}
            options={[
              { value: 'fail', label: t('inspector.on_fail') },
              { value: 'continue', label: t('inspector.on_continue') },
              { value: 'port', label: t('inspector.on_port') },
            ]}
            onChange={(next) =>
              edit.node({ on_error: next === 'fail' ? undefined : next } as Partial<GraphNode>)
            }
          />
          <RetrySelect />
          <Timeout error={errors['/timeout_s']?.[0]} />
          <div className="field">
            <span className="field-label">{t('inspector.disabled')}</span>
            <Switch
              checked={node.disabled === true}
              disabled={disabled}
              aria-label={t('inspector.disabled')}
              data-tip={t('inspector.disabled_hint')}
              onChange={(next) => edit.node({ disabled: next || undefined } as Partial<GraphNode>, 'disable')}
            />
          </div>
        </div>
      )}
    </>
  )
}

const TIMES = [1, 2, 3, 5]

function RetrySelect() {
  const t = useT()
  const { node, edit, disabled } = useNodeForm()
  const retry = node.retry
  const seconds = retry?.delay_s ?? 1
  const value = retry === undefined ? 'default' : String(retry.max)
  const words = (n: number, s: number) =>
    n === 0 ? t('inspector.retry_none') : t('inspector.retry_times', { n, s })
  const options = [
    { value: 'default', label: t('inspector.retry_default') },
    ...[0, ...TIMES].map((n) => ({
      value: String(n),
      label: words(n, retry && retry.max === n ? seconds : 1),
    })),
  ]
  if (!options.some((option) => option.value === value))
    options.push({ value, label: words(retry?.max ?? 0, seconds) })
  return (
    <Select
      label={t('inspector.retry')}
      value={value}
      options={options}
      disabled={disabled}
      onChange={(next) =>
        edit.node({
          retry: next === 'default' ? undefined : { ...retry, max: Number(next) },
        } as Partial<GraphNode>)
      }
    />
  )
}

function Timeout({ error }: { error: string | undefined }) {
  const t = useT()
  const { node, edit, disabled } = useNodeForm()
  const [typed, setTyped] = useState<string>()
  const stored = node.timeout_s === undefined || node.timeout_s === null ? '' : String(node.timeout_s)
  const shown =
    typed !== undefined && (Number(typed) || undefined) === (node.timeout_s ?? undefined) ? typed : stored
  return (
    <TextField
      label={t('inspector.timeout')}
      type={t('forms.timeout_type')}
      inputMode="decimal"
      value={shown}
      disabled={disabled}
      error={error}
      data-tip={t('inspector.timeout_hint')}
      placeholder={t('common.none')}
      onChange={(next) => {
        const seconds = Number(next)
        if (next.trim() !== '' && !(seconds > 0 && Number.isFinite(seconds))) return
        setTyped(next)
        edit.node({ timeout_s: next.trim() === '' ? undefined : seconds } as Partial<GraphNode>)
      }}
    />
  )
}
