/** How the inputs of the workflow are filled: by name, or by values with expressions. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fetchWorkflow } from '@/api/workflows'
import { useT } from '@/i18n'
import { Field, Segmented } from '@/ui'
import { type Row, row } from './draft'
import type { FormPart } from './fields'
import { RowsField, useInputWords } from './RowsField'

interface StartNode {
  readonly type?: string
  readonly config?: { readonly inputs?: { readonly properties?: object } }
}

/** The names of the inputs that a workflow's start node has; of the draft, which is what there is to read. */
function useInputNames(workflow: string): readonly string[] | undefined {
  const { data } = useQuery({
    queryKey: ['workflow', 'input-names', workflow],
    enabled: workflow !== '',
    queryFn: async () => {
      const { nodes = [] } = (await fetchWorkflow(workflow)).draft.graph as { nodes?: readonly StartNode[] }
      return Object.keys(nodes.find((node) => node.type === 'start')?.config?.inputs?.properties ?? {})
    },
  })
  return data
}

export function InputFields({
  kind,
  draft,
  change,
  errorOf,
  badInputs,
  workflow,
}: FormPart & { readonly workflow: string }) {
  const t = useT()
  const words = useInputWords()
  const names = useInputNames(workflow)
  // the names that are there to be filled stand ready
  const waiting = (rows: readonly Row[]) =>
    rows.length > 0
      ? rows
      : (names ?? []).map((name) => row(name, kind === 'webhook' ? `{{ request.body.${name} }}` : ''))
  // whoever was quicker than the names gets them as they come
  const [quicker, setQuicker] = useState(false)
  useEffect(() => {
    if (!quicker || !names) return
    setQuicker(false)
    if (!draft.byName) change({ inputs: waiting(draft.inputs) })
  })
  const shown = new Set(draft.byName ? [] : draft.inputs.map(({ name }) => name.trim()))
  const others = badInputs.filter((name) => !shown.has(name)).map((name) => `config.inputs.${name}`)
  const loose = others.map((key) => `${key.slice('config.inputs.'.length)}: ${errorOf(key)}`).join(' ')
  const error = loose || (badInputs.length === 0 ? errorOf('config.inputs') : undefined)
  return (
    <Field label={t('triggers.inputs')} error={error}>
      {() => (
        <div className="grid grid-cols-1 gap-2">
          {kind === 'schedule' ? null : (
            <div>
              <Segmented
                small
                label={t('triggers.inputs_way')}
                value={draft.byName ? 'name' : 'rows'}
                onChange={(way) => {
                  setQuicker(way === 'rows' && !names)
                  change({
                    byName: way === 'name',
                    inputs: way === 'name' ? draft.inputs : waiting(draft.inputs),
                  })
                }}
                options={[
                  { value: 'name', label: t('triggers.by_name') },
                  { value: 'rows', label: t('triggers.expressions') },
                ]}
              />
            </div>
          )}
          {draft.byName ? (
            <p className="text-sm text-muted">{t('triggers.by_name_text')}</p>
          ) : (
            <RowsField
              hint={kind === 'chat' || kind === 'page' ? undefined : t(`triggers.inputs_${kind}`)}
              rows={draft.inputs}
              words={words}
              errorOf={(name) => errorOf(`config.inputs.${name}`)}
              onChange={(inputs) => change({ inputs })}
            />
          )}
        </div>
      )}
    </Field>
  )
}
