/** Commands, outbound hosts and loopback: what the environment sets, and what operators added to it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, asApiError } from '@/api/client'
import {
  type Allowance,
  type AllowanceKind,
  type InstallationFacts,
  installationQuery,
} from '@/api/installation'
import { sentencesOf, useT } from '@/i18n'
import { Button, Dialog, ErrorBox, IconButton, TextField, visible } from '@/ui'
import { DeleteRow, ListingRow } from '../listing'
import { Part } from './parts'

function useAllow(done: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (entry: { kind: AllowanceKind; value: string }) =>
      api.post('/api/operator/allowed', { body: entry }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: installationQuery.queryKey })
      done()
    },
  })
}

function Add({ kind, onClose }: { readonly kind: 'command' | 'host'; readonly onClose: () => void }) {
  const t = useT()
  const [value, setValue] = useState('')
  const save = useAllow(onClose)
  const error = save.error ? asApiError(save.error) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ kind, value })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(`installation.add_${kind}`)}
      size="small"
    >
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={t(kind === 'host' ? 'installation.hosts' : 'installation.commands')}
          mono
          required
          autoFocus
          value={value}
          onChange={setValue}
          hint={t(kind === 'host' ? 'installation.hosts_hint' : 'installation.commands_hint')}
          error={sentencesOf(error?.fields.value) || undefined}
        />
        {error && Object.keys(error.fields).length === 0 ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={save.isPending} disabled={!value.trim()}>
          {t('installation.add')}
        </Button>
      </form>
    </Dialog>
  )
}

function Entry({
  name,
  from,
  children,
}: {
  readonly name: string
  readonly from: string
  readonly children?: ReactNode
}) {
  return (
    <ListingRow>
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 py-1">
        <code className="min-w-0 font-mono text-sm break-all">{visible(name)}</code>
        <span className="text-xs break-words text-muted">{visible(from)}</span>
      </span>
      {children}
    </ListingRow>
  )
}

/** What is listed of a kind; the environment's entries first, and nothing of those can be taken back here. */
function Entries({
  kind,
  fixed,
  entries,
  none,
  add,
}: {
  readonly kind: 'command' | 'host'
  readonly fixed: readonly string[]
  readonly entries: readonly Allowance[]
  readonly none: string
  readonly add: boolean
}) {
  const t = useT()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Allowance | null>(null)
  return (
    <>
      {fixed.length + entries.length === 0 ? (
        <p className="text-sm">{none}</p>
      ) : (
        <ul className="overflow-hidden rounded-md border border-line">
          {fixed.map((name) => (
            <Entry key={name} name={name} from={t('installation.from_environment')} />
          ))}
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              name={entry.value}
              from={
                entry.added_by
                  ? t('installation.from_operator', { who: entry.added_by })
                  : t('installation.from_gone')
              }
            >
              <IconButton
                size="small"
                label={t('installation.remove', { name: visible(entry.value) })}
                onClick={() => setRemoving(entry)}
              >
                <Trash2 />
              </IconButton>
            </Entry>
          ))}
        </ul>
      )}
      {add ? (
        <div>
          <Button icon={<Plus />} onClick={() => setAdding(true)}>
            {t(`installation.add_${kind}`)}
          </Button>
        </div>
      ) : null}
      {adding ? <Add kind={kind} onClose={() => setAdding(false)} /> : null}
      {removing ? (
        <DeleteRow
          title={t('installation.remove_title', { name: visible(removing.value) })}
          text={t('installation.remove_text')}
          action={t('installation.remove_do')}
          list="installation"
          remove={() => api.delete('/api/operator/allowed/{key}', { params: { path: { key: removing.id } } })}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </>
  )
}

function Loopback({ facts }: { readonly facts: InstallationFacts }) {
  const t = useT()
  const client = useQueryClient()
  const { loopback } = facts
  const entry = facts.allowed.find((entry) => entry.kind === 'loopback')
  const allow = useAllow(() => undefined)
  const take = useMutation({
    mutationFn: (key: string) => api.delete('/api/operator/allowed/{key}', { params: { path: { key } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: installationQuery.queryKey }),
  })
  const from = loopback.set
    ? t('installation.from_environment')
    : entry?.added_by && !loopback.default
      ? t('installation.from_operator', { who: visible(entry.added_by) })
      : t('installation.from_default')
  const error = allow.error ?? take.error
  return (
    <>
      <p className="text-sm">
        {t(loopback.allowed ? 'installation.loopback_on' : 'installation.loopback_off')}
        <span className="text-muted">{t('installation.from_note', { from })}</span>
      </p>
      {error ? <ErrorBox error={asApiError(error)} /> : null}
      {loopback.set || loopback.default ? null : (
        <div>
          {entry ? (
            <Button busy={take.isPending} onClick={() => take.mutate(entry.id)}>
              {t('installation.disallow_loopback')}
            </Button>
          ) : (
            <Button busy={allow.isPending} onClick={() => allow.mutate({ kind: 'loopback', value: '' })}>
              {t('installation.allow_loopback')}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

export function Allowed({ facts }: { readonly facts: InstallationFacts }) {
  const t = useT()
  const of = (kind: AllowanceKind) => facts.allowed.filter((entry) => entry.kind === kind)
  return (
    <Part id="allowed" title={t('installation.allowed')} text={t('installation.allowed_text')}>
      <h4 className="section-title pt-2">{t('installation.commands')}</h4>
      {facts.programs.allowed ? (
        <Entries
          kind="command"
          fixed={facts.commands}
          entries={facts.commands.length ? of('command') : []}
          none={t('installation.commands_any')}
          add={facts.commands.length > 0}
        />
      ) : (
        <p className="text-sm">{t('installation.commands_off')}</p>
      )}
      <h4 className="section-title pt-2">{t('installation.hosts')}</h4>
      <p className="text-muted">{t('installation.hosts_text')}</p>
      {facts.proxy ? <p className="text-sm">{t('installation.hosts_proxy')}</p> : null}
      <Entries kind="host" fixed={facts.hosts} entries={of('host')} none={t('installation.hosts_none')} add />
      <h4 className="section-title pt-2">{t('installation.loopback')}</h4>
      <Loopback facts={facts} />
    </Part>
  )
}
