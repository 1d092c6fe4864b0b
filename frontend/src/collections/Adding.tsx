/** What is looked for and put into a collection one by one: the dialog, its servers, and the button that adds. */
import type { UseMutationResult } from '@tanstack/react-query'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Check, ChevronRight, Plus, Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { failureOf } from '@/api/client'
import { loadNextPage, type PagedQuery } from '@/api/next-page'
import { type Server, serverPagesQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, cx, Dialog, More, Scroll, Skeleton, TextField, toast, useDebounced, visible } from '@/ui'

interface AddDialogProps {
  readonly title: string
  /** The name of the field that is searched in. */
  readonly searchLabel: string
  /** The name of the list of what was found. */
  readonly listLabel: string
  readonly onClose: () => void
  readonly children: (search: string) => ReactNode
}

/** A dialog that stays open while one thing after the other is found and added. */
export function AddDialog({ title, searchLabel, listLabel, onClose, children }: AddDialogProps) {
  const t = useT()
  const [search, setSearch] = useState('')
  const query = useDebounced(search.trim())
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      header={
        <div className="px-4 pb-3">
          <TextField
            inputType="search"
            before={<Search aria-hidden />}
            aria-label={searchLabel}
            placeholder={searchLabel}
            value={search}
            onChange={setSearch}
          />
        </div>
      }
      bare
      footer={
        <Button size="large" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <Scroll label={listLabel} className="coll-found">
        {children(query)}
      </Scroll>
    </Dialog>
  )
}

interface ServersProps {
  readonly search: string
  /** Whether a server of the team has something to add. */
  readonly fits?: (server: Server) => boolean
  /** What a server has, shown while it is unfolded. */
  readonly children: (server: Server) => ReactNode
}

/** The team's servers that fit a search; one of them is unfolded, or the only one that was found. */
export function TeamServers({ search, fits, children }: ServersProps) {
  const t = useT()
  const query = useInfiniteQuery(serverPagesQuery('all', search))
  const rows = query.data?.pages
    .flatMap((page) => page.results)
    .filter((row) => row.visibility === 'team' && (fits?.(row) ?? true))
  const [open, setOpen] = useState<string | null>(null)
  return (
    <>
      {rows ? null : <Skeleton rows={3} />}
      {rows?.length === 0 ? (
        <p className="px-4 py-2 text-sm text-muted">{t('collections.nothing_found')}</p>
      ) : null}
      {rows?.map((server) => {
        const unfolded = open === server.id || (search !== '' && rows.length === 1)
        return (
          <div key={server.id}>
            <button
              type="button"
              className="coll-server"
              aria-expanded={unfolded}
              onClick={() => setOpen(open === server.id ? null : server.id)}
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx('transition-transform', unfolded && 'rotate-90')}
              />
              <span className="min-w-0 truncate font-medium">{visible(server.name)}</span>
              <code className="min-w-0 truncate text-xs text-muted">{server.slug}</code>
            </button>
            {unfolded ? children(server) : null}
          </div>
        )
      })}
      <MoreOf query={query} />
    </>
  )
}

interface MoreOfProps {
  readonly query: PagedQuery & {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly isFetchNextPageError: boolean
  }
}

/** The next page of a list, where there is one. */
export function MoreOf({ query }: MoreOfProps) {
  if (!query.hasNextPage) return null
  return (
    <More
      busy={query.isFetchingNextPage}
      failed={query.isFetchNextPageError}
      load={() => void loadNextPage(query)}
    />
  )
}

interface AddButtonProps<What> {
  /** What the button's name says it adds. */
  readonly name: string
  /** It is in the collection already. */
  readonly held: boolean
  readonly what: What
  readonly add: Pick<UseMutationResult<unknown, Error, What>, 'isPending' | 'mutate'>
}

export function AddButton<What>({ name, held, what, add }: AddButtonProps<What>) {
  const t = useT()
  if (held)
    return (
      <span className="flex items-center gap-1 text-xs text-muted">
        <Check size={14} aria-hidden /> {t('collections.added')}
      </span>
    )
  return (
    <Button
      size="small"
      icon={<Plus aria-hidden />}
      busy={add.isPending}
      aria-label={t('collections.add_one', { name: visible(name) })}
      onClick={() => add.mutate(what, { onError: (thrown) => toast.error(failureOf(thrown)) })}
    >
      {t('common.add')}
    </Button>
  )
}
