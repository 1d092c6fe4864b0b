/** The configuration of a node: an editor of its own where the type has one, else the form of its schema. */
import { type ComponentType, Suspense } from 'react'
import { isRecord, SchemaForm } from '@/forms'
import { useNodeType } from '@/graph/context'
import { loadWords, useT } from '@/i18n'
import { IfConfig, SwitchConfig } from '@/inspector/editors/Conditions'
import { EndConfig, SetVariableConfig, ValuesConfig } from '@/inspector/editors/Rows'
import { InputsBuilder, StartConfig } from '@/inspector/editors/Start'
import { ToolConfig } from '@/inspector/editors/ToolConfig'
import { WaitConfig } from '@/inspector/editors/Wait'
import { configFields, hasWidgets } from '@/inspector/editors/widgets/widgets'
import { FieldFrame, TextEntry, useFieldErrors, useNodeForm } from '@/inspector/node-form'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Callout, Skeleton } from '@/ui'

function TemplateConfig() {
  const t = useT()
  return (
    <TextEntry
      multiline
      label={t('inspector.template')}
      path={['template']}
      value={useNodeForm().node.config.template}
    />
  )
}

function AnswerConfig() {
  const t = useT()
  return (
    <TextEntry
      multiline
      label={t('inspector.answer')}
      path={['text']}
      value={useNodeForm().node.config.text}
      hint={t('inspector.answer_hint')}
    />
  )
}

function MergeConfig() {
  return <ValuesConfig title={useT()('inspector.merge_values')} />
}

/** A question to a person: its words, and the fields they fill in. */
function FormConfig() {
  const t = useT()
  const form = useNodeForm()
  const { config } = form.node
  return (
    <>
      <TextEntry label={t('inspector.question_title')} path={['title']} value={config.title} />
      <TextEntry
        multiline
        label={t('inspector.question_message')}
        path={['message']}
        value={config.message}
      />
      <FieldFrame label={t('inspector.question_fields')} errors={useFieldErrors(['schema'])}>
        <InputsBuilder
          files
          schema={isRecord(config.schema) ? config.schema : {}}
          disabled={form.disabled}
          onChange={(next, place) => form.edit.config(['schema'], next, [place])}
        />
      </FieldFrame>
    </>
  )
}

const WidgetConfig = lazily(async () => ({
  default: (await fetchCode(() => import('@/inspector/editors/widgets/WidgetConfig'))).WidgetConfig,
}))

/** Editors that come with their own words. */
const dataEditor = (name: 'HttpConfig' | 'ListConfig' | 'AggregateConfig') =>
  lazily(async () => {
    const [file] = await Promise.all([fetchCode(() => import('@/inspector/data')), loadWords('http')])
    return { default: file[name] }
  })
const contentsEditor = (name: 'ResourceConfig' | 'PromptConfig') =>
  lazily(async () => {
    const [file] = await Promise.all([fetchCode(() => import('@/inspector/contents')), loadWords('contents')])
    return { default: file[name] }
  })
const CodeConfig = lazily(async () => ({
  default: (await fetchCode(() => import('@/inspector/editors/code/CodeConfig'))).CodeConfig,
}))

const EDITORS: Readonly<Record<string, ComponentType>> = {
  start: StartConfig,
  form: FormConfig,
  end: EndConfig,
  answer: AnswerConfig,
  template: TemplateConfig,
  set_variable: SetVariableConfig,
  code: CodeConfig,
  if: IfConfig,
  switch: SwitchConfig,
  merge: MergeConfig,
  wait: WaitConfig,
  tool: ToolConfig,
  resource: contentsEditor('ResourceConfig'),
  prompt: contentsEditor('PromptConfig'),
  http: dataEditor('HttpConfig'),
  list: dataEditor('ListConfig'),
  aggregate: dataEditor('AggregateConfig'),
}

/** In the place of a form whose code is on its way: whoever gives it the focus waits for it. */
function LateForm() {
  return (
    <div className="contents" data-late>
      <Skeleton rows={4} row={44} />
    </div>
  )
}

const MoreSettings = lazily(async () => ({
  default: (await fetchCode(() => import('@/inspector/editors/widgets/WidgetConfig'))).MoreSettings,
}))

export function ConfigForm() {
  const form = useNodeForm()
  const type = useNodeType(form.node.type)
  const Editor = EDITORS[form.node.type]
  if (!Editor) return <SchemaConfig />
  const schema = isRecord(type?.config_schema) ? type.config_schema : ANYTHING
  return (
    <>
      <Suspense fallback={<LateForm />}>
        <Editor />
      </Suspense>
      {configFields(schema).some((field) => field.advanced) ? (
        <Suspense fallback={null}>
          <MoreSettings key={form.node.id} schema={schema} />
        </Suspense>
      ) : null}
    </>
  )
}

const ANYTHING = { type: 'object' }

function SchemaConfig() {
  const t = useT()
  const form = useNodeForm()
  const { node } = form
  const type = useNodeType(node.type)
  const types = type !== undefined
  const schema = isRecord(type?.config_schema) ? type.config_schema : ANYTHING
  if (hasWidgets(schema))
    return (
      <Suspense fallback={<LateForm />}>
        <WidgetConfig key={node.id} schema={schema} />
      </Suspense>
    )
  return (
    <>
      {types ? null : <Callout tone="waiting">{t('inspector.unknown_type', { type: node.type })}</Callout>}
      <SchemaForm
        key={node.id}
        schema={schema}
        value={node.config}
        labels="titles"
        mode="expression"
        expressions={types ? 'marked' : 'all'}
        scope={form.scope}
        errors={form.errors}
        disabled={form.disabled}
        idPrefix={`${node.id}-config`}
        onChange={(next, path) => form.edit.config([], next ?? {}, path)}
      />
    </>
  )
}
