/** A server's tools: read by the page, searched on the server, and only the rows in view are in the document. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import { type Server, type Tool, toolPagesQuery } from '@/api/servers'
import { sentencesOf, useT } from '@/i18n'
import { useListedKind } from '@/registry/kind'
import { SIDE_PANEL } from '@/registry/server/Sides'
import { Callout, compact, ErrorBox, isoDate, More, Skeleton, TextField, useDebounced, visible } from '@/ui'
import { PoliciesAtOnce } from './PoliciesAtOnce'
import { ToolRow } from './ToolRows'

const ROW = 37
/** Rows before the end at which the next page is asked for. */
const AHEAD = 15
const FEW = 5

type LeftOut = { readonly tool: string; readonly message: string; readonly hint: string }

/** What the server lists and nobody can call, each with its reason. */
function LeftOutTools({ tools }: { tools: readonly LeftOut[] }) {
  const t = useT()
  if (tools.length === 0) return null
  return (
    <Callout tone="waiting">
      <p className="font-semibold">{t('registry.left_out', { n: tools.length })}</p>
      <ul className="grid max-h-40 gap-0.5 overflow-auto text-sm text-muted">
        {tools.map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name, which is the fault of one of them
          <li key={index}>{sentencesOf([visible(tool.message), tool.hint])}</li>
        ))}
      </ul>
    </Callout>
  )
}

/** Where the list begins in what scrolls; stages and errors above it come and go. */
function useMargin(list: { readonly current: HTMLElement | null }, scroller: () => Element | null): number {
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    const place = scroller()
    if (!list.current || !place) return
    const top = list.current.getBoundingClientRect().top - place.getBoundingClientRect().top + place.scrollTop
    if (Math.abs(top - margin) > 1) setMargin(top)
  })
  return margin
}

function Rows({
  server,
  tools,
  more,
  requested,
  onMore,
  onTry,
}: {
  readonly server: Server
  readonly tools: readonly Tool[]
  /** The tool that the address names: open, in sight and with the focus. */
  readonly requested: string | null
  readonly more: boolean
  readonly onMore: () => void
  readonly onTry: (tool: string) => void
}) {
  /** Undefined = nobody chose: the first that changed. */
  const [chosen, setChosen] = useState<string | null | undefined>(requested ?? undefined)
  const opened = chosen === undefined ? tools.find((tool) => tool.changed)?.name : chosen
  const list = useRef<HTMLUListElement>(null)
  const scroller = () => list.current?.closest(SIDE_PANEL) ?? null
  const margin = useMargin(list, scroller)
  const virtual = useVirtualizer({
    count: tools.length,
    getScrollElement: scroller,
    estimateSize: () => ROW,
    getItemKey: (index) => tools[index]?.name ?? index,
    overscan: 12,
    scrollMargin: margin,
    initialRect: { width: 600, height: 800 },
  })
  const requestedAt = requested === null ? -1 : tools.findIndex((tool) => tool.name === requested)
  const [reached, setReached] = useState(false)
  useEffect(() => {
    if (reached || requestedAt < 0) return
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${requestedAt}"]`)
    if (!row) return virtual.scrollToIndex(requestedAt, { align: 'start' })
    setReached(true)
    row.querySelector<HTMLElement>('button')?.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && last >= tools.length - AHEAD) onMore()
  }, [more, last, tools.length, onMore])
  return (
    <ul
      ref={list}
      className="relative overflow-hidden rounded-md border border-line"
      style={{ height: virtual.getTotalSize() + 1 }}
    >
      {items.map((item) => {
        const tool = tools[item.index]
        if (!tool) return null
        return (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-setsize={more ? -1 : tools.length}
            aria-posinset={item.index + 1}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            <ToolRow
              server={server}
              tool={tool}
              open={opened === tool.name}
              onToggle={() => setChosen(opened === tool.name ? null : tool.name)}
              onTry={() => onTry(tool.name)}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** The tool that the address asks for, `?tool=<name>`. */
export const useRequestedTool = (): string | null => new URLSearchParams(useSearch()).get('tool') || null

export function ToolList({
  server,
  requested,
  actions,
  onTry,
}: {
  readonly server: Server
  readonly requested: string | null
  /** Beside the heading: list anew. */
  readonly actions?: ReactNode
  readonly onTry: (tool: string) => void
}) {
  const t = useT()
  const words = useListedKind()
  const admin = useMay('admin')
  const [filter, setFilter] = useState('')
  const search = useDebounced(filter.trim())
  const query = useInfiniteQuery({
    ...toolPagesQuery(server.id, search),
    placeholderData: keepPreviousData,
  })
  const { data, error, hasNextPage, isFetching, isFetchNextPageError } = query
  const more = () => void loadNextPage(query)
  const tools = useMemo(() => data?.pages.flatMap((page) => page.results) ?? [], [data])
  const [first] = data?.pages ?? []
  const missing = first && requested !== null && !tools.some((tool) => tool.name === requested)
  // It may stand pages further down: the server's search brings it.
  const further = missing && hasNextPage && filter === ''
  useEffect(() => {
    if (further && requested !== null) setFilter(requested)
  }, [further, requested])
  if (!first)
    return error ? (
      <ErrorBox error={asApiError(error)} title={t('common.not_loaded')} />
    ) : (
      <Skeleton rows={4} />
    )
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t(words.tools)}>
      <div className="flex items-center gap-2 phone:flex-wrap">
        <h2 className="flex-none text-base font-semibold">{t(words.tools)}</h2>
        <span className="min-w-0 text-xs text-muted tabular-nums" role="status">
          {first.listed_at
            ? t('registry.tools_as_of', { n: first.total, date: isoDate(first.listed_at) })
            : first.total}
          {first.tokens > 0 ? (
            <span data-tip={t('registry.tools_tokens_tip')}>
              {' · '}
              {t('registry.tools_tokens', { tokens: compact(first.tokens) })}
            </span>
          ) : null}
        </span>
        <span className="ml-auto" />
        {actions}
        {admin && tools.length > 0 ? <PoliciesAtOnce server={server} /> : null}
        {first.total > FEW || filter ? (
          <TextField
            className="w-28 flex-none phone:flex-1"
            inputType="search"
            placeholder={t('common.filter')}
            aria-label={t('registry.filter_tools')}
            value={filter}
            onChange={setFilter}
          />
        ) : null}
      </div>
      {missing && !hasNextPage && !isFetching && (search === requested || filter === '') ? (
        <Callout tone="waiting">{t('registry.stale_tool', { name: visible(requested) })}</Callout>
      ) : null}
      <LeftOutTools tools={first.left_out} />
      {tools.length > 0 ? (
        <Rows
          server={server}
          tools={tools}
          more={hasNextPage && !isFetching && !isFetchNextPageError}
          requested={requested}
          onMore={more}
          onTry={onTry}
        />
      ) : (
        <p className="text-muted">{search ? t('registry.no_tool_fits') : t('registry.no_tools')}</p>
      )}
      {isFetchNextPageError ? <More busy={isFetching} failed load={more} /> : null}
    </section>
  )
}
