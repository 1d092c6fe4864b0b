/** The ends: leaving the team, and deleting it with everything in it. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMe } from '@/api/queries'
import { enterTeam } from '@/api/session'
import { useT } from '@/i18n'
import { Button, Confirm, ErrorBox, TextField } from '@/ui'
import { DepartureForm } from './DepartureForm'

function DeleteTeam({ onClose }: { onClose: () => void }) {
  const t = useT()
  const { team } = useMe()
  const [typed, setTyped] = useState('')
  const deletion = useMutation({
    mutationFn: () => api.delete('/api/teams/current', { params: { query: { name: typed } } }),
    onSuccess: () => enterTeam(null),
  })
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('people.delete_team_title', { team: team.name })}
      action={t('people.delete_team')}
      busy={deletion.isPending}
      disabled={typed !== team.name}
      onConfirm={() => deletion.mutate()}
    >
      <div className="grid gap-3">
        <p>{t('people.delete_team_text')}</p>
        <TextField label={t('people.type_name', { name: team.name })} value={typed} onChange={setTyped} />
        {deletion.error ? <ErrorBox error={asApiError(deletion.error)} /> : null}
      </div>
    </Confirm>
  )
}

export function Leaving() {
  const t = useT()
  const me = useMe()
  const [asking, setAsking] = useState<'leave' | 'delete' | null>(null)
  const { data: owners } = useQuery({
    queryKey: ['member', 'owners'],
    queryFn: () => api.get('/api/teams/members', { params: { query: { role: 'owner', limit: 2 } } }),
  })
  const owner = me.team.role === 'owner'
  const close = () => setAsking(null)
  return (
    <section className="grid gap-3" aria-labelledby="leaving">
      <h3 id="leaving">{t('people.leave_section')}</h3>
      <div className="flex flex-wrap gap-2">
        <Button
          blocked={owner && (owners?.results.length ?? 0) < 2 ? t('people.leave_last') : undefined}
          onClick={() => setAsking('leave')}
        >
          {t('people.leave')}
        </Button>
        <Button
          variant="danger"
          blocked={owner ? undefined : t('people.owners_only')}
          onClick={() => setAsking('delete')}
        >
          {t('people.delete_team')}
        </Button>
      </div>
      {asking === 'leave' ? (
        <DepartureForm
          member={null}
          title={t('people.leave_team', { team: me.team.name })}
          text={t('people.leave_text')}
          action={t('people.leave')}
          go={(of) => api.post('/api/teams/current/leave', { body: { private: of } })}
          onGone={() => enterTeam(null)}
          onClose={close}
        />
      ) : null}
      {asking === 'delete' ? <DeleteTeam onClose={close} /> : null}
    </section>
  )
}
