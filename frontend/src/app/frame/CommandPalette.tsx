/** Everything there is to do, by typing a few letters of it; and nodes, workflows and tools by name. */
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { Command, defaultFilter, useCommandState } from 'cmdk'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { serversQuery, toolNamesQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { type Action, Dialog, Keys, keysOf, textOf, useAllActions, useTypedAhead, visible } from '@/ui'
import { useDebounced } from '@/ui/debounced'
import { useOfferedNodes } from './findable'
import { type Group, grouped } from './grouped'

const offered = (action: Action) => !action.hidden && (action.when?.() ?? true)

function Groups({
  groups,
  after,
}: {
  readonly groups: readonly Group[]
  readonly after: (run: () => void) => () => void
}) {
  const t = useT()
  return groups.map((group) => (
    <Command.Group key={group.title} heading={group.title || t('app.group_page')}>
      {group.actions.map((action) => (
        <Command.Item
          key={action.id}
          value={`${textOf(action.title)} ${action.id}`}
          onSelect={after(action.run)}
          className="menu-item"
        >
          <span className="truncate">{textOf(action.title)}</span>
          <span className="ml-auto flex gap-1.5">
            {keysOf(action)
              .slice(0, 1)
              .map((keys) => (
                <Keys key={keys} keys={keys} />
              ))}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  ))
}

const WORKFLOW = 'workflow:'

/** How well an entry fits what is typed; of a workflow only its name is looked at, for an id has all letters. */
const fit: typeof defaultFilter = (value, search, keywords) =>
  value.startsWith(WORKFLOW)
    ? defaultFilter(keywords?.join(' ') ?? '', search)
    : defaultFilter(value, search, keywords)

/** How many of a kind are shown; more is found by typing more. */
const MOST = 12

interface SearchHit {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly run: () => void
}

/** A group of what has a name, only once something is typed: all of it would bury what there is to do. */
function Named({
  heading,
  entries,
  after,
}: {
  readonly heading: string
  readonly entries: readonly SearchHit[]
  readonly after: (run: () => void) => () => void
}) {
  const words = useCommandState((state) => state.search)
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
  if (words.length === 0) return null
  const shown = entries.filter(({ title, about }) => {
    const all = `${title} ${about}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  if (shown.length === 0) return null
  return (
    <Command.Group heading={heading} forceMount>
      {shown.slice(0, MOST).map((entry) => (
        <Command.Item
          key={entry.key}
          value={entry.key}
          keywords={[entry.title, entry.about]}
          forceMount
          onSelect={after(entry.run)}
          className="menu-item"
        >
          <span className="truncate">{entry.title}</span>
          <span className="ml-auto truncate pl-2 text-xs text-muted">{entry.about}</span>
        </Command.Item>
      ))}
    </Command.Group>
  )
}

/** The team's tools as their servers' lists are known; nothing connects. `reading` = some are on their way. */
function useTools(navigate: (to: string) => void) {
  const { data: servers = [], isPending } = useQuery(serversQuery)
  return useQueries({
    queries: servers.map((server) => toolNamesQuery(server.id)),
    combine: (results) => ({
      reading: isPending || results.some((result) => result.isPending),
      tools: servers.flatMap((server, index): readonly SearchHit[] =>
        (results[index]?.data ?? [])
          .filter((tool) => !tool.gone)
          .map((tool) => ({
            key: `tool:${server.slug}/${tool.name}`,
            title: visible(tool.name),
            about: server.name,
            run: () => navigate(`/registry/${server.id}/tools?tool=${encodeURIComponent(tool.name)}`),
          })),
      ),
    }),
  })
}

/** How many workflows are asked for at once; a team with fewer has all of them in the first answer. */
const PAGE = 200

const workflowsOf = (q: string) =>
  queryOptions({
    queryKey: ['workflow', 'palette', q],
    queryFn: async () =>
      (await api.get('/api/workflows', { params: { query: { limit: PAGE, ...(q ? { q } : {}) } } })).results,
  })

/** The workflows that were changed last, and those that have what is typed in their name, once it rests. */
function useWorkflows(typed: string) {
  const words = useDebounced(typed)
  const last = useQuery(workflowsOf(''))
  const named = useQuery({ ...workflowsOf(words), placeholderData: keepPreviousData })
  const first = last.data ?? []
  const more = (named.data ?? []).filter(({ id }) => !first.some((workflow) => workflow.id === id))
  const asking = words !== typed || named.isPending || named.isPlaceholderData
  return { workflows: [...first, ...more], reading: last.isPending || (first.length >= PAGE && asking) }
}

/**
 * Enter that came before everything was there to choose from. It waits for the rest, and then does what stands first if
 * that is called what was typed: what only resembles it is left to be chosen by eye.
 */
function useEarlyEnter(search: string, setSearch: (text: string) => void, ready: boolean) {
  const list = useRef<HTMLDivElement>(null)
  const chosen = () => list.current?.querySelector<HTMLElement>('[cmdk-item][aria-selected="true"]')
  const isNamed = (item: HTMLElement | null | undefined) => {
    const title = item?.textContent?.toLowerCase() ?? ''
    return search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => title.includes(word))
  }
  const run = useRef(() => {})
  run.current = () => {
    // of tools that came last none is chosen by itself
    const first = chosen() ?? list.current?.querySelector<HTMLElement>('[cmdk-item]')
    if (isNamed(first)) first?.click()
  }
  // once the list has sorted what came last
  const setDue = useTypedAhead(setSearch, () => window.setTimeout(() => run.current()), ready)
  const onKeyDown = (event: KeyboardEvent) => {
    const early = event.key === 'Enter' && !event.nativeEvent.isComposing && !ready && !isNamed(chosen())
    if (early) event.preventDefault()
    setDue(early)
  }
  return { list, onKeyDown, onPointerDown: () => setDue(false) }
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const [search, setSearch] = useState('')
  const groups = grouped(useAllActions(), offered)
  const always = new Set([t('app.go'), t('app.group_app')])
  const ofPage = groups.filter((group) => !always.has(group.title))
  const everywhere = groups.filter((group) => always.has(group.title)).reverse()
  const { workflows, reading: readingWorkflows } = useWorkflows(search.trim())
  const { tools, reading: readingTools } = useTools(navigate)
  const { list, ...early } = useEarlyEnter(search, setSearch, !readingWorkflows && !readingTools)
  const nodes = useOfferedNodes().map((node) => ({ ...node, key: `node:${node.id}` }))
  const after = (run: () => void) => () => {
    onClose()
    // once the dialog has given the focus back, so that what runs may move it
    window.setTimeout(run)
  }
  return (
    <Dialog
      open
      headless
      bare
      className="command"
      onOpenChange={(open) => open || onClose()}
      title={t('app.palette')}
    >
      <Command loop label={t('app.palette')} filter={fit} {...early}>
        <Command.Input
          autoFocus
          value={search}
          onValueChange={setSearch}
          placeholder={t('app.palette_placeholder')}
          className="command-input"
        />
        <Command.List ref={list} className="command-list">
          <Command.Empty className="px-4 py-6 text-muted">
            {t(readingWorkflows || readingTools ? 'common.loading' : 'app.palette_empty')}
          </Command.Empty>
          <Named heading={t('app.palette_nodes')} entries={nodes} after={after} />
          <Groups groups={ofPage} after={after} />
          {workflows.length > 0 ? (
            <Command.Group heading={t('app.workflows')}>
              {workflows.map((workflow) => (
                <Command.Item
                  key={workflow.id}
                  value={`${WORKFLOW}${workflow.id}`}
                  keywords={[t('app.open_workflow', { name: workflow.name })]}
                  onSelect={after(() => navigate(`/workflows/${workflow.id}`))}
                  className="menu-item"
                >
                  <span className="truncate">{t('app.open_workflow', { name: workflow.name })}</span>
                </Command.Item>
              ))}
            </Command.Group>
          ) : null}
          <Named heading={t('app.palette_tools')} entries={tools} after={after} />
          <Groups groups={everywhere} after={after} />
        </Command.List>
      </Command>
    </Dialog>
  )
}
