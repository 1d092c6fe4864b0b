/** Who is in the team and what each may do; owners and admins change it here. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { type Member, useMemberSearch } from '@/api/choices'
import { api, asApiError } from '@/api/client'
import { type Role, useMe } from '@/api/queries'
import { useT } from '@/i18n'
import {
  Chip,
  Confirm,
  ErrorBox,
  IconButton,
  LoadFailed,
  Menu,
  type MenuEntry,
  More,
  RelativeTime,
  Scroll,
  Select,
  Skeleton,
  TextField,
} from '@/ui'
import { DepartureForm } from './DepartureForm'
import { decidesOn, givable, ROLE_MEANINGS, ROLE_NAMES, ROLES } from './roles'

const called = (member: Member): string => member.name || member.email

/** The roles to choose from for a member: those that one gives, or oneself takes by stepping down. */
function choices(own: Role, member: Member, isMe: boolean): readonly Role[] {
  if (isMe) return own === 'owner' || own === 'admin' ? ROLES.slice(ROLES.indexOf(own)) : []
  return decidesOn(own, member.role) ? givable(own) : []
}

function RoleCell({ member }: { member: Member }) {
  const t = useT()
  const me = useMe()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (role: Role) =>
      api.patch('/api/teams/members/{key}', { params: { path: { key: member.id } }, body: { role } }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['member'] })
      if (member.user === me.id) void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const open = choices(me.team.role, member, member.user === me.id)
  if (open.length < 2) return <Chip tip={t(ROLE_MEANINGS[member.role])}>{t(ROLE_NAMES[member.role])}</Chip>
  return (
    <>
      <Select<Role>
        small
        aria-label={t('people.role_of', { name: called(member) })}
        value={change.isPending ? change.variables : member.role}
        onChange={(role) => change.mutate(role)}
        disabled={change.isPending}
        options={open.map((role) => ({ value: role, label: t(ROLE_NAMES[role]) }))}
      />
      {change.error ? <ErrorBox error={asApiError(change.error)} /> : null}
    </>
  )
}

function Transfer({ member, onClose }: { member: Member; onClose: () => void }) {
  const t = useT()
  const client = useQueryClient()
  const transfer = useMutation({
    mutationFn: () => api.post('/api/teams/current/transfer', { body: { member: member.id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['member'] })
      void client.invalidateQueries({ queryKey: ['me'] })
      onClose()
    },
  })
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={t('people.hand_over_to', { name: called(member) })}
      action={t('people.hand_over_do')}
      busy={transfer.isPending}
      onConfirm={() => transfer.mutate()}
    >
      <div className="grid gap-3">
        <p>{t('people.hand_over_text', { name: called(member) })}</p>
        {transfer.error ? <ErrorBox error={asApiError(transfer.error)} /> : null}
      </div>
    </Confirm>
  )
}

function MemberRow({ member, entries }: { member: Member; entries: readonly MenuEntry[] }) {
  const t = useT()
  const me = useMe()
  return (
    // On a phone the name has a line of its own: beside the role no address would stand whole.
    <tr className="phone:grid phone:grid-cols-[minmax(0,1fr)_auto] phone:items-center phone:border-b phone:border-line phone:pb-2 phone:last:border-b-0">
      <td className="h-auto py-1.5 whitespace-normal phone:col-span-2 phone:border-b-0 phone:px-3">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{called(member)}</span>
          {member.name ? (
            <span className="min-w-0 truncate text-muted phone:break-all phone:whitespace-normal">
              {member.email}
            </span>
          ) : null}
          {member.user === me.id ? <Chip>{t('people.you')}</Chip> : null}
          {member.two_factor ? (
            <span data-tip={t('people.factor_on')} role="img" aria-label={t('people.factor_on')}>
              <ShieldCheck size={14} className="text-ok" aria-hidden />
            </span>
          ) : null}
        </span>
      </td>
      <td className="phone:h-auto phone:border-b-0 phone:px-3">
        <RoleCell member={member} />
      </td>
      <td className="text-muted phone:hidden">
        <RelativeTime value={member.joined_at} />
      </td>
      <td className="px-2 text-clip phone:h-auto phone:border-b-0 phone:empty:hidden">
        {entries.length ? (
          <Menu
            trigger={
              <IconButton size="small" label={t('people.actions_for', { name: called(member) })}>
                <EllipsisVertical />
              </IconButton>
            }
            items={entries}
          />
        ) : null}
      </td>
    </tr>
  )
}

export function Members() {
  const t = useT()
  const me = useMe()
  const client = useQueryClient()
  const [removing, setRemoving] = useState<Member | null>(null)
  const [handing, setHanding] = useState<Member | null>(null)
  const results = useMemberSearch(true)
  const entries = (member: Member): readonly MenuEntry[] => {
    if (member.user === me.id) return []
    return [
      ...(me.team.role === 'owner'
        ? [{ label: t('people.hand_over'), onSelect: () => setHanding(member) }]
        : []),
      ...(decidesOn(me.team.role, member.role)
        ? [{ label: t('people.remove'), danger: true, onSelect: () => setRemoving(member) }]
        : []),
    ]
  }
  if (results.error) return <LoadFailed error={asApiError(results.error)} onRetry={results.refetch} />
  if (results.pending) return <Skeleton rows={3} />
  return (
    <>
      {results.long ? (
        <TextField
          inputType="search"
          aria-label={t('people.members_search')}
          placeholder={t('people.members_search')}
          value={results.search}
          onChange={results.onSearch}
        />
      ) : null}
      <Scroll label={t('people.members')} className="table-framed rounded-md border border-line">
        <table className="table">
          <thead className="phone:hidden">
            <tr>
              <th>{t('settings.member')}</th>
              <th className="w-34">{t('settings.role')}</th>
              <th className="w-34 phone:hidden">{t('settings.joined')}</th>
              <th className="w-12" aria-hidden />
            </tr>
          </thead>
          <tbody>
            {results.rows.map((member) => (
              <MemberRow key={member.id} member={member} entries={entries(member)} />
            ))}
          </tbody>
        </table>
        {results.rows.length === 0 && !results.busy ? (
          <p className="p-3 text-sm text-muted">{t('common.no_match')}</p>
        ) : null}
        {results.more ? <More busy={results.busy} failed={results.failed} load={results.more} /> : null}
      </Scroll>
      {handing ? <Transfer member={handing} onClose={() => setHanding(null)} /> : null}
      {removing ? (
        <DepartureForm
          member={removing.id}
          title={t('people.remove_member', { name: called(removing) })}
          action={t('people.remove_member', { name: called(removing) })}
          go={(of) =>
            api.delete('/api/teams/members/{key}', {
              params: { path: { key: removing.id }, query: { private: of } },
            })
          }
          onGone={() => {
            setRemoving(null)
            void client.invalidateQueries({ queryKey: ['member'] })
          }}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </>
  )
}
