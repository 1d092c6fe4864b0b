/** The team acted in: who is in it, and what each may do. */
import { useQuery } from '@tanstack/react-query'
import { api, asApiError } from '@/api/client'
import { type Role, useMe } from '@/api/queries'
import type { Key } from '@/i18n'
import { useT } from '@/i18n'
import { Chip, ErrorBox, RelativeTime, Scroll, Skeleton } from '@/ui'
import { TeamBudget } from './TeamBudget'

const ROLES = {
  owner: 'settings.role_owner',
  admin: 'settings.role_admin',
  editor: 'settings.role_editor',
  viewer: 'settings.role_viewer',
} as const satisfies Record<Role, Key>

const MEANINGS = {
  owner: 'settings.role_owner_may',
  admin: 'settings.role_admin_may',
  editor: 'settings.role_editor_may',
  viewer: 'settings.role_viewer_may',
} as const satisfies Record<Role, Key>

export function Team() {
  const t = useT()
  const me = useMe()
  const { data: members, error } = useQuery({
    queryKey: ['member'],
    queryFn: async () => (await api.get('/api/teams/members')).results,
  })
  return (
    <>
      <p className="text-muted">
        <b className="font-semibold text-fg">{me.team.name}</b> ·{' '}
        {t('settings.you_are', { role: t(ROLES[me.team.role]) })}
      </p>
      {error ? <ErrorBox error={asApiError(error)} /> : null}
      {members ? (
        <Scroll label={t('settings.member')} className="rounded-md border border-line">
          <table className="table min-w-105">
            <thead>
              <tr>
                <th>{t('settings.member')}</th>
                <th className="w-26">{t('settings.role')}</th>
                <th className="w-34">{t('settings.joined')}</th>
              </tr>
            </thead>
            <tbody>
              {members.map((member) => (
                <tr key={member.id}>
                  <td>
                    <span className="font-medium">{member.name || member.email}</span>{' '}
                    {member.name ? <span className="text-muted">{member.email}</span> : null}
                  </td>
                  <td>
                    <Chip tip={t(MEANINGS[member.role])}>{t(ROLES[member.role])}</Chip>
                  </td>
                  <td className="text-muted">
                    <RelativeTime value={member.joined_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : (
        <Skeleton rows={3} />
      )}
      <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
        {(['owner', 'admin', 'editor', 'viewer'] as const).map((role) => (
          <div key={role} className="contents">
            <dt className="text-muted">{t(ROLES[role])}</dt>
            <dd>{t(MEANINGS[role])}</dd>
          </div>
        ))}
      </dl>
      <TeamBudget />
    </>
  )
}
