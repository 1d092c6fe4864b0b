/** Which workflow a node runs, and what it gives it: a list of the published ones, and the form of the chosen one. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asChoices, useWorkflowSearch } from '@/api/choices'
import { fetchWorkflow, versionQuery } from '@/api/workflows'
import { isRecord, member, SchemaForm } from '@/forms'
import { useT } from '@/i18n'
import { SearchSelect } from '@/ui/floating/search-select'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import { below } from '../../problems'
import type { ConfigField } from './widgets'

const ANYTHING = { type: 'object' }
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export function WorkflowSelect() {
  const t = useT()
  const form = useNodeForm()
  const [open, setOpen] = useState(false)
  const results = useWorkflowSearch(true, true)
  const error = useFieldErrors(['workflow'])[0]
  const value = text(form.node.config.workflow)
  const chosen = useChosen(value)
  return (
    <SearchSelect
      label={t('inspector.workflow_called')}
      value={value}
      shown={value === '' ? t('inspector.choose_workflow') : (chosen?.name ?? value)}
      nothing={t('inspector.choose_workflow')}
      choices={asChoices(results, ({ slug, name }) => ({ value: slug, label: name }))}
      onOpenChange={setOpen}
      disabled={form.disabled}
      error={error}
      hint={
        !open && !results.pending && results.search === '' && results.rows.length === 0
          ? t('inspector.no_published')
          : undefined
      }
      onChange={(next) => form.edit.config(['workflow'], next === '' ? undefined : next)}
    />
  )
}

/** The workflow of this slug or id; undefined until it is read, and where there is none. */
const useChosen = (reference: string) =>
  useQuery({
    queryKey: ['workflow', 'called', reference],
    enabled: reference !== '',
    retry: false,
    queryFn: () => fetchWorkflow(reference),
  }).data

/** The schema of what the chosen workflow takes, as its published version (or the one named) says. */
function useInputs(): Record<string, unknown> {
  const { config } = useNodeForm().node
  const slug = text(config.workflow)
  const chosen = useChosen(slug)
  const version = typeof config.version === 'number' ? config.version : chosen?.published_version
  const match = useQuery({
    ...versionQuery(chosen?.id ?? '', version ?? 0),
    enabled: chosen !== undefined && typeof version === 'number',
  }).data
  const nodes = member(match?.graph, 'nodes')
  const start = Array.isArray(nodes)
    ? nodes.find((node) => isRecord(node) && node.type === 'start')
    : undefined
  const schema = member(member(start, 'config'), 'inputs')
  return isRecord(schema) ? { ...ANYTHING, ...schema } : ANYTHING
}

export function WorkflowInputs({ field }: { field: ConfigField }) {
  const form = useNodeForm()
  const schema = useInputs()
  const { node } = form
  const values = node.config[field.name]
  const time = `/${field.name}`
  const errors = Object.fromEntries(
    Object.entries(form.errors)
      .filter(([pointer]) => pointer === time || pointer.startsWith(`${time}/`))
      .map(([pointer, sentences]) => [pointer.slice(time.length), sentences]),
  )
  return (
    <FieldFrame label={text(field.schema.title)} errors={below(form.errors, time)}>
      <SchemaForm
        key={`${node.id} ${text(node.config.workflow)}`}
        schema={schema}
        value={isRecord(values) ? values : {}}
        onChange={(next, path) => form.edit.config([field.name], next ?? {}, path)}
        errors={errors}
        mode="expression"
        scope={form.scope}
        disabled={form.disabled}
        idPrefix={`${node.id}-${field.name}`}
      />
    </FieldFrame>
  )
}
