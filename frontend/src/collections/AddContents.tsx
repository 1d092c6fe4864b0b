/** Resources, templates and prompts of the team's servers are looked for and put into a collection one by one. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Check, ChevronRight, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import {
  type CollectionContent,
  type CollectionDetail,
  type ContentToAdd,
  useAddContent,
} from '@/api/collections'
import { promptsQuery, resourcesQuery } from '@/api/contents'
import { type Server, serverPagesQuery } from '@/api/servers'
import { useT } from '@/i18n'
import {
  Button,
  cx,
  Dialog,
  ErrorBox,
  More,
  Scroll,
  Skeleton,
  TextField,
  toast,
  useDebounced,
  visible,
} from '@/ui'
import { KINDS } from './kinds'

interface AddProps {
  readonly collection: CollectionDetail
  readonly onClose: () => void
}

export function AddContents({ collection, onClose }: AddProps) {
  const t = useT()
  const [search, setSearch] = useState('')
  const wanted = useDebounced(search.trim())
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('collections.add_contents_title', { name: visible(collection.name) })}
      header={
        <div className="px-4 pb-3">
          <TextField
            inputType="search"
            before={<Search aria-hidden />}
            aria-label={t('collections.find_server')}
            placeholder={t('collections.find_server')}
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
      <Scroll label={t('collections.add_contents')} className="coll-found">
        <Servers collection={collection} wanted={wanted} />
      </Scroll>
    </Dialog>
  )
}

function Servers({ collection, wanted }: { readonly collection: CollectionDetail; readonly wanted: string }) {
  const t = useT()
  const query = useInfiniteQuery(serverPagesQuery('all', wanted))
  const rows = query.data?.pages
    .flatMap((page) => page.results)
    .filter(
      (row) =>
        row.visibility === 'team' && row.enabled && row.transport !== 'openapi' && row.transport !== 'a2a',
    )
  const [open, setOpen] = useState<string | null>(null)
  return (
    <>
      {rows ? null : <Skeleton rows={3} />}
      {rows?.length === 0 ? (
        <p className="px-4 py-2 text-sm text-muted">{t('collections.nothing_found')}</p>
      ) : null}
      {rows?.map((server) => (
        <OfServer
          key={server.id}
          collection={collection}
          server={server}
          open={open === server.id || (wanted !== '' && rows.length === 1)}
          onToggle={() => setOpen(open === server.id ? null : server.id)}
        />
      ))}
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void query.fetchNextPage()}
        />
      ) : null}
    </>
  )
}

interface OfServerProps {
  readonly collection: CollectionDetail
  readonly server: Server
  readonly open: boolean
  readonly onToggle: () => void
}

function OfServer({ collection, server, open, onToggle }: OfServerProps) {
  return (
    <div>
      <button type="button" className="coll-server" aria-expanded={open} onClick={onToggle}>
        <ChevronRight size={14} aria-hidden className={cx('transition-transform', open && 'rotate-90')} />
        <span className="min-w-0 truncate font-medium">{visible(server.name)}</span>
        <code className="min-w-0 truncate text-xs text-muted">{server.slug}</code>
      </button>
      {open ? <Offers collection={collection} server={server} /> : null}
    </div>
  )
}

/** Something that may be put in. */
interface Candidate {
  readonly kind: CollectionContent['kind']
  readonly reference: string
  readonly name: string
  readonly what: ContentToAdd
}

/** The server is asked, so it may take a moment, or fail. */
function Offers({ collection, server }: Pick<OfServerProps, 'collection' | 'server'>) {
  const t = useT()
  const resources = useQuery(resourcesQuery(server.id))
  const prompts = useQuery(promptsQuery(server.id))
  const failed = resources.error ?? prompts.error
  if (failed)
    return (
      <div className="px-4 pb-2">
        <ErrorBox error={asApiError(failed)} />
      </div>
    )
  if (!resources.data || !prompts.data) return <Skeleton rows={2} />
  const at = { server: server.slug }
  const found: Candidate[] = [
    ...resources.data.results.map(({ uri, title, name }) => ({
      kind: 'resource' as const,
      reference: uri,
      name: title ?? name,
      what: { ...at, resource: uri },
    })),
    ...resources.data.templates.map(({ uri_template, title, name }) => ({
      kind: 'template' as const,
      reference: uri_template,
      name: title ?? name,
      what: { ...at, template: uri_template },
    })),
    ...prompts.data.map(({ name, title }) => ({
      kind: 'prompt' as const,
      reference: name,
      name: title ?? name,
      what: { ...at, prompt: name },
    })),
  ]
  const held = new Set(
    collection.contents
      .filter((content) => content.server === server.slug)
      .map((content) => `${content.kind} ${content.reference}`),
  )
  if (found.length === 0)
    return <p className="px-4 pb-2 text-sm text-muted">{t('collections.offers_no_contents')}</p>
  return found.map((candidate) => (
    <div key={`${candidate.kind} ${candidate.reference}`} className="coll-candidate">
      <div className="min-w-0 flex-1">
        <p className="truncate">{visible(candidate.name)}</p>
        <code className="block truncate text-xs text-muted">{visible(candidate.reference)}</code>
      </div>
      <span className="text-xs text-muted">{t(KINDS[candidate.kind])}</span>
      <AddButton
        collection={collection.id}
        name={candidate.name}
        held={held.has(`${candidate.kind} ${candidate.reference}`)}
        what={candidate.what}
      />
    </div>
  ))
}

interface AddButtonProps {
  readonly collection: string
  readonly name: string
  readonly held: boolean
  readonly what: ContentToAdd
}

function AddButton({ collection, name, held, what }: AddButtonProps) {
  const t = useT()
  const add = useAddContent(collection)
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
