/** All the teams that one is in: open another, make a new one. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { reaches, useMe } from '@/api/queries'
import { enterTeam } from '@/api/session'
import { useT } from '@/i18n'
import { Button, Chip } from '@/ui'
import { ListingRow } from './listing'
import { NewTeam } from './team/NewTeam'
import { ROLE_NAMES } from './team/roles'

export function YourTeams() {
  const t = useT()
  const me = useMe()
  const [making, setMaking] = useState(false)
  const allowed = me.teams.some((team) => reaches(team.role, 'admin'))
  return (
    <section className="grid gap-3" aria-labelledby="your-teams">
      <h3 id="your-teams">{t('people.your_teams')}</h3>
      <ul className="overflow-hidden rounded-md border border-line">
        {me.teams.map((team) => (
          <ListingRow key={team.id}>
            <span className="min-w-0 flex-1 truncate font-medium">{team.name}</span>
            <span className="text-sm text-muted">{t(ROLE_NAMES[team.role])}</span>
            {team.id === me.team.id ? (
              <Chip>{t('people.here')}</Chip>
            ) : (
              <Button size="small" onClick={() => enterTeam(team.id)}>
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
      {making ? <NewTeam onClose={() => setMaking(false)} onCreated={(team) => enterTeam(team.id)} /> : null}
    </section>
  )
}
