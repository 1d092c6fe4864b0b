/** Several nodes at once: what all of them have can be changed for all, each change one undo step. */
import { useState } from 'react'
import { useGraph, useGraphStore } from '@/graph/context'
import { commonConfig, patchNodes, type Shared, shared } from '@/graph/edit/many'
import type { EditLabel, GraphNode, NodeType, OnError } from '@/graph/types'
import { useT } from '@/i18n'
import { Select, TextField } from '@/ui'

const MIXED = '\u0000mixed'
const WITHOUT: readonly string[] = ['start', 'end']

const choiceOf = (shared: Shared<string> | null): string => (!shared || shared.mixed ? MIXED : shared.value)

interface FieldProps {
  readonly nodes: readonly GraphNode[]
  readonly disabled: boolean
  readonly change: (patch: (node: GraphNode) => Partial<GraphNode>, label?: EditLabel, place?: string) => void
}

/** A choice for all of them; where they differ it says so until one is chosen. */
function Choice({
  label,
  value,
  options,
  disabled,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly { value: string; label: string }[]
  readonly disabled: boolean
  readonly onChange: (value: string) => void
}) {
  const t = useT()
  const mixed = value === MIXED ? [{ value: MIXED, label: t('inspector.many_mixed') }] : []
  return (
    <Select
      label={label}
      value={value}
      disabled={disabled}
      options={[...mixed, ...options]}
      onChange={(next) => {
        if (next !== MIXED) onChange(next)
      }}
    />
  )
}

/** A text or number for all of them, written when the field is left or Enter is pressed. */
function Entry({
  label,
  common,
  disabled,
  number,
  mono,
  onChange,
}: {
  readonly label: string
  readonly common: Shared<unknown> | null
  readonly disabled: boolean
  readonly number?: boolean
  readonly mono?: boolean
  readonly onChange: (text: string) => void
}) {
  const t = useT()
  const mixed = !common || common.mixed
  const stored = mixed || common.value === undefined || common.value === null ? '' : String(common.value)
  const [typed, setTyped] = useState<string>()
  const done = () => {
    if (typed !== undefined && typed !== stored) onChange(typed)
    setTyped(undefined)
  }
  return (
    <TextField
      label={label}
      value={typed ?? stored}
      disabled={disabled}
      mono={mono ?? false}
      {...(number ? { inputMode: 'decimal' as const } : {})}
      placeholder={mixed ? t('inspector.many_mixed') : t('common.none')}
      onChange={setTyped}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) done()
      }}
    />
  )
}

function RunSettings({ nodes, disabled, change }: FieldProps) {
  const t = useT()
  const times = (n: number) => (n === 0 ? t('inspector.retry_none') : t('inspector.retry_times', { n, s: 1 }))
  const retries = ['0', '1', '2', '3', '5']
  const retry = choiceOf(shared(nodes, (node) => (node.retry ? String(node.retry.max) : 'default')))
  const known = retry === MIXED || retry === 'default' || retries.includes(retry)
  return (
    <div className="inspector-pair">
      <Choice
        label={t('inspector.when_it_fails')}
        value={choiceOf(shared(nodes, (node) => node.on_error ?? 'fail'))}
        disabled={disabled}
        options={[
          { value: 'fail', label: t('inspector.on_fail') },
          { value: 'continue', label: t('inspector.on_continue') },
          { value: 'port', label: t('inspector.on_port') },
        ]}
        onChange={(next) =>
          change(() => ({ on_error: next === 'fail' ? undefined : (next as OnError) }) as Partial<GraphNode>)
        }
      />
      <Choice
        label={t('inspector.retry')}
        value={retry}
        disabled={disabled}
        options={[
          { value: 'default', label: t('inspector.retry_default') },
          ...[...retries, ...(known ? [] : [retry])].map((n) => ({ value: n, label: times(Number(n)) })),
        ]}
        onChange={(next) =>
          change(
            (node) =>
              ({
                retry: next === 'default' ? undefined : { ...node.retry, max: Number(next) },
              }) as Partial<GraphNode>,
          )
        }
      />
      <Entry
        label={t('inspector.timeout')}
        number
        common={shared(nodes, (node) => node.timeout_s ?? undefined)}
        disabled={disabled}
        onChange={(text) => {
          const seconds = Number(text)
          if (text.trim() !== '' && !(seconds > 0 && Number.isFinite(seconds))) return
          change(() => ({ timeout_s: text.trim() === '' ? undefined : seconds }) as Partial<GraphNode>)
        }}
      />
      <Choice
        label={t('inspector.disabled')}
        value={choiceOf(shared(nodes, (node) => (node.disabled ? 'off' : 'on')))}
        disabled={disabled}
        options={[
          { value: 'on', label: t('inspector.many_no') },
          { value: 'off', label: t('inspector.many_yes') },
        ]}
        onChange={(next) =>
          change(() => ({ disabled: next === 'off' || undefined }) as Partial<GraphNode>, 'disable')
        }
      />
    </div>
  )
}

function labelOf(type: NodeType | undefined, key: string): string {
  const { properties } = (type?.config_schema ?? {}) as { properties?: Record<string, { title?: string }> }
  return properties?.[key]?.title ?? key
}

/** What all configurations have, such as the model: a text, a number or a switch. */
function ConfigFields({ nodes, disabled, change }: FieldProps) {
  const t = useT()
  const types = useGraph((state) => state.types)
  const type = types.get(nodes[0]?.type ?? '')
  const set = (key: string, value: unknown) =>
    change((node) => ({ config: { ...node.config, [key]: value } }), 'config')
  return commonConfig(nodes).map((key) => {
    const common = shared(nodes, (node) => node.config[key])
    const kind = typeof nodes[0]?.config[key]
    const label = labelOf(type, key)
    if (kind === 'boolean')
      return (
        <Choice
          key={key}
          label={label}
          value={!common || common.mixed ? MIXED : String(common.value)}
          disabled={disabled}
          options={[
            { value: 'true', label: t('inspector.many_yes') },
            { value: 'false', label: t('inspector.many_no') },
          ]}
          onChange={(next) => set(key, next === 'true')}
        />
      )
    return (
      <Entry
        key={key}
        label={label}
        mono
        number={kind === 'number'}
        common={common}
        disabled={disabled}
        onChange={(text) => {
          if (kind !== 'number') set(key, text)
          else if (text.trim() !== '' && Number.isFinite(Number(text))) set(key, Number(text))
        }}
      />
    )
  })
}

export function ManyFields({ readOnly }: { readonly readOnly: boolean }) {
  const t = useT()
  const store = useGraphStore()
  const selected = useGraph((state) => state.selection.nodes)
  const graph = useGraph((state) => state.graph)
  const chosen = new Set(selected)
  const nodes = graph.nodes.filter((node) => chosen.has(node.id) && !WITHOUT.includes(node.type))
  if (nodes.length < 2) return null
  const ids = nodes.map((node) => node.id)
  const props: FieldProps = {
    nodes,
    disabled: readOnly,
    change: (patch, label = 'settings') =>
      void store.getState().commit(label, (now) => patchNodes(now, ids, patch)),
  }
  return (
    <>
      <p className="field-hint">{t('inspector.many_common', { n: nodes.length })}</p>
      <ConfigFields key={`config ${ids.join(' ')}`} {...props} />
      <RunSettings key={ids.join(' ')} {...props} />
    </>
  )
}
