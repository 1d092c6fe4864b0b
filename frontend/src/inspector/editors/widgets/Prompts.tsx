/** The words that a model is told: the built-in ones in the workflow's language, or the node's own in their place. */
import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { isRecord, norm, type Path, read, TemplateInput, write } from '@/forms'
import { useGraph } from '@/graph/context'
import { useLanguage, useT } from '@/i18n'
import { Button, CodeBlock } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import type { ConfigField } from './widgets'

/** All prompts of a node, each folded until it is looked at. */
export function Prompts({ schema, field }: { schema: Record<string, unknown>; field: ConfigField }) {
  const t = useT()
  const shape = norm(field.schema, schema)
  return (
    <FieldFrame label={shape.title ?? field.name} hint={t('inspector.prompts_hint')}>
      <div className="inspector-prompts">
        {shape.fields.map((fieldOf) => (
          <Prompt key={fieldOf.name} path={[field.name, fieldOf.name]} schema={fieldOf.schema} />
        ))}
      </div>
    </FieldFrame>
  )
}

/** One prompt. */
export function Prompt({ path, schema }: { path: Path; schema: unknown }) {
  const t = useT()
  const form = useNodeForm()
  const id = `${useId()}prompt`
  const errors = useFieldErrors(path)
  const [open, setOpen] = useState(false)
  const builtIn = useBuiltIn(schema)
  const title = norm(schema, schema).title ?? String(path.at(-1))
  const own = read(form.node.config, path)
  const replaced = own !== undefined && own !== ''
  const shown = open || errors.length > 0
  const places = [...new Set(builtIn.match(/\{[a-z_]+\}/g) ?? [])].join(' ')
  const set = (text: string | undefined) => {
    const [name = '', ...rest] = path
    const config = rest.length === 0 ? text : write(form.node.config[name] ?? {}, rest, text)
    const nothing = isRecord(config) && Object.keys(config).length === 0
    form.edit.config([name], nothing ? undefined : config, rest)
  }
  return (
    <div className="inspector-prompt">
      <button
        type="button"
        className="inspector-tools-open"
        aria-expanded={shown}
        onClick={() => setOpen(!shown)}
      >
        {shown ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        <span className="inspector-prompt-title">{title}</span>
        <span className="field-type">
          {t(replaced ? 'inspector.prompt_own' : 'inspector.prompt_built_in')}
        </span>
      </button>
      {!shown ? null : replaced ? (
        <div className="inspector-prompt-text">
          <TemplateInput
            id={id}
            label={title}
            value={String(own)}
            onChange={(next) => set(next === '' ? undefined : next)}
            scope={form.scope}
            multiline
            disabled={form.disabled}
            invalid={errors.length > 0}
          />
          {errors.map((error) => (
            <p key={error} className="field-error">
              <TriangleAlert aria-hidden />
              <span>{error}</span>
            </p>
          ))}
          {places === '' ? null : <p className="field-hint">{t('inspector.prompt_places', { places })}</p>}
          {form.disabled ? null : (
            <div>
              <Button size="small" variant="quiet" onClick={() => set(undefined)}>
                {t('inspector.prompt_back')}
              </Button>
            </div>
          )}
        </div>
      ) : (
        <div className="inspector-prompt-text">
          <CodeBlock small copy={false} code={builtIn} label={title} maxHeight={240} />
          {form.disabled ? null : (
            <div>
              <Button size="small" onClick={() => set(builtIn)}>
                {t('inspector.prompt_start')}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  )
}

/** The text that is said where the node says nothing else: in the document's language, else in the reader's. */
function useBuiltIn(schema: unknown): string {
  const named = useGraph((state) => state.graph.language)
  const mine = useLanguage()
  const texts = isRecord(schema) && isRecord(schema['x-texts']) ? schema['x-texts'] : {}
  const text = texts[(named || mine).startsWith('zh') ? 'zh' : 'en']
  return typeof text === 'string' ? text : ''
}
