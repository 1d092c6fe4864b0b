/** All the teams that one is in: open another, make a new one. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { chooseTeam } from '@/api/client'
import { queryClient, reaches, useMe } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Chip } from '@/ui'
import { ListingRow } from './listing'
import { NewTeam } from './team/NewTeam'
import { ROLE_NAMES } from './team/roles'

function open(team: { readonly id: string }): void {
  chooseTeam(team.id)
  queryClient.clear()
  window.location.assign('/')
}

export function YourTeams() {
  const t = useT()
  const me = useMe()
  const [making, setMaking] = useState(false)
  const allowed = me.teams.some((team) => reaches(team.role, 'admin'))
  return (
    <section className="grid gap-3" aria-labelledby="your-teams">
      <h2 id="your-teams" className="font-semibold">
        {t('people.your_teams')}
      </h2>
      <ul className="overflow-hidden rounded-md border border-line">
        {me.teams.map((team) => (
          <ListingRow key={team.id}>
            <span className="min-w-0 flex-1 truncate font-medium">{team.name}</span>
            <span className="text-sm text-muted">{t(ROLE_NAMES[team.role])}</span>
            {team.id === me.team.id ? (
              <Chip>{t('people.here')}</Chip>
            ) : (
              <Button size="small" onClick={() => open(team)}>
                {t('people.switch_to')}
              </Button>
            )}
          </ListingRow>
        ))}
      </ul>
      <div>
        <Button
          icon={<Plus />}
          blocked={allowed ? undefined : t('people.new_team_who')}
          onClick={() => setMaking(true)}
        >
          {t('people.new_team')}
        </Button>
      </div>
      {making ? <NewTeam onClose={() => setMaking(false)} onMade={open} /> : null}
    </section>
  )
}
