/** Links that make people members: made, shown once, withdrawn. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2, UserPlus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { type Role, useMe } from '@/api/queries'
import type { components } from '@/api/schema'
import { sentencesOf, useT } from '@/i18n'
import {
  Button,
  Callout,
  Chip,
  CopyButton,
  Dialog,
  ErrorBox,
  IconButton,
  isoDate,
  Select,
  TextField,
} from '@/ui'
import { DeleteRow, Listing, ListingRow } from '../listing'
import { givable, ROLE_MEANINGS, ROLE_NAMES } from './roles'

type Invitation = components['schemas']['Invitation']

const DAYS = ['1', '7', '30'] as const
type Days = (typeof DAYS)[number]

function Invite({ onClose, onCreated }: { onClose: () => void; onCreated: (result: Invitation) => void }) {
  const t = useT()
  const me = useMe()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [days, setDays] = useState<Days>('7')
  const make = useMutation({
    mutationFn: () =>
      api.post('/api/teams/invitations', {
        body: { role, email: email.trim(), expires_in_days: Number(days) },
      }),
    onSuccess: (result) => {
      void client.invalidateQueries({ queryKey: ['invitation'] })
      onCreated(result)
    },
  })
  const error = make.error ? asApiError(make.error) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('people.invite_title', { team: me.team.name })}
      size="small"
    >
      <form className="grid gap-4" noValidate onSubmit={submit}>
        <TextField
          label={t('people.invite_email')}
          inputType="email"
          value={email}
          onChange={setEmail}
          hint={t('people.invite_email_hint')}
          error={sentencesOf(error?.fields.email) || undefined}
        />
        <Select<Role>
          label={t('people.invite_role')}
          value={role}
          onChange={setRole}
          hint={t(ROLE_MEANINGS[role])}
          options={givable(me.team.role).map((text) => ({ value: text, label: t(ROLE_NAMES[text]) }))}
        />
        <Select<Days>
          label={t('people.invite_days')}
          value={days}
          onChange={setDays}
          options={DAYS.map((value) => ({ value, label: t('people.days', { n: Number(value) }) }))}
        />
        {error && !error.fields.email ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={make.isPending}>
          {t('people.invite_make')}
        </Button>
      </form>
    </Dialog>
  )
}

function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const t = useT()
  const url = invitation.url ?? ''
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('people.link_made')}
      footer={
        <Button variant="primary" size="large" onClick={onClose}>
          {t('common.done')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <Callout tone="waiting">{t('people.link_once')}</Callout>
        <div className="well flex items-center gap-2">
          <code className="min-w-0 flex-1 break-all">{url}</code>
          <CopyButton text={url} />
        </div>
        <p className="text-sm text-muted">
          {invitation.email || t('people.link_anyone')} · {t(ROLE_NAMES[invitation.role])} ·{' '}
          {t('people.until', { date: isoDate(invitation.expires_at) })}
        </p>
      </div>
    </Dialog>
  )
}

export function Invitations() {
  const t = useT()
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation'],
    queryFn: () => api.get('/api/teams/invitations'),
  })
  const [making, setMaking] = useState(false)
  const [result, setResult] = useState<Invitation | null>(null)
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null)
  const whom = (invitation: Invitation) => invitation.email || t('people.link_anyone')
  return (
    <section className="grid gap-3" aria-labelledby="invitations">
      <h3 id="invitations">{t('people.invitations')}</h3>
      <Listing
        intro={t('people.invitations_text')}
        rows={data?.results}
        error={error}
        refetch={refetch}
        add={{ label: t('people.invite'), icon: <UserPlus />, onClick: () => setMaking(true) }}
        row={(invitation) => (
          <ListingRow key={invitation.id} wraps>
            <span className="min-w-20 flex-1 font-medium [overflow-wrap:anywhere]">{whom(invitation)}</span>
            <span className="flex min-w-0 items-center gap-2 small:order-last small:basis-full">
              <Chip>{t(ROLE_NAMES[invitation.role])}</Chip>
              {invitation.created_by ? (
                <span className="min-w-0 truncate text-xs text-muted">
                  {t('people.invited_by', { email: invitation.created_by })}
                </span>
              ) : null}
              <span className="text-xs whitespace-nowrap text-muted">
                {new Date(invitation.expires_at) < new Date()
                  ? t('people.expired')
                  : t('people.until', { date: isoDate(invitation.expires_at) })}
              </span>
            </span>
            <IconButton
              label={t('people.withdraw_of', { email: whom(invitation) })}
              onClick={() => setWithdrawing(invitation)}
            >
              <Trash2 />
            </IconButton>
          </ListingRow>
        )}
      />
      {making ? (
        <Invite
          onClose={() => setMaking(false)}
          onCreated={(invitation) => {
            setMaking(false)
            setResult(invitation)
          }}
        />
      ) : null}
      {result ? <InvitationLink invitation={result} onClose={() => setResult(null)} /> : null}
      {withdrawing ? (
        <DeleteRow
          title={t('people.withdraw_of', { email: whom(withdrawing) })}
          text={t('people.withdraw_text')}
          action={t('people.withdraw')}
          list="invitation"
          remove={() =>
            api.delete('/api/teams/invitations/{key}', { params: { path: { key: withdrawing.id } } })
          }
          onClose={() => setWithdrawing(null)}
        />
      ) : null}
    </section>
  )
}
