/** The team's collections: the list, and beside it the one that the address names. */
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { asApiError } from '@/api/client'
import { type Collection, collectionQuery, collectionsQuery } from '@/api/collections'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Chip, EmptyState, LoadFailed, PageBar, Scroll, Skeleton, useNarrow, visible } from '@/ui'
import { RegistryLists } from '@/ui/registry-lists'
import { CollectionDetail } from './CollectionDetail'
import { CollectionDialog } from './CollectionDialog'
import './collections.css'

export default function CollectionsPage() {
  const t = useT()
  const { id } = useParams<{ id?: string }>()
  const narrow = useNarrow()
  const [, navigate] = useLocation()
  const [adding, setAdding] = useState(false)
  const { data, error, refetch } = useQuery(collectionsQuery)
  const shown = id ?? (narrow ? undefined : data?.[0]?.id)
  const collection = data?.find((row) => row.id === shown)
  const alone = narrow && id !== undefined
  const crumbs = [
    { label: t('app.registry'), href: '/registry' },
    ...(collection ? [{ label: t('collections.title'), href: '/collections' }] : []),
  ]
  return (
    <>
      <PageBar
        title={collection ? visible(collection.name) : t('collections.title')}
        crumbs={crumbs}
        back={alone ? { label: t('common.back'), href: '/collections' } : undefined}
      />
      <div className="flex min-h-11 flex-none items-center border-b border-line bg-surface px-4 py-1.5">
        <RegistryLists at="collections" />
      </div>
      <div className="coll-panes">
        {data?.length === 0 && id === undefined ? (
          <NoCollections onAdd={() => setAdding(true)} />
        ) : alone ? null : (
          <Scroll label={t('collections.title')} className="coll-list">
            {data ? (
              <CollectionList rows={data} selected={shown} onAdd={() => setAdding(true)} />
            ) : error ? (
              <div className="p-4">
                <LoadFailed
                  error={asApiError(error)}
                  title={t('collections.load_failed')}
                  onRetry={refetch}
                />
              </div>
            ) : (
              <Skeleton rows={4} />
            )}
          </Scroll>
        )}
        {shown === undefined ? null : <Shown key={shown} id={shown} alone={alone} />}
      </div>
      {adding ? (
        <CollectionDialog
          onClose={() => setAdding(false)}
          onSaved={(saved) => navigate(`/collections/${saved.id}`)}
        />
      ) : null}
    </>
  )
}

/** The open collection, with the way back to the list where it has the whole page; on a phone the bar has it. */
function Shown({ id, alone }: { readonly id: string; readonly alone: boolean }) {
  const t = useT()
  const { data, error, refetch } = useQuery({ ...collectionQuery(id), retry: false })
  const back = alone ? (
    <Link className="link phone:hidden" href="/collections">
      {t('collections.to_all')}
    </Link>
  ) : null
  if (data) return <CollectionDetail collection={data} back={back} />
  const failure = error ? asApiError(error) : null
  return (
    <div className="min-w-0 flex-1 bg-surface">
      {failure?.status === 404 ? (
        <EmptyState title={t('collections.not_found')} actions={back} />
      ) : failure ? (
        <div className="p-4">
          <LoadFailed error={failure} onRetry={refetch} />
        </div>
      ) : (
        <Skeleton rows={8} />
      )}
    </div>
  )
}

function NoCollections({ onAdd }: Pick<ListProps, 'onAdd'>) {
  const t = useT()
  return (
    <div className="min-w-0 flex-1 bg-surface">
      <EmptyState
        title={t('collections.none')}
        text={t('collections.about')}
        actions={<NewButton onAdd={onAdd} />}
      />
    </div>
  )
}

function NewButton({ onAdd }: Pick<ListProps, 'onAdd'>) {
  const t = useT()
  if (!useMay('editor')) return null
  return (
    <Button icon={<Plus aria-hidden />} onClick={onAdd}>
      {t('collections.new')}
    </Button>
  )
}

interface ListProps {
  readonly rows: readonly Collection[]
  readonly selected: string | undefined
  readonly onAdd: () => void
}

function CollectionList({ rows, selected, onAdd }: ListProps) {
  const t = useT()
  return (
    <>
      {rows.length > 0 ? (
        <ul aria-label={t('collections.title')}>
          {rows.map((row) => (
            <li key={row.id}>
              <Link
                className="coll-item"
                href={`/collections/${row.id}`}
                aria-current={row.id === selected ? 'true' : undefined}
              >
                <span className="truncate font-medium">{visible(row.name)}</span>
                {row.enabled ? null : <Chip>{t('collections.off')}</Chip>}
                <span className="coll-about">
                  {t('collections.tools_count', { n: row.tools })} ·{' '}
                  {row.tokens > 0
                    ? t('collections.tokens_count', { n: row.tokens })
                    : t('collections.unused')}
                  {row.calls_7d > 0 ? ` · ${t('collections.calls_7d', { n: row.calls_7d })}` : null}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="grid justify-items-start gap-3 p-4">
        <p className="text-sm text-muted">{t('collections.about')}</p>
        <NewButton onAdd={onAdd} />
      </div>
    </>
  )
}
