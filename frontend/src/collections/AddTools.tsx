/** Tools of the team's servers, and its published workflows, are looked for and put into a collection one by one. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type CollectionDetail, useAddTool } from '@/api/collections'
import { type Server, type ToolName, toolNamesQuery } from '@/api/servers'
import { type ListedWorkflow, workflowListQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { RiskBadge, Skeleton, visible } from '@/ui'
import { AddButton, AddDialog, MoreOf, TeamServers } from './Adding'

interface AddProps {
  readonly collection: CollectionDetail
  readonly onClose: () => void
}

export function AddTools({ collection, onClose }: AddProps) {
  const t = useT()
  return (
    <AddDialog
      title={t('collections.add_title', { name: visible(collection.name) })}
      searchLabel={t('collections.search')}
      listLabel={t('collections.add')}
      onClose={onClose}
    >
      {(search) => (
        <>
          <section aria-label={t('collections.servers')}>
            <h3 className="section-title px-4 py-2">{t('collections.servers')}</h3>
            <TeamServers search={search}>
              {(server) => <ServerTools collection={collection} server={server} search={search} />}
            </TeamServers>
          </section>
          <Workflows collection={collection} search={search} />
        </>
      )}
    </AddDialog>
  )
}

interface ResultsProps {
  readonly collection: CollectionDetail
  readonly search: string
}

function ServerTools({ collection, server, search }: ResultsProps & { readonly server: Server }) {
  const t = useT()
  const { data } = useQuery(toolNamesQuery(server.id))
  const there = data?.filter((tool) => !tool.gone)
  const fitting = there?.filter((tool) =>
    `${tool.name} ${tool.title}`.toLowerCase().includes(search.toLowerCase()),
  )
  const shown = fitting?.length ? fitting : there
  if (!shown) return <Skeleton rows={2} />
  if (shown.length === 0) return <p className="px-4 pb-2 text-sm text-muted">{t('collections.no_listed')}</p>
  return shown.map((tool) => <ToolRow key={tool.name} collection={collection} server={server} tool={tool} />)
}

interface ToolRowProps {
  readonly collection: CollectionDetail
  readonly server: Server
  readonly tool: ToolName
}

function ToolRow({ collection, server, tool }: ToolRowProps) {
  const add = useAddTool(collection.id)
  const held = collection.entries.some(
    (entry) => entry.server === server.slug && entry.original.name === tool.name,
  )
  return (
    <div className="coll-candidate">
      <div className="min-w-0 flex-1">
        <code>{visible(tool.name)}</code>
        <p className="truncate text-xs text-muted">{visible(tool.description)}</p>
      </div>
      <RiskBadge level={tool.risk.level} reasons={tool.risk.reasons} />
      <AddButton name={tool.name} held={held} what={{ server: server.slug, tool: tool.name }} add={add} />
    </div>
  )
}

function Workflows({ collection, search }: ResultsProps) {
  const t = useT()
  const query = useInfiniteQuery(workflowListQuery(search))
  const rows = query.data?.pages
    .flatMap((page) => page.results)
    .filter((row) => row.published_version !== null)
  if (!rows?.length && !query.hasNextPage) return null
  return (
    <section aria-label={t('collections.workflows')}>
      <h3 className="section-title px-4 py-2">{t('collections.workflows')}</h3>
      {rows?.map((row) => (
        <WorkflowOffer key={row.id} collection={collection} workflow={row} />
      ))}
      <MoreOf query={query} />
    </section>
  )
}

interface WorkflowOfferProps {
  readonly collection: CollectionDetail
  readonly workflow: ListedWorkflow
}

function WorkflowOffer({ collection, workflow }: WorkflowOfferProps) {
  const add = useAddTool(collection.id)
  const held = collection.entries.some((entry) => entry.kind === 'workflow' && entry.workflow === workflow.id)
  return (
    <div className="coll-candidate">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{visible(workflow.name)}</p>
        <p className="truncate text-xs text-muted">{visible(workflow.description)}</p>
      </div>
      <AddButton name={workflow.name} held={held} what={{ workflow: workflow.id }} add={add} />
    </div>
  )
}
