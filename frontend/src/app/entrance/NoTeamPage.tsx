/** Somebody signed in who is in no team: removed from the last one, or left it. */
import { LogOut } from 'lucide-react'
import { signOut } from '@/api/session'
import { useT } from '@/i18n'
import { EndAccount } from '@/settings/security/EndAccount'
import { Button, TextField } from '@/ui'
import { Entrance } from './Entrance'

export function NoTeamPage({ email, team }: { readonly email: string; readonly team: string }) {
  const t = useT()
  return (
    <Entrance title={t('people.no_team')}>
      {team ? <p>{t('people.no_team_left', { team })}</p> : null}
      <p className="text-muted">{t('people.no_team_text')}</p>
      {email ? (
        <TextField label={t('people.signed_in_as')} value={email} readOnly onChange={() => {}} />
      ) : null}
      <Button variant="primary" size="large" icon={<LogOut />} onClick={() => void signOut()}>
        {t('app.sign_out')}
      </Button>
      {email ? <EndAccount email={email} onEnded={() => void signOut()} /> : null}
    </Entrance>
  )
}
