/** Reads a resource or fills a prompt: a field for each argument, what came back, and the messages that went for it. */
import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { completes, useCompletions } from '@/api/completions'
import type { Server } from '@/api/servers'
import { Proposed } from '@/forms/proposals'
import { useT } from '@/i18n'
import type { Call } from '@/registry/mutations'
import { Failed, Views } from '@/registry/tools/TryTool'
import { Content } from '@/results'
import { Button, duration, StatusWord, TextField, visible } from '@/ui'

export interface Argument {
  readonly name: string
  readonly description?: string | null
  readonly required: boolean
}

export interface Given {
  readonly uri?: string
  readonly parts: readonly { readonly role?: string; readonly content: unknown }[]
  readonly ms: number
  readonly messages: Call['messages']
}

/** What is tried: of which server, and what it is called there. */
export interface At {
  readonly server: Server
  readonly of: string
  readonly kind: 'resource' | 'template' | 'prompt'
}

type Values = Readonly<Record<string, string>>

export function Try(props: {
  readonly at: At
  readonly known: readonly Argument[]
  readonly ask: (values: Values) => Promise<Given>
}) {
  const { at, known, ask } = props
  const t = useT()
  const [values, setValues] = useState<Values>({})
  const request = useMutation({ mutationFn: ask })
  const error = request.error ? asApiError(request.error) : null
  const atOnce = known.length === 0
  const { mutate } = request
  const begun = useRef(false)
  useEffect(() => {
    if (!atOnce || begun.current) return
    begun.current = true
    mutate({})
  }, [atOnce, mutate])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(filled(values))
  }
  return (
    <>
      <form className="grid grid-cols-1 gap-3" onSubmit={submit}>
        {known.map((argument) => (
          <Entry
            key={argument.name}
            at={at}
            argument={argument}
            values={values}
            value={values[argument.name] ?? ''}
            error={messageOf(error, argument.name)}
            onChange={(next) => setValues({ ...values, [argument.name]: next })}
          />
        ))}
        <div>
          <Button
            type="submit"
            variant={atOnce ? 'plain' : 'primary'}
            icon={<Play />}
            busy={request.isPending}
          >
            {at.kind === 'prompt'
              ? t('contents.get_prompt')
              : t(atOnce ? 'contents.read_again' : 'contents.read')}
          </Button>
        </div>
      </form>
      {error ? <Failed error={error} /> : null}
      {request.data && !error ? <Answer content={request.data} /> : null}
    </>
  )
}

/** Without what was left empty: a template counts that as not given. */
const filled = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

const messageOf = (error: ApiError | null, name: string): string | undefined =>
  error?.fields[`arguments.${name}`]?.[0]

function Entry(props: {
  readonly at: At
  readonly values: Values
  readonly argument: Argument
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  const { at, values, argument, value, error, onChange } = props
  const t = useT()
  const [inside, setInside] = useState(false)
  const { [argument.name]: _own, ...others } = filled(values)
  const kind = at.kind === 'prompt' ? 'prompt' : 'template'
  const completion = { kind, of: at.of, argument: argument.name, value, others } as const
  const proposals = useCompletions(at.server.id, completion, inside && completes(at.server))
  return (
    <Proposed
      label={t('contents.proposals', { name: argument.name })}
      values={proposals}
      inside={inside}
      onInside={setInside}
      onPick={onChange}
    >
      <TextField
        label={visible(argument.name)}
        required={argument.required}
        autoComplete="off"
        value={value}
        error={error}
        hint={argument.description ? visible(argument.description) : undefined}
        onChange={onChange}
      />
    </Proposed>
  )
}

function Answer({ content: { uri, parts, ms, messages } }: { readonly content: Given }) {
  const t = useT()
  const head = (
    <>
      <StatusWord status="succeeded">{t('contents.given')}</StatusWord>
      <span className="text-xs text-muted tabular-nums">{duration(ms)}</span>
    </>
  )
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2" role="status">
      {uri ? <p className="font-mono text-xs break-all text-muted">{visible(uri)}</p> : null}
      <Views head={head} messages={messages}>
        <div className="grid min-w-0 grid-cols-1 gap-3">
          {parts.length === 0 ? <p className="text-muted">{t('contents.empty')}</p> : null}
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the answer
            <div key={index} className="min-w-0">
              {part.role ? <p className="text-xs font-semibold text-muted">{part.role}</p> : null}
              <Content content={[part.content]} maxHeight={360} />
            </div>
          ))}
        </div>
      </Views>
    </div>
  )
}
