/** Resources, templates and prompts of the team's servers are looked for and put into a collection one by one. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import {
  type CollectionContent,
  type CollectionDetail,
  type ContentToAdd,
  useAddContent,
} from '@/api/collections'
import { promptsQuery, resourcesQuery } from '@/api/contents'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { ErrorBox, Skeleton, visible } from '@/ui'
import { AddButton, AddDialog, TeamServers } from './Adding'
import { KINDS } from './kinds'

interface AddProps {
  readonly collection: CollectionDetail
  readonly onClose: () => void
}

export function AddContents({ collection, onClose }: AddProps) {
  const t = useT()
  return (
    <AddDialog
      title={t('collections.add_contents_title', { name: visible(collection.name) })}
      searchLabel={t('collections.find_server')}
      listLabel={t('collections.add_contents')}
      onClose={onClose}
    >
      {(search) => (
        <TeamServers search={search} fits={hasContents}>
          {(server) => <Offers collection={collection} server={server} />}
        </TeamServers>
      )}
    </AddDialog>
  )
}

/** APIs and agents have tools alone, and a server that is switched off is not asked. */
function hasContents({ enabled, transport }: Server): boolean {
  return enabled && transport !== 'openapi' && transport !== 'a2a'
}

/** Something that may be put in. */
interface Candidate {
  readonly kind: CollectionContent['kind']
  readonly reference: string
  readonly name: string
  readonly what: ContentToAdd
}

interface OffersProps {
  readonly collection: CollectionDetail
  readonly server: Server
}

/** The server is asked, so it may take a moment, or fail. */
function Offers({ collection, server }: OffersProps) {
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
  const candidates: Candidate[] = [
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
  if (candidates.length === 0)
    return <p className="px-4 pb-2 text-sm text-muted">{t('collections.offers_no_contents')}</p>
  return candidates.map((candidate) => (
    <Offer
      key={`${candidate.kind} ${candidate.reference}`}
      collection={collection}
      server={server}
      candidate={candidate}
    />
  ))
}

interface OfferProps extends OffersProps {
  readonly candidate: Candidate
}

function Offer({ collection, server, candidate }: OfferProps) {
  const t = useT()
  const add = useAddContent(collection.id)
  const held = collection.contents.some(
    (content) =>
      content.server === server.slug &&
      content.kind === candidate.kind &&
      content.reference === candidate.reference,
  )
  return (
    <div className="coll-candidate">
      <div className="min-w-0 flex-1">
        <p className="truncate">{visible(candidate.name)}</p>
        <code className="block truncate text-xs text-muted">{visible(candidate.reference)}</code>
      </div>
      <span className="text-xs text-muted">{t(KINDS[candidate.kind])}</span>
      <AddButton name={candidate.name} held={held} what={candidate.what} add={add} />
    </div>
  )
}
