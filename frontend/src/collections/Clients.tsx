/** The tokens of a collection, each for a client, and how one is ended. */
import { useQuery } from '@tanstack/react-query'
import { Bot, Plus } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { type Collection, type CollectionToken, collectionTokensQuery, useEndToken } from '@/api/collections'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Confirm, ErrorBox, LoadFailed, RelativeTime, toast, visible } from '@/ui'

interface ClientsProps {
  readonly collection: Collection
  readonly onAdd: () => void
}

export function Clients({ collection, onAdd }: ClientsProps) {
  const t = useT()
  const may = useMay('editor')
  const { data, error, refetch } = useQuery(collectionTokensQuery(collection.id))
  const [ending, setEnding] = useState<CollectionToken | null>(null)
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('collections.clients')}>
      <div className="coll-head">
        <h3 className="section-title">{t('collections.clients')}</h3>
        {may ? (
          <Button size="small" icon={<Plus aria-hidden />} onClick={onAdd}>
            {t('collections.new_token')}
          </Button>
        ) : null}
      </div>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {data?.length === 0 ? <p className="text-sm text-muted">{t('collections.no_clients')}</p> : null}
      {data?.length ? (
        <ul className="coll-rows">
          {data.map((token) => (
            <li key={token.id}>
              <Bot size={16} aria-hidden className="flex-none text-muted" />
              <div className="min-w-0 flex-1">
                <p className="truncate">{visible(token.name)}</p>
                <p className="text-xs text-muted [overflow-wrap:anywhere]">
                  <code>{token.prefix}…</code> · {visible(token.user.email)} · <LastUse token={token} />
                </p>
              </div>
              <Button
                size="small"
                variant="quiet"
                aria-label={t('collections.end_token', { name: visible(token.name) })}
                onClick={() => setEnding(token)}
              >
                {t('collections.end')}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <p className="text-xs text-muted">{t('collections.clients_text')}</p>
      {ending ? <Ending token={ending} onClose={() => setEnding(null)} /> : null}
    </section>
  )
}

function LastUse({ token }: { readonly token: CollectionToken }) {
  const t = useT()
  if (!token.last_used_at) return t('collections.never_used')
  return (
    <>
      {t('collections.last_used')} <RelativeTime value={token.last_used_at} />
    </>
  )
}

function Ending({ token, onClose }: { readonly token: CollectionToken; readonly onClose: () => void }) {
  const t = useT()
  const end = useEndToken()
  const name = visible(token.name)
  const ended = () => {
    toast.ok(t('collections.ended', { name }))
    onClose()
  }
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={t('collections.end_token', { name })}
      action={t('collections.end')}
      danger
      busy={end.isPending}
      onConfirm={() => end.mutate(token.id, { onSuccess: ended })}
    >
      {t('collections.end_text')}
      {end.error ? <ErrorBox error={asApiError(end.error)} /> : null}
    </Confirm>
  )
}
