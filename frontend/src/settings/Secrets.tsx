/** The team's secrets: written, never read back; each may go to the hosts it names and nowhere else. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { components } from '@/api/schema'
import { sentencesOf, useT } from '@/i18n'
import { Button, Chip, Dialog, ErrorBox, IconButton, RelativeTime, TextArea, TextField } from '@/ui'
import { DeleteRow, Listing, ListingRow } from './listing'

type Secret = components['schemas']['Secret']

const hostsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** A new secret, or a new value or new hosts of one. */
function Edit({ secret, onClose }: { secret: Secret | null; onClose: () => void }) {
  const t = useT()
  const client = useQueryClient()
  const [name, setName] = useState(secret?.name ?? '')
  const [value, setValue] = useState('')
  const [hosts, setHosts] = useState(secret?.hosts.join('\n') ?? '')
  const save = useMutation({
    mutationFn: () =>
      secret
        ? api.patch('/api/secrets/{name}', {
            params: { path: { name: secret.name } },
            body: { ...(value ? { value } : {}), hosts: hostsOf(hosts) },
          })
        : api.post('/api/secrets', { body: { name: name.trim(), value, hosts: hostsOf(hosts) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['secret'] })
      onClose()
    },
  })
  const error = save.error ? asApiError(save.error) : null
  const of = (field: string) =>
    sentencesOf(
      Object.entries(error?.fields ?? {})
        .filter(([key]) => key === field || key.startsWith(`${field}.`))
        .flatMap(([, texts]) => texts),
    ) || undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const incomplete = secret ? false : !name.trim() || !value
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={secret ? t('settings.edit_secret', { name: secret.name }) : t('settings.new_secret')}
      size="small"
    >
      <form className="grid gap-4" onSubmit={submit}>
        {secret ? null : (
          <TextField
            label={t('common.name')}
            mono
            required
            autoFocus
            value={name}
            onChange={setName}
            hint={t('settings.secret_name_hint')}
            error={of('name')}
          />
        )}
        <TextField
          label={t('settings.secret_value')}
          mono
          inputType="password"
          autoComplete="new-password"
          required={!secret}
          value={value}
          onChange={setValue}
          placeholder={secret ? t('settings.secret_kept', { hint: secret.hint }) : ''}
          error={of('value')}
        />
        <TextArea
          label={t('settings.secret_hosts')}
          mono
          rows={2}
          value={hosts}
          onChange={setHosts}
          placeholder="api.example.org"
          hint={t('settings.secret_hosts_hint')}
          error={of('hosts')}
        />
        {error && Object.keys(error.fields).length === 0 ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={save.isPending} disabled={incomplete}>
          {t('common.save')}
        </Button>
      </form>
    </Dialog>
  )
}

export function Secrets() {
  const t = useT()
  const admin = useMay('admin')
  const { data, error, refetch } = useQuery({ queryKey: ['secret'], queryFn: () => api.get('/api/secrets') })
  const [editing, setEditing] = useState<Secret | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Secret | null>(null)
  const blocked = admin ? undefined : t('settings.admins_only')
  return (
    <>
      <Listing
        intro={t('settings.secrets_text')}
        rows={data?.results}
        error={error}
        refetch={refetch}
        empty={{ title: t('settings.no_secrets'), text: t('settings.no_secrets_text') }}
        add={{ label: t('settings.new_secret'), blocked, onClick: () => setEditing('new') }}
        row={(secret) => (
          <ListingRow key={secret.name} wraps>
            <span className="flex min-w-0 items-baseline gap-x-2 small:flex-[1_1_112px] phone:flex-wrap">
              <code className="min-w-0 truncate font-mono text-sm phone:break-all phone:whitespace-normal">{`\${secret:${secret.name}}`}</code>
              <code className="flex-none font-mono text-xs text-muted">{secret.hint}</code>
            </span>
            <span className="ml-auto flex flex-wrap justify-end gap-1 small:order-last small:basis-full small:items-center small:justify-start">
              {secret.hosts.length === 0 ? <Chip>{t('settings.no_hosts')}</Chip> : null}
              {secret.hosts.map((host) => (
                <Chip key={host} mono>
                  {host}
                </Chip>
              ))}
            </span>
            <span className="text-xs whitespace-nowrap text-muted phone:hidden">
              <RelativeTime value={secret.updated_at} />
            </span>
            <IconButton
              label={t('settings.edit_secret', { name: secret.name })}
              blocked={blocked}
              onClick={() => setEditing(secret)}
            >
              <Pencil />
            </IconButton>
            <IconButton
              label={t('settings.delete_secret', { name: secret.name })}
              blocked={blocked}
              onClick={() => setDeleting(secret)}
            >
              <Trash2 />
            </IconButton>
          </ListingRow>
        )}
      />
      {editing ? <Edit secret={editing === 'new' ? null : editing} onClose={() => setEditing(null)} /> : null}
      {deleting ? (
        <DeleteRow
          title={t('settings.delete_secret', { name: deleting.name })}
          text={t('settings.delete_secret_text')}
          list="secret"
          remove={() => api.delete('/api/secrets/{name}', { params: { path: { name: deleting.name } } })}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </>
  )
}
