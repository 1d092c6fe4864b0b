/** Hosts to which requests of workflows go unasked, though an expression gives them; an admin sets them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { sentencesOf, useT } from '@/i18n'
import { Button, ErrorBox, LoadFailed, Skeleton, TextArea } from '@/ui'

const KEY = ['team', 'current']

export function RequestHosts() {
  const t = useT()
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => api.get('/api/teams/current') })
  return (
    <section className="grid gap-2" aria-labelledby="request-hosts">
      <h3 id="request-hosts">{t('http.hosts')}</h3>
      <p className="text-muted">{t('http.hosts_text')}</p>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {data ? <Hosts key={data.request_hosts.join('\n')} hosts={data.request_hosts} /> : null}
      {data || error ? null : <Skeleton rows={1} />}
    </section>
  )
}

function Hosts({ hosts }: { readonly hosts: readonly string[] }) {
  const t = useT()
  const admin = useMay('admin')
  const client = useQueryClient()
  const [text, setText] = useState(hosts.join('\n'))
  const wanted = text.split(/[\s,]+/).filter(Boolean)
  const save = useMutation({
    mutationFn: () => api.patch('/api/teams/current', { body: { request_hosts: wanted } }),
    onSuccess: (team) => client.setQueryData(KEY, team),
  })
  const error = save.error ? asApiError(save.error) : null
  const [field, sentences] = Object.entries(error?.fields ?? {})[0] ?? []
  const wrong = field === undefined ? undefined : wanted[Number(field.split('.')[1])]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="grid max-w-120 justify-items-start gap-2" onSubmit={submit}>
      <TextArea
        className="w-full"
        label={t('http.hosts_label')}
        hint={t('http.hosts_hint')}
        mono
        rows={3}
        value={text}
        disabled={!admin}
        placeholder="api.example.org"
        error={sentences ? [wrong, sentencesOf(sentences)].filter(Boolean).join(': ') : undefined}
        onChange={setText}
      />
      {error && !sentences ? <ErrorBox error={error} /> : null}
      {admin ? (
        <Button type="submit" disabled={wanted.join('\n') === hosts.join('\n')} busy={save.isPending}>
          {t('common.save')}
        </Button>
      ) : null}
    </form>
  )
}
