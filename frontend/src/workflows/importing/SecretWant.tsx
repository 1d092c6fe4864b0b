/** A secret that the document names: the team's own by that name, or entered here. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { listOf, useT } from '@/i18n'
import { Button, ErrorBox, PasswordField } from '@/ui'
import type { Report } from './report'
import { Note } from './Wants'

interface Props {
  readonly want: Report['wants']['secrets'][number]
  /** Where it may be sent. */
  readonly hosts: readonly string[]
  readonly onEntered: () => void
}

export function SecretWant({ want, hosts, onEntered }: Props) {
  const t = useT()
  const may = useMay('admin')
  const [entering, setEntering] = useState(false)
  if (entering && !want.match) return <Entry want={want} hosts={hosts} onEntered={onEntered} />
  return (
    <div className="import-want-line">
      <span className="truncate font-mono text-xs">{want.name}</span>
      {want.match ? (
        <Note tone="ok" text={t('importing.yours')} />
      ) : (
        <>
          <span className="text-muted">{may ? t('importing.missing') : t('importing.secret_admin')}</span>
          {may ? (
            <Button
              size="small"
              aria-label={t('importing.enter_named', { name: want.name })}
              onClick={() => setEntering(true)}
            >
              {t('importing.enter')}
            </Button>
          ) : null}
        </>
      )}
    </div>
  )
}

function Entry({ want, hosts, onEntered }: Props) {
  const t = useT()
  const [value, setValue] = useState('')
  const entering = useMutation({
    mutationFn: () => api.post('/api/secrets', { body: { name: want.name, value, hosts: [...hosts] } }),
    onSuccess: onEntered,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value) entering.mutate()
  }
  return (
    <form className="grid gap-2" onSubmit={submit}>
      <PasswordField
        autoFocus
        autoComplete="off"
        label={t('importing.secret_value', { name: want.name })}
        value={value}
        onChange={setValue}
        hint={
          hosts.length > 0
            ? t('importing.secret_hosts', { hosts: listOf(hosts) })
            : t('importing.secret_no_hosts')
        }
      />
      {entering.error ? <ErrorBox error={asApiError(entering.error)} /> : null}
      <Button type="submit" size="small" className="w-fit" busy={entering.isPending} disabled={!value}>
        {t('common.save')}
      </Button>
    </form>
  )
}
