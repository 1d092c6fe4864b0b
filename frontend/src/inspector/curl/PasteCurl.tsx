/** A curl command becomes the request of the node. It is read here and never run; a secret in it becomes one of the team. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { configOf, nameFor } from '@/graph/curl/config'
import { type Credential, type Curl, type CurlRequest, readCurl } from '@/graph/curl/curl'
import { type Key, listOf, useT } from '@/i18n'
import { useSecrets } from '@/inspector/data/secrets'
import { useNodeForm } from '@/inspector/node-form'
import { Button, Dialog, ErrorBox, Select, TextArea, TextField } from '@/ui'

const NAME = /^[a-z][a-z0-9_]{0,62}$/
const NEW = '+'

/** What becomes of a secret: the name of one, a new one of that name, or nothing yet. */
interface Choice {
  readonly use: string
  readonly name: string
}

export function PasteCurl({ onClose }: { readonly onClose: () => void }) {
  const t = useT()
  const form = useNodeForm()
  const client = useQueryClient()
  const admin = useMay('admin')
  const [text, setText] = useState('')
  const [choices, setChoices] = useState<readonly Choice[]>([])
  const curl = useMemo(() => readCurl(text), [text])
  const { request, credentials } = curl
  const choiceAt = (index: number): Choice =>
    choices[index] ?? { use: admin ? NEW : '', name: request ? nameFor(request.host, index) : '' }
  const choose = (index: number, choice: Choice) =>
    setChoices((now) => credentials.map((_, at) => (at === index ? choice : (now[at] ?? choiceAt(at)))))
  const wrong = credentials.some((_, index) => {
    const { use, name } = choiceAt(index)
    return use === NEW && !NAME.test(name)
  })
  const fill = useMutation({
    mutationFn: async (filled: CurlRequest) => {
      const names: string[] = []
      for (const [index, credential] of credentials.entries()) {
        const { use, name } = choiceAt(index)
        if (use === NEW)
          await api.post('/api/secrets', { body: { name, value: credential.value, hosts: [filled.host] } })
        const stored = use === NEW ? name : use
        names.push(stored)
        choose(index, { use: stored, name }) // where a later one fails, this one is there already
      }
      return configOf(form.node.config, filled, credentials, names)
    },
    onSuccess: (config) => {
      form.edit.config([], config, ['curl'])
      void client.invalidateQueries({ queryKey: ['secret'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (request && !wrong) fill.mutate(request)
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('http.paste_title')} size="wide">
      <form className="grid gap-4" onSubmit={submit}>
        <div className="grid grid-cols-[minmax(0,1fr)_280px] gap-4 phone:grid-cols-1">
          <TextArea
            label={t('http.paste_label')}
            hint={t('http.paste_note')}
            mono
            autoFocus
            rows={10}
            spellCheck={false}
            value={text}
            onChange={setText}
            error={
              text.trim() && curl.failure
                ? t(`http.fail_${curl.failure}` as Key as 'http.fail_url', { about: curl.about })
                : undefined
            }
          />
          <section className="grid content-start gap-3 text-sm" aria-label={t('http.becomes')}>
            <h3>{t('http.becomes')}</h3>
            {request ? <Becomes request={request} /> : null}
            {credentials.map((credential, index) => (
              <SecretChoice
                // biome-ignore lint/suspicious/noArrayIndexKey: secrets of a command have no identity but their place
                key={index}
                credential={credential}
                host={request?.host ?? ''}
                admin={admin}
                choice={choiceAt(index)}
                onChange={(next) => choose(index, next)}
              />
            ))}
            <Notes curl={curl} />
          </section>
        </div>
        {fill.error ? <ErrorBox error={asApiError(fill.error)} /> : null}
        <div className="flex items-center gap-2">
          <span className="flex-1 text-xs text-muted">{t('http.fills')}</span>
          <Button type="button" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" variant="primary" disabled={!request || wrong} busy={fill.isPending}>
            {t('http.fill_in')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Becomes({ request }: { readonly request: CurlRequest }) {
  const t = useT()
  const { method, host, query, headers, bodyType } = request
  const [queries, lines] = [Object.keys(query).length, Object.keys(headers).length]
  const rows: [string, string][] = [
    [t('http.of_method'), method],
    [t('http.of_host'), host],
  ]
  if (queries > 0) rows.push([t('http.of_query'), t('http.values', { n: queries })])
  if (lines > 0) rows.push([t('http.of_headers'), t('http.values', { n: lines })])
  if (bodyType) rows.push([t('http.of_body'), t(`http.body_${bodyType}`)])
  return (
    <dl className="grid grid-cols-[72px_minmax(0,1fr)] gap-x-3 gap-y-1">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="break-all">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface SecretChoiceProps {
  readonly credential: Credential
  readonly host: string
  readonly admin: boolean
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}

function SecretChoice({ credential, host, admin, choice, onChange }: SecretChoiceProps) {
  const t = useT()
  const secrets = useSecrets() ?? []
  const { at } = credential
  const taken = secrets.some((secret) => secret.name === choice.name)
  const fits = NAME.test(choice.name)
  return (
    <div className="grid gap-2 rounded-md border border-line p-3">
      <p className="flex items-start gap-2">
        <Lock aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          {at.kind === 'auth' ? t('http.credential_auth') : t('http.credential_header', { name: at.name })}
        </span>
      </p>
      <Select
        label={t('http.credential_becomes')}
        value={choice.use}
        options={[
          ...(admin ? [{ value: NEW, label: t('http.credential_new') }] : []),
          ...secrets.map(({ name }) => ({ value: name, label: name })),
          { value: '', label: t('http.credential_leave') },
        ]}
        onChange={(use) => onChange({ ...choice, use })}
      />
      {choice.use === NEW ? (
        <TextField
          mono
          label={t('http.credential_name')}
          value={choice.name}
          error={fits ? (taken ? t('inspector.name_taken') : undefined) : t('http.credential_name_wrong')}
          onChange={(name) => onChange({ ...choice, name })}
        />
      ) : null}
      <p className="text-xs text-muted">
        {admin ? t('http.credential_host', { host }) : t('http.credential_admin')}
      </p>
    </div>
  )
}

function Notes({ curl }: { readonly curl: Curl }) {
  const t = useT()
  const { anyway, unknown, files } = curl
  return (
    <>
      {files.length > 0 ? <p>{t('http.files', { files: listOf(files) })}</p> : null}
      {unknown.length > 0 ? <p>{t('http.unknown', { options: listOf(unknown) })}</p> : null}
      {anyway.length > 0 ? (
        <p className="text-muted">{t('http.anyway', { options: listOf(anyway) })}</p>
      ) : null}
    </>
  )
}
