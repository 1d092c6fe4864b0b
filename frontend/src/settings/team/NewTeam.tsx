/** Making a team, of which one is the owner. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { sentencesOf, useT } from '@/i18n'
import { Button, Dialog, ErrorBox, TextField } from '@/ui'

export function NewTeam({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void
  readonly onCreated: (team: { readonly id: string }) => void
}) {
  const t = useT()
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => api.post('/api/teams', { body: { name: name.trim() } }),
    onSuccess: onCreated,
  })
  const error = make.error ? asApiError(make.error) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) make.mutate()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('people.new_team')} size="small">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={t('people.team_name')}
          required
          autoFocus
          maxLength={200}
          value={name}
          onChange={setName}
          error={sentencesOf(error?.fields.name) || undefined}
          hint={t('people.new_team_text')}
        />
        {error && !error.fields.name ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={make.isPending} disabled={!name.trim()}>
          {t('people.make_team')}
        </Button>
      </form>
    </Dialog>
  )
}
