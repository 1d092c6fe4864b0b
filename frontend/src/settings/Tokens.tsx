/** API tokens: for programs that act as this member in this team. A token's text is shown once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import type { components } from '@/api/schema'
import { useT } from '@/i18n'
import {
  Button,
  Callout,
  CopyButton,
  Dialog,
  ErrorBox,
  IconButton,
  isoDate,
  RelativeTime,
  Select,
  TextField,
} from '@/ui'
import { DeleteRow, Listing, ListingRow } from './listing'

type Token = components['schemas']['Token']

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

function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (token: Token) => void }) {
  const t = useT()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [life, setLife] = useState<Life>('90')
  const make = useMutation({
    mutationFn: () =>
      api.post('/api/tokens', {
        body: { name: name.trim(), expires_in_days: life === 'never' ? null : Number(life) },
      }),
    onSuccess: (token) => {
      void client.invalidateQueries({ queryKey: ['token'] })
      onMade(token)
    },
  })
  const error = make.error ? asApiError(make.error) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('settings.new_token')} size="small">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={t('common.name')}
          required
          autoFocus
          value={name}
          onChange={setName}
          hint={t('settings.token_name_hint')}
          error={error?.fields.name?.join(' ')}
        />
        <Select<Life>
          label={t('settings.expires')}
          value={life}
          onChange={setLife}
          options={LIVES.map((value) => ({
            value,
            label: value === 'never' ? t('settings.never') : t('settings.days', { n: Number(value) }),
          }))}
        />
        {error && !error.fields.name ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={make.isPending} disabled={!name.trim()}>
          {t('settings.make_token')}
        </Button>
      </form>
    </Dialog>
  )
}

export function Tokens() {
  const t = useT()
  const { data, error } = useQuery({ queryKey: ['token'], queryFn: () => api.get('/api/tokens') })
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<Token | null>(null)
  const [deleting, setDeleting] = useState<Token | null>(null)
  return (
    <>
      <Listing
        intro={t('settings.tokens_text')}
        rows={data?.results}
        error={error}
        empty={{ title: t('settings.no_tokens'), text: t('settings.no_tokens_text') }}
        add={{ label: t('settings.new_token'), onClick: () => setMaking(true) }}
        row={(token) => (
          <ListingRow key={token.id}>
            <span className="min-w-0 flex-1">
              <span className="font-medium">{token.name}</span>{' '}
              <code className="font-mono text-xs text-muted">{token.prefix}…</code>
            </span>
            <span className="text-xs text-muted phone:hidden">
              {token.last_used_at ? (
                <>
                  {t('settings.last_used')} <RelativeTime value={token.last_used_at} />
                </>
              ) : (
                t('settings.never_used')
              )}
            </span>
            <span className="text-xs text-muted">
              {token.expires_at
                ? t('settings.expires_on', { date: isoDate(token.expires_at) })
                : t('settings.never')}
            </span>
            <IconButton
              label={t('settings.delete_token', { name: token.name })}
              onClick={() => setDeleting(token)}
            >
              <Trash2 />
            </IconButton>
          </ListingRow>
        )}
      />
      {making ? (
        <NewToken
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false)
            setMade(token)
          }}
        />
      ) : null}
      {made ? <Shown token={made} onClose={() => setMade(null)} /> : null}
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
