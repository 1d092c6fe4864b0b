/** What the editors of resources and prompts share: which server is asked, the form of the arguments, what went wrong. */
import { isRecord, member, SchemaForm } from '@/forms'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { FieldFrame, useNodeForm } from '@/inspector/node-form'
import { below } from '@/inspector/problems'
import { ErrorBox } from '@/ui'

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The node's server where it is one of the registry, which can be asked; of one in the document nothing is known. */
export function useRegistered(): string {
  const server = text(useNodeForm().node.config.server)
  const declared = useGraph((state) => state.graph.mcp_servers)
  return server === '' || isRecord(member(declared, server)) ? '' : server
}

export interface Argument {
  readonly name: string
  readonly description?: string | null
  readonly required: boolean
}

/** Arguments that are texts, one field for each; `undefined` where it is not known which there are. */
export function Arguments({ of, known }: { of: string; known: readonly Argument[] | undefined }) {
  const t = useT()
  const form = useNodeForm()
  const { node } = form
  const values = node.config.arguments
  const errors = Object.fromEntries(
    Object.entries(form.errors)
      .filter(([pointer]) => pointer.startsWith('/arguments/'))
      .map(([pointer, sentences]) => [pointer.slice('/arguments'.length), sentences]),
  )
  return (
    <FieldFrame label={t('contents.arguments')} errors={below(form.errors, '/arguments')}>
      <SchemaForm
        key={`${node.id} ${of}`}
        schema={schemaOf(known)}
        value={isRecord(values) ? values : {}}
        onChange={(next, path) => form.edit.config(['arguments'], next ?? {}, path)}
        errors={errors}
        mode="expression"
        scope={form.scope}
        disabled={form.disabled}
        idPrefix={`${node.id}-arguments`}
      />
    </FieldFrame>
  )
}

function schemaOf(known: readonly Argument[] | undefined): Record<string, unknown> {
  if (known === undefined) return { type: 'object' }
  return {
    type: 'object',
    properties: Object.fromEntries(
      known.map(({ name, description }) => [
        name,
        { type: 'string', ...(description ? { description } : {}) },
      ]),
    ),
    required: known.filter((argument) => argument.required).map((argument) => argument.name),
    additionalProperties: false,
  }
}

/** That the server could not be asked; what is written already can be edited all the same. */
export function NotAsked({ error }: { error: unknown }) {
  const t = useT()
  if (!(error instanceof Error)) return null
  return <ErrorBox tone="waiting" error={{ code: '', message: t('contents.failed'), hint: error.message }} />
}
