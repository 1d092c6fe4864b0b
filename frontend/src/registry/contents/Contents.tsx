/** What a server offers besides tools: its resources, its templates and its prompts, each to be tried in its place. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { asApiError } from '@/api/client'
import {
  type ContentChange,
  getPrompt,
  type KeptList,
  listAnew,
  promptPagesQuery,
  type ResourceTemplate,
  readResource,
  resourcePagesQuery,
} from '@/api/contents'
import { loadNextPage, type PagedQuery } from '@/api/next-page'
import { useMay } from '@/api/queries'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { bytes, duration, ErrorBox, IconButton, More, RelativeTime, Skeleton } from '@/ui'
import { Changes } from './Changes'
import { Offer } from './Offer'
import { type Given, Try } from './Try'

export function Contents({ server }: { readonly server: Server }) {
  const t = useT()
  if (!useMay('editor')) return <p className="text-muted">{t('contents.editors_only')}</p>
  if (!server.enabled) return <p className="text-muted">{t('contents.is_off')}</p>
  return (
    <div className="grid grid-cols-1 content-start gap-6">
      <Resources server={server} />
      <Prompts server={server} />
    </div>
  )
}

function Resources({ server }: { readonly server: Server }) {
  const t = useT()
  const query = useInfiniteQuery(resourcePagesQuery(server.id))
  const [first] = query.data?.pages ?? []
  const templates = first?.templates ?? []
  const resources = query.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <>
      <Section
        title={t('contents.resources')}
        total={first?.total}
        kept={first?.kept}
        query={query}
        anew={<ListAnew server={server.id} />}
        changes={<Changes server={server} kind="resource" changes={first?.changes} />}
      >
        {resources.map((item) => (
          <Offer
            key={item.uri}
            name={item.title ?? item.name}
            code={item.uri}
            about={item.description}
            facts={[item.mime_type, item.size === null ? null : bytes(item.size)]}
            action={t('contents.read')}
            change={item.change}
          >
            <Try
              at={{ server, of: item.uri, kind: 'resource' }}
              known={[]}
              ask={async () => contentOf(await readResource(server.id, item.uri, {}))}
            />
          </Offer>
        ))}
      </Section>
      {first ? <Templates server={server} templates={templates} changes={first.changes} /> : null}
    </>
  )
}

function Templates(props: {
  readonly server: Server
  readonly templates: readonly ResourceTemplate[]
  readonly changes: readonly ContentChange[]
}) {
  const t = useT()
  const { server, templates, changes } = props
  if (templates.length === 0 && !changes.some(({ kind }) => kind === 'template')) return null
  return (
    <Section
      title={t('contents.templates')}
      total={templates.length}
      changes={<Changes server={server} kind="template" changes={changes} />}
    >
      {templates.map((item) => (
        <Offer
          key={item.uri_template}
          name={item.title ?? item.name}
          code={item.uri_template}
          about={item.description}
          facts={[item.mime_type]}
          action={t('contents.fill')}
          change={item.change}
        >
          {item.variables ? (
            <Try
              at={{ server, of: item.uri_template, kind: 'template' }}
              known={item.variables}
              ask={async (values) => contentOf(await readResource(server.id, item.uri_template, values))}
            />
          ) : (
            <p className="text-sm text-muted">{t('contents.unreadable_template')}</p>
          )}
        </Offer>
      ))}
    </Section>
  )
}

function Prompts({ server }: { readonly server: Server }) {
  const t = useT()
  const query = useInfiniteQuery(promptPagesQuery(server.id))
  const [first] = query.data?.pages ?? []
  const prompts = query.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <Section
      title={t('contents.prompts')}
      total={first?.total}
      kept={first?.kept}
      query={query}
      changes={<Changes server={server} kind="prompt" changes={first?.changes} />}
    >
      {prompts.map((item) => (
        <Offer
          key={item.name}
          name={item.title ?? item.name}
          code={item.name}
          about={item.description}
          facts={[]}
          action={t('contents.try')}
          change={item.change}
        >
          <Try
            at={{ server, of: item.name, kind: 'prompt' }}
            known={item.arguments}
            ask={async (values) => {
              const { results, ms, messages } = await getPrompt(server.id, item.name, values)
              return { parts: results, ms, messages }
            }}
          />
        </Offer>
      ))}
    </Section>
  )
}

type Read = Awaited<ReturnType<typeof readResource>>

const contentOf = ({ uri, content, ms, messages }: Read): Given => ({
  uri,
  parts: content.map((block) => ({ content: block })),
  ms,
  messages,
})

interface Pages extends PagedQuery {
  readonly error: unknown
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly hasNextPage: boolean
  readonly isFetchNextPageError: boolean
}

function Section(props: {
  readonly title: string
  readonly total: number | undefined
  readonly kept?: KeptList | undefined
  readonly query?: Pages
  readonly anew?: ReactNode
  /** What changed since it was accepted. */
  readonly changes: ReactNode
  readonly children: readonly ReactNode[]
}) {
  const { title, total, kept, query, anew, changes, children } = props
  const t = useT()
  const id = `${useId()}heading`
  return (
    <section className="grid grid-cols-1 gap-2" aria-labelledby={id}>
      <div className="flex items-center gap-2">
        <h2 id={id} className="flex-none text-base font-semibold">
          {title}
        </h2>
        <span className="min-w-0 text-xs text-muted tabular-nums" role="status">
          {total}
          {kept ? <KeptFor kept={kept} /> : null}
        </span>
        <span className="ml-auto" />
        {anew}
      </div>
      {query?.error && total === undefined ? (
        <ErrorBox error={asApiError(query.error)} title={t('contents.failed')} />
      ) : null}
      {query?.isPending ? <Skeleton rows={3} /> : null}
      {changes}
      {total === 0 ? <p className="text-muted">{t('contents.nothing_offered')}</p> : null}
      {children.length > 0 ? <ul className="grid grid-cols-1 gap-2">{children}</ul> : null}
      {query?.hasNextPage ? (
        <More
          busy={query.isFetching}
          failed={query.isFetchNextPageError}
          load={() => void loadNextPage(query)}
        />
      ) : null}
    </section>
  )
}

/** When the server said it, and how long it may be shown again to whom. */
function KeptFor({ kept }: { readonly kept: KeptList }) {
  const t = useT()
  const time = duration(kept.ttl_ms)
  return (
    <>
      {' · '}
      <RelativeTime value={kept.at} />
      {kept.ttl_ms > 0 ? ' · ' : null}
      {kept.ttl_ms > 0
        ? kept.scope === 'public'
          ? t('contents.kept_public', { time })
          : t('contents.kept_private', { time })
        : null}
    </>
  )
}

function ListAnew({ server }: { readonly server: string }) {
  const t = useT()
  const client = useQueryClient()
  const anew = useMutation({
    mutationFn: () => listAnew(server),
    onSettled: () => client.invalidateQueries({ queryKey: ['server', server] }),
  })
  return (
    <IconButton label={t('contents.list_anew')} busy={anew.isPending} onClick={() => anew.mutate()}>
      <RefreshCw />
    </IconButton>
  )
}
