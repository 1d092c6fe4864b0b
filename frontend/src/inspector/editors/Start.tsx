/** What a run asks for: the start node's inputs as rows a person understands, or as the JSON Schema they are. */
import { ArrowUp, ChevronDown, ChevronRight, Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isRecord, SchemaForm, same } from '@/forms'
import { useT } from '@/i18n'
import { fromText, toText } from '@/inspector/values/value-text'
import { Button, IconButton, Segmented, Select, Switch, TextArea, TextField } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../node-form'
import { Choices } from './Choices'
import { FileKind } from './FileKind'
import { useFocusAdded } from './focus-added'
import {
  INPUT_TYPES,
  type InputType,
  moveInput,
  propertiesOf,
  removeInput,
  renameInput,
  requiredOf,
  schemaOfType,
  setRequired,
  typeOfInput,
  withInput,
} from './inputs'
import { freeName } from './Rows'

type Schema = Record<string, unknown>

export function StartConfig() {
  const t = useT()
  const form = useNodeForm()
  return (
    <SchemaField
      label={t('inspector.inputs')}
      hint={t('inspector.inputs_hint')}
      errors={useFieldErrors(['inputs'])}
      empty={t('inspector.no_inputs')}
      value={isRecord(form.node.config.inputs) ? form.node.config.inputs : {}}
      disabled={form.disabled}
      idPrefix={`${form.node.id}-inputs`}
      files
      onChange={(next, place) => form.edit.config(['inputs'], next, [place])}
    />
  )
}

export interface SchemaFieldProps {
  label: string
  hint?: string | undefined
  errors: readonly string[]
  empty?: string
  value: Schema
  disabled: boolean
  idPrefix: string
  aside?: ReactNode
  /** Whether people fill it in, who can give files. */
  files?: boolean
  /** `place` names what was edited, for merging into one undo step. */
  onChange: (schema: Schema, place: string) => void
}

/** An object schema, edited as rows of fields or as the JSON that it is. */
export function SchemaField(props: SchemaFieldProps) {
  const { label, hint, errors, empty, value, disabled, idPrefix, aside, files, onChange } = props
  const t = useT()
  const [raw, setRaw] = useState(false)
  return (
    <FieldFrame
      label={label}
      hint={hint}
      errors={errors}
      aside={
        <>
          <Segmented
            small
            label={t('inspector.schema_view')}
            value={raw ? 'raw' : 'fields'}
            options={[
              { value: 'fields', label: t('inspector.as_fields') },
              { value: 'raw', label: t('inspector.as_schema') },
            ]}
            onChange={(next) => setRaw(next === 'raw')}
          />
          {aside}
        </>
      }
    >
      {raw ? (
        <SchemaForm
          schema={ANYTHING}
          value={value}
          disabled={disabled}
          idPrefix={idPrefix}
          onChange={(next) => onChange(isRecord(next) ? next : { type: 'object', properties: {} }, 'raw')}
        />
      ) : (
        <InputsBuilder
          schema={value}
          disabled={disabled}
          files={files ?? false}
          {...(empty !== undefined && { empty })}
          onChange={onChange}
        />
      )}
    </FieldFrame>
  )
}

const ANYTHING = {}

export interface InputsBuilderProps {
  schema: Schema
  /** `place` names what was edited, for merging into one undo step. */
  onChange: (schema: Schema, place: string) => void
  disabled: boolean
  /** What is said when there is none. */
  empty?: string
  /** Whether people fill it in, who can give files. */
  files: boolean
}

export function InputsBuilder({ schema, onChange, disabled, empty, files }: InputsBuilderProps) {
  const t = useT()
  const properties = propertiesOf(schema)
  const names = Object.keys(properties)
  const [open, setOpen] = useState<string>()
  const { stack, adding } = useFocusAdded(names.length)
  return (
    <div className="inspector-stack" ref={stack}>
      {names.length === 0 && empty ? <p className="field-hint">{empty}</p> : null}
      {names.map((name, index) => (
        <InputRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is edited here
          key={index}
          n={index + 1}
          name={name}
          schema={schema}
          disabled={disabled}
          files={files}
          open={open === name}
          onOpen={(next) => setOpen(next ? name : undefined)}
          onRenamed={(next) => setOpen((was) => (was === name ? next : was))}
          onChange={onChange}
        />
      ))}
      {disabled ? null : (
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden />}
            onClick={() => {
              adding()
              onChange(
                withInput(schema, freeName(properties, 'input'), schemaOfType('text')),
                `+${names.length}`,
              )
            }}
          >
            {t('inspector.add_input')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface InputRowProps extends Omit<InputsBuilderProps, 'empty'> {
  n: number
  name: string
  open: boolean
  onOpen: (open: boolean) => void
  onRenamed: (name: string) => void
}

function InputRow({ n, name, schema, open, disabled, files, onOpen, onRenamed, onChange }: InputRowProps) {
  const t = useT()
  const own = propertiesOf(schema)[name]
  const property = isRecord(own) ? own : {}
  const type = typeOfInput(property)
  const [draft, setDraft] = useState<string>()
  const rename = (text: string) => {
    if (text !== name && (text === '' || Object.hasOwn(propertiesOf(schema), text))) return setDraft(text)
    setDraft(undefined)
    if (text === name) return
    onChange(renameInput(schema, name, text), 'name')
    onRenamed(text)
  }
  const offered = INPUT_TYPES.filter((text) => files || text !== 'file' || text === type)
  const typeOptions = offered.map((text) => ({ value: text as string, label: t(`inspector.type_${text}`) }))
  return (
    <div className="inspector-input">
      <div className="inspector-row">
        <TextField
          mono
          aria-label={t('inspector.input_name', { n })}
          value={draft ?? name}
          disabled={disabled}
          error={
            draft === undefined
              ? undefined
              : draft === ''
                ? t('inspector.name_empty')
                : t('inspector.name_taken')
          }
          onChange={rename}
          onBlur={() => setDraft(undefined)}
        />
        <Select
          aria-label={t('inspector.input_type', { name })}
          value={type}
          disabled={disabled}
          options={
            type === 'other'
              ? [...typeOptions, { value: 'other', label: t('inspector.type_other') }]
              : typeOptions
          }
          onChange={(next) =>
            onChange(
              withInput(schema, name, { ...words(property), ...schemaOfType(next as InputType) }),
              `type:${name}`,
            )
          }
        />
        <IconButton
          size="small"
          label={t('inspector.input_details', { name })}
          aria-expanded={open}
          onClick={() => onOpen(!open)}
        >
          {open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        </IconButton>
      </div>
      {open ? <InputDetails {...{ n, name, schema, property, type, disabled, onChange }} /> : null}
    </div>
  )
}

/** What stays when the type changes. */
function words({ title, description }: Schema): Schema {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

interface DetailsProps extends Omit<InputsBuilderProps, 'empty' | 'files'> {
  n: number
  name: string
  property: Schema
  type: InputType | 'other'
}

function InputDetails({ n, name, schema, property, type, disabled, onChange }: DetailsProps) {
  const t = useT()
  const set = (key: string, value: unknown) => {
    const { [key]: _before, ...rest } = property
    onChange(
      withInput(schema, name, value === undefined || value === '' ? rest : { ...rest, [key]: value }),
      `${key}:${name}`,
    )
  }
  const text = (key: string) => (typeof property[key] === 'string' ? property[key] : '')
  return (
    <div className="inspector-input-details">
      <Switch
        checked={requiredOf(schema).includes(name)}
        disabled={disabled}
        label={t('common.required')}
        aria-label={t('inspector.input_required', { name })}
        onChange={(next) => onChange(setRequired(schema, name, next), `required:${name}`)}
      />
      <TextField
        label={t('inspector.input_label')}
        value={text('title')}
        disabled={disabled}
        onChange={(next) => set('title', next)}
      />
      <TextArea
        label={t('inspector.input_description')}
        value={text('description')}
        disabled={disabled}
        rows={2}
        onChange={(next) => set('description', next)}
      />
      {type === 'choice' ? (
        <Choices
          choices={Array.isArray(property.enum) ? property.enum : []}
          disabled={disabled}
          onChange={(next) => set('enum', next)}
        />
      ) : null}
      {type === 'other' ? (
        <SchemaForm
          schema={ANYTHING}
          value={property}
          disabled={disabled}
          idPrefix={`input-${name}`}
          onChange={(next) => onChange(withInput(schema, name, isRecord(next) ? next : {}), `raw:${name}`)}
        />
      ) : type === 'file' ? (
        <FileKind accept={text('x-accept')} disabled={disabled} onChange={(next) => set('x-accept', next)} />
      ) : (
        <DefaultEntry
          value={property.default}
          disabled={disabled}
          text={type === 'text' || type === 'long_text' || type === 'choice' || type === 'date'}
          onChange={(next) => set('default', next)}
        />
      )}
      {disabled ? null : (
        <div className="form-row">
          {n > 1 ? (
            <Button
              size="small"
              icon={<ArrowUp aria-hidden />}
              onClick={() => onChange(moveInput(schema, name, -1), `move:${name}`)}
            >
              {t('inspector.move_input_up', { name })}
            </Button>
          ) : null}
          <Button
            size="small"
            variant="danger"
            icon={<X aria-hidden />}
            onClick={() => onChange(removeInput(schema, name), `-${name}`)}
          >
            {t('inspector.remove_input', { name })}
          </Button>
        </div>
      )}
    </div>
  )
}

function DefaultEntry({
  value,
  text,
  disabled,
  onChange,
}: {
  value: unknown
  text: boolean
  disabled: boolean
  onChange: (value: unknown) => void
}) {
  const t = useT()
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const shown =
    text && typeof value === 'string' ? value : typed && same(typed.value, value) ? typed.text : toText(value)
  return (
    <TextField
      label={t('inspector.input_default')}
      value={shown}
      disabled={disabled}
      onChange={(next) => {
        const meant = text ? (next === '' ? undefined : next) : fromText(next)
        setTyped({ text: next, value: meant })
        onChange(meant)
      }}
    />
  )
}
