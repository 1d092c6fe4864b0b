/** API tokens: for programs that act as this member in this team. A token's text is shown once. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { reaches, useMay, useMe } from '@/api/queries'
import type { components } from '@/api/schema'
import { type Key, sentencesOf, useT } from '@/i18n'
import {
  Button,
  Callout,
  Checkbox,
  Chip,
  CopyButton,
  Dialog,
  ErrorBox,
  Field,
  IconButton,
  isoDate,
  More,
  RelativeTime,
  Segmented,
  Select,
  TextField,
} from '@/ui'
import { DeleteRow, Listing, ListingRow } from './listing'
import { BoundChips, networksOf, TokenBounds, UNBOUND } from './TokenBounds'

type Token = components['schemas']['Token']

type Scope = Token['scopes'][number]

/** In order of weight, each with the role that can use it. */
const SCOPES = [
  { scope: 'read', name: 'people.scope_read', may: 'people.scope_read_may', role: 'viewer' },
  { scope: 'run', name: 'people.scope_run', may: 'people.scope_run_may', role: 'editor' },
  { scope: 'answer', name: 'people.scope_answer', may: 'people.scope_answer_may', role: 'editor' },
  { scope: 'edit', name: 'people.scope_edit', may: 'people.scope_edit_may', role: 'editor' },
  { scope: 'admin', name: 'people.scope_admin', may: 'people.scope_admin_may', role: 'admin' },
] as const satisfies readonly { scope: Scope; name: Key; may: Key; role: string }[]

const LIVES = ['30', '90', '365', 'never'] as const
type Life = (typeof LIVES)[number]

function Shown({ token, onClose }: { token: Token; onClose: () => void }) {
  const t = useT()
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('settings.token_made')}
      footer={
        <Button variant="primary" size="large" onClick={onClose}>
          {t('common.done')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <Callout tone="waiting">{t('settings.token_once')}</Callout>
        <div className="well flex items-center gap-2">
          <code className="min-w-0 flex-1 break-all">{token.token}</code>
          <CopyButton text={token.token ?? ''} />
        </div>
        <p className="text-sm text-muted">
          <code className="font-mono text-xs">Authorization: Bearer …</code> {t('settings.token_use')}
        </p>
      </div>
    </Dialog>
  )
}

function ScopeChoice({
  offered,
  scopes,
  onChange,
}: {
  offered: readonly (typeof SCOPES)[number][]
  scopes: readonly Scope[]
  onChange: (scopes: readonly Scope[]) => void
}) {
  const t = useT()
  return (
    <Field label={t('people.scopes')} hint={t('people.scopes_text')}>
      {() => (
        <div className="grid gap-1.5">
          {offered.map(({ scope, name, may }) => (
            <Checkbox
              key={scope}
              label={t(name)}
              hint={t(may)}
              checked={scopes.includes(scope)}
              onChange={(on) => onChange(on ? [...scopes, scope] : scopes.filter((kept) => kept !== scope))}
            />
          ))}
        </div>
      )}
    </Field>
  )
}

function NewToken({ onClose, onCreated }: { onClose: () => void; onCreated: (token: Token) => void }) {
  const t = useT()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const me = useMe()
  const [life, setLife] = useState<Life>('90')
  const offered = SCOPES.filter((entry) => reaches(me.team.role, entry.role))
  const [scopes, setScopes] = useState<readonly Scope[]>(
    offered.map((entry) => entry.scope).filter((scope) => scope === 'read' || scope === 'run'),
  )
  const chosen = SCOPES.map((entry) => entry.scope).filter((scope) => scopes.includes(scope))
  const [bounds, setBounds] = useState(UNBOUND)
  const networks = networksOf(bounds.networks)
  const writes = chosen.includes('edit') || chosen.includes('admin')
  const make = useMutation({
    mutationFn: () =>
      api.post('/api/tokens', {
        body: {
          name: name.trim(),
          scopes: chosen,
          expires_in_days: life === 'never' ? null : Number(life),
          ...(writes || bounds.workflows.length === 0 ? {} : { workflows: [...bounds.workflows] }),
          ...(networks.length === 0 ? {} : { networks }),
        },
      }),
    onSuccess: (token) => {
      void client.invalidateQueries({ queryKey: ['token'] })
      onCreated(token)
    },
  })
  const error = make.error ? asApiError(make.error) : null
  const form = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('settings.new_token')}
      size="small"
      footer={
        <Button
          type="submit"
          form={form}
          variant="primary"
          size="large"
          busy={make.isPending}
          disabled={!name.trim() || chosen.length === 0}
        >
          {t('settings.make_token')}
        </Button>
      }
    >
      <form id={form} className="grid gap-4" onSubmit={submit}>
        <TextField
          label={t('common.name')}
          required
          autoFocus
          value={name}
          onChange={setName}
          hint={t('settings.token_name_hint')}
          error={sentencesOf(error?.fields.name) || undefined}
        />
        <ScopeChoice offered={offered} scopes={scopes} onChange={setScopes} />
        <Select<Life>
          label={t('settings.expires')}
          value={life}
          onChange={setLife}
          options={LIVES.map((value) => ({
            value,
            label: value === 'never' ? t('settings.never') : t('settings.days', { n: Number(value) }),
          }))}
        />
        <TokenBounds value={bounds} onChange={setBounds} writes={writes} errors={error?.fields} />
        {error && !error.fields.name ? <ErrorBox error={error} /> : null}
      </form>
    </Dialog>
  )
}

function TokenRow({ token, whose, onDelete }: { token: Token; whose: 'me' | 'team'; onDelete: () => void }) {
  const t = useT()
  const me = useMe()
  return (
    <ListingRow wraps>
      <span className="min-w-20 flex-1">
        <span className="font-medium">{token.name}</span>{' '}
        {token.audience ? (
          <Chip tip={t('people.token_oauth_tip', { audience: token.audience })}>
            {t('people.token_oauth')}
          </Chip>
        ) : (
          <code className="font-mono text-xs text-muted">{token.prefix}…</code>
        )}
        {whose === 'team' && token.user.id !== me.id ? (
          <span className="block truncate text-xs text-muted">
            {t('people.token_of', { email: token.user.email })}
          </span>
        ) : null}
      </span>
      <span className="flex min-w-0 flex-wrap gap-1 small:order-last small:basis-full">
        {SCOPES.filter(({ scope }) => token.scopes.includes(scope)).map(({ scope, name, may }) => (
          <Chip key={scope} tip={t(may)}>
            {t(name)}
          </Chip>
        ))}
        <BoundChips token={token} />
        {token.scopes.length === 0 ? <Chip>{t('people.scopes_all')}</Chip> : null}
        {token.approves_until && Date.parse(token.approves_until) > Date.now() ? (
          <Chip tone="waiting" tip={t('people.token_approves_tip')}>
            {t('people.token_approves', { date: isoDate(token.approves_until) })}
          </Chip>
        ) : null}
      </span>
      <span className="text-xs whitespace-nowrap text-muted phone:hidden">
        {token.last_used_at ? (
          <>
            {t('settings.last_used')} <RelativeTime value={token.last_used_at} />
          </>
        ) : (
          t('settings.never_used')
        )}
      </span>
      <span className="text-xs whitespace-nowrap text-muted">
        {token.expires_at
          ? t('settings.expires_on', { date: isoDate(token.expires_at) })
          : t('settings.expires_never')}
      </span>
      <IconButton label={t('settings.delete_token', { name: token.name })} onClick={onDelete}>
        <Trash2 />
      </IconButton>
    </ListingRow>
  )
}

export function Tokens() {
  const t = useT()
  const admin = useMay('admin')
  const [of, setOf] = useState<'me' | 'team'>('me')
  const tokens = useInfiniteQuery({
    queryKey: ['token', of],
    queryFn: ({ pageParam }) =>
      api.get('/api/tokens', {
        params: { query: { of, limit: 100, ...(pageParam ? { cursor: pageParam } : {}) } },
      }),
    initialPageParam: '',
    getNextPageParam: (page: { next: string | null }) => page.next,
  })
  const [making, setMaking] = useState(false)
  const [result, setResult] = useState<Token | null>(null)
  const [deleting, setDeleting] = useState<Token | null>(null)
  return (
    <>
      {admin ? (
        <div>
          <Segmented<'me' | 'team'>
            label={t('settings.tokens')}
            value={of}
            onChange={setOf}
            options={[
              { value: 'me', label: t('people.tokens_mine') },
              { value: 'team', label: t('people.tokens_team') },
            ]}
          />
        </div>
      ) : null}
      <Listing
        intro={t('settings.tokens_text')}
        rows={tokens.data?.pages.flatMap((page) => page.results)}
        error={tokens.error}
        refetch={tokens.refetch}
        more={
          tokens.hasNextPage ? (
            <More
              busy={tokens.isFetchingNextPage}
              failed={tokens.isFetchNextPageError}
              load={() => void loadNextPage(tokens)}
            />
          ) : null
        }
        empty={{ title: t('settings.no_tokens'), text: t('settings.no_tokens_text') }}
        add={{ label: t('settings.new_token'), onClick: () => setMaking(true) }}
        row={(token) => (
          <TokenRow key={token.id} token={token} whose={of} onDelete={() => setDeleting(token)} />
        )}
      />
      {making ? (
        <NewToken
          onClose={() => setMaking(false)}
          onCreated={(token) => {
            setMaking(false)
            setResult(token)
          }}
        />
      ) : null}
      {result ? <Shown token={result} onClose={() => setResult(null)} /> : null}
      {deleting ? (
        <DeleteRow
          title={t('settings.delete_token', { name: deleting.name })}
          text={t('settings.delete_token_text')}
          list="token"
          remove={() => api.delete('/api/tokens/{key}', { params: { path: { key: deleting.id } } })}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </>
  )
}
