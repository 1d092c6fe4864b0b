/** Which fields of a node's configuration have a widget of their own, read from the marks in its schema. */
import { isRecord } from '@/forms'

/** Widgets that this page knows how to draw; a field with another mark is drawn by its schema. */
const WIDGETS = [
  'provider',
  'model',
  'fallback',
  'params',
  'messages',
  'tools',
  'tool-search',
  'json-schema',
  'classes',
  'workflow',
  'arguments',
  'prompt',
  'prompts',
] as const
export type Widget = (typeof WIDGETS)[number]

export interface ConfigField {
  name: string
  schema: Record<string, unknown>
  required: boolean
  widget: Widget | undefined
  /** Shown under "More settings" until it is set. */
  advanced: boolean
}

/** The fields of a configuration in the order of its schema. */
export function configFields(schema: unknown): ConfigField[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([name, inner]) => {
    if (!isRecord(inner)) return []
    const mark = inner['x-widget']
    return [
      {
        name,
        schema: inner,
        required: required.includes(name),
        widget: WIDGETS.find((text) => text === mark),
        advanced: inner['x-advanced'] === true,
      },
    ]
  })
}

/** Whether a configuration is drawn field by field instead of as one form. */
export const hasWidgets = (schema: unknown): boolean =>
  configFields(schema).some((field) => field.widget !== undefined || field.advanced)

/** The schema of some of the fields alone, with the definitions that they refer to. */
export function schemaOf(whole: unknown, fields: readonly ConfigField[]): Record<string, unknown> {
  const { $defs, definitions } = isRecord(whole) ? whole : {}
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    required: fields.filter((field) => field.required).map((field) => field.name),
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

/** Fields in the order of the schema, those without a widget that stand side by side in one group. */
export function groups(fields: readonly ConfigField[]): ConfigField[][] {
  const out: ConfigField[][] = []
  for (const field of fields) {
    const last = out.at(-1)
    if (last && field.widget === undefined && last[0]?.widget === undefined) last.push(field)
    else out.push([field])
  }
  return out
}
