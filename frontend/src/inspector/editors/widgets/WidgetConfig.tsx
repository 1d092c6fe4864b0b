/** The configuration of nodes that use models and tools: fields with widgets, and what is rarely set folded away. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { SchemaForm } from '@/forms'
import { useT } from '@/i18n'
import { useNodeForm } from '../../node-form'
import { below } from '../../problems'
import { Classes } from './Classes'
import { Messages } from './Messages'
import { FallbackModel, ModelSelect, ProviderSelect } from './Model'
import { Params } from './Params'
import { Prompt, Prompts } from './Prompts'
import { SchemaEntry } from './SchemaEntry'
import { ToolSearch } from './ToolSearch'
import { Tools } from './Tools'
import { WorkflowInputs, WorkflowSelect } from './WorkflowCall'
import { type ConfigField, configFields, groups, schemaOf } from './widgets'

export function WidgetConfig({ schema }: { schema: Record<string, unknown> }) {
  const fields = configFields(schema)
  return (
    <>
      <Fields schema={schema} fields={fields.filter((field) => !field.advanced)} />
      <More schema={schema} fields={fields.filter((field) => field.advanced)} />
    </>
  )
}

/** What is rarely set, for nodes whose other fields have an editor of their own. */
export function MoreSettings({ schema }: { schema: Record<string, unknown> }) {
  return <More schema={schema} fields={configFields(schema).filter((field) => field.advanced)} />
}

/** Folded unless something in it is wrong; says how many of its fields are set. */
function More({ schema, fields }: { schema: Record<string, unknown>; fields: readonly ConfigField[] }) {
  const t = useT()
  const form = useNodeForm()
  const wrong = fields.some((field) => below(form.errors, `/${field.name}`).length > 0)
  const [open, setOpen] = useState(false)
  if (fields.length === 0) return null
  const shown = open || wrong
  const set = fields.filter((field) => form.node.config[field.name] !== undefined).length
  return (
    <div className="inspector-more">
      <button
        type="button"
        className="inspector-more-head"
        aria-expanded={shown}
        onClick={() => setOpen(!shown)}
      >
        {shown ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        <span>{t('inspector.more_settings')}</span>
        {set > 0 ? <span className="field-type">{t('inspector.set_n', { n: set })}</span> : null}
      </button>
      {shown ? (
        <div className="inspector-more-body">
          <Fields schema={schema} fields={fields} />
        </div>
      ) : null}
    </div>
  )
}

function Fields({ schema, fields }: { schema: Record<string, unknown>; fields: readonly ConfigField[] }) {
  const hasBoth = (['provider', 'model'] as const).every((widget) =>
    fields.some((field) => field.widget === widget),
  )
  return groups(fields).map((group) => {
    const [first] = group
    if (!first) return null
    if (first.widget === undefined) return <Plain key={first.name} schema={schema} fields={group} />
    if (hasBoth && first.widget === 'model') return null
    if (hasBoth && first.widget === 'provider')
      return (
        <div key={first.name} className="inspector-pair">
          <ProviderSelect />
          <ModelSelect />
        </div>
      )
    return <WidgetField key={first.name} schema={schema} field={first} />
  })
}

function WidgetField({ schema, field }: { schema: Record<string, unknown>; field: ConfigField }) {
  switch (field.widget) {
    case 'provider':
      return <ProviderSelect />
    case 'model':
      return <ModelSelect />
    case 'fallback':
      return <FallbackModel field={field} />
    case 'params':
      return <Params field={field} />
    case 'messages':
      return <Messages field={field} />
    case 'tools':
      return <Tools field={field} />
    case 'tool-search':
      return <ToolSearch field={field} />
    case 'json-schema':
      return <SchemaEntry field={field} />
    case 'classes':
      return <Classes field={field} />
    case 'workflow':
      return <WorkflowSelect />
    case 'arguments':
      return <WorkflowInputs field={field} />
    case 'prompt':
      return <Prompt path={[field.name]} schema={field.schema} />
    case 'prompts':
      return <Prompts schema={schema} field={field} />
    default:
      return null
  }
}

/** Fields without a widget, drawn from their schemas. */
function Plain({ schema, fields }: { schema: Record<string, unknown>; fields: readonly ConfigField[] }) {
  const form = useNodeForm()
  const { node } = form
  const names = fields.map((field) => field.name)
  const value = Object.fromEntries(
    names.filter((name) => node.config[name] !== undefined).map((name) => [name, node.config[name]]),
  )
  return (
    <SchemaForm
      key={`${node.id} ${names.join(' ')}`}
      schema={schemaOf(schema, fields)}
      value={value}
      labels="titles"
      mode="expression"
      expressions="marked"
      scope={form.scope}
      errors={form.errors}
      disabled={form.disabled}
      idPrefix={`${node.id}-config`}
      onChange={(next, path) => {
        const [name = ''] = path
        const all = (next ?? {}) as Record<string, unknown>
        form.edit.config([name], all[name], path.slice(1))
      }}
    />
  )
}
