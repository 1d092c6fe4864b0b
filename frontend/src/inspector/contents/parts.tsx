/** What the editors of resources and prompts share: which server is asked, the form of the arguments, what went wrong. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { completes, useCompletions } from '@/api/completions'
import { serversQuery } from '@/api/servers'
import { isRecord, member, SchemaForm } from '@/forms'
import { Proposed } from '@/forms/proposals'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { FieldFrame, TextEntry, useNodeForm } from '@/inspector/node-form'
import { below } from '@/inspector/problems'
import { ErrorBox, visible } from '@/ui'

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

interface ArgumentsProps {
  readonly kind: 'prompt' | 'template'
  /** The prompt's name, or the template. */
  readonly of: string
  /** `undefined` where it is not known which there are. */
  readonly known: readonly Argument[] | undefined
}

/** Arguments that are texts, one field for each, with what the server proposes. */
export function Arguments({ kind, of, known }: ArgumentsProps) {
  const t = useT()
  const { errors, node } = useNodeForm()
  const names = isRecord(node.config.arguments) ? Object.keys(node.config.arguments) : []
  // what it does not take stands there too, so that it can be taken away
  if (known === undefined || names.some((name) => !known.some((argument) => argument.name === name)))
    return <AnyArguments of={of} />
  return (
    <FieldFrame label={t('contents.arguments')} errors={errors['/arguments'] ?? []}>
      <div className="grid grid-cols-1 gap-3">
        {known.map((argument) => (
          <Entry key={`${of} ${argument.name}`} kind={kind} of={of} argument={argument} />
        ))}
      </div>
    </FieldFrame>
  )
}

function Entry({ kind, of, argument }: Omit<ArgumentsProps, 'known'> & { argument: Argument }) {
  const t = useT()
  const form = useNodeForm()
  const [inside, setInside] = useState(false)
  const server = useRegistered()
  const { data } = useQuery(serversQuery)
  const row = data?.find(({ id, slug }) => slug === server || id === server)
  const { name, description, required } = argument
  const all = isRecord(form.node.config.arguments) ? form.node.config.arguments : {}
  const value = member(all, name)
  const others = Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[0] !== name && written(pair[1])),
  )
  const plain = value === undefined || written(value)
  const request = { kind, of, argument: name, value: text(value), others }
  const values = useCompletions(server, request, inside && plain && !form.disabled && completes(row))
  const hint = [required ? t('contents.required') : '', visible(description ?? '')]
    .filter(Boolean)
    .join(' · ')
  return (
    <Proposed
      label={t('contents.proposals', { name })}
      values={values}
      inside={inside}
      onInside={setInside}
      onPick={(next) => form.edit.config(['arguments', name], next)}
    >
      <TextEntry label={visible(name)} path={['arguments', name]} value={value} {...(hint ? { hint } : {})} />
    </Proposed>
  )
}

/** Whether it is a text that stands as it is: what an expression gives is known only in a run. */
const written = (value: unknown): value is string => typeof value === 'string' && !value.includes('{{')

/** Arguments of which nothing is known, by name. */
function AnyArguments({ of }: { of: string }) {
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
        schema={{ type: 'object' }}
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

/** That the server could not be asked; what is written already can be edited all the same. */
export function RequestFailed({ error }: { error: unknown }) {
  const t = useT()
  if (!(error instanceof Error)) return null
  return <ErrorBox tone="waiting" error={{ code: '', message: t('contents.failed'), hint: error.message }} />
}
