/** The left panel: servers with their tools, and below them the node types. Drag, or Enter. */
import { useQuery } from '@tanstack/react-query'
import './palette.css'
import { ChevronDown, ChevronRight, GripVertical, Hand, PanelLeft, Plus, Search, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useState } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import { providersQuery } from '@/api/providers'
import { serverIcon, typeIcon } from '@/graph/nodes/icons'
import { type NodeTemplate, toolTemplate } from '@/graph/nodes/templates'
import type { NodeType } from '@/graph/types'
import { sentenceGap, useT } from '@/i18n'
import { Button, IconButton, Kbd, number, RiskBadge, Skeleton, useSlow, visible } from '@/ui'
import {
  GROUPS,
  groupOf,
  nameOfGroup,
  type PaletteServer,
  type PaletteTool,
  useAllTools,
  usePaletteTypes,
  useReadTools,
  useServers,
  useTools,
  useTypeTemplate,
} from './catalog'

const FIRST_TOOLS = 12

export interface PalettePanelProps {
  /** Enter or a click with the keyboard: put it where a person would expect it. */
  readonly onInsert: (template: NodeTemplate) => void
  /** A press that may become a drag onto the canvas. */
  readonly onLift: (template: NodeTemplate, event: PointerEvent) => void
  /** What is being dragged, by title. */
  readonly lifted?: string | undefined
  readonly onHide: () => void
  readonly readOnly: boolean
  /** It lies over the canvas for a moment: a click inserts. */
  readonly drawer?: boolean
}

/** A row or button of the palette panel: pointer press lifts, Enter inserts; a plain click only selects it. */
function grab({ onInsert, onLift, readOnly, drawer = false }: PalettePanelProps, template: NodeTemplate) {
  return {
    onPointerDown: (event: PointerEvent) => {
      if (!readOnly) onLift(template, event)
    },
    onClick: (event: MouseEvent) => {
      // Enter has inserted already
      if (drawer && !readOnly && event.detail > 0) onInsert(template)
    },
    onDoubleClick: () => {
      if (!drawer && !readOnly) onInsert(template)
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || readOnly) return
      event.preventDefault()
      onInsert(template)
    },
  }
}

/** Arrow keys walk through the palette's rows. */
function walk(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const index = rows.indexOf(document.activeElement as HTMLElement)
  const next = rows[index + (event.key === 'ArrowDown' ? 1 : -1)]
  if (index < 0 || !next) return
  event.preventDefault()
  event.stopPropagation()
  next.focus()
}

function ToolRow({
  server,
  tool,
  panel,
}: {
  server: PaletteServer
  tool: PaletteTool
  panel: PalettePanelProps
}) {
  const t = useT()
  const about = tool.description ? `${tool.description.slice(0, 200)}` : t('palette.drag_hint')
  return (
    <button
      type="button"
      data-row
      className="palette-row palette-tool"
      data-lifted={panel.lifted === tool.name}
      data-tip={about}
      data-testid={`tool-${server.slug}-${tool.name}`}
      {...grab(panel, toolTemplate(server.slug, tool.name))}
    >
      <GripVertical className="grip" aria-hidden />
      <span className="min-w-0 flex-1 truncate">{visible(tool.name)}</span>
      {tool.risk ? <RiskBadge level={tool.risk.level} reasons={tool.risk.reasons ?? []} /> : null}
    </button>
  )
}

function Health({ server }: { server: PaletteServer }) {
  const t = useT()
  const { state, message, latency_ms: ms } = server.status
  if (!server.enabled) return <span className="text-xs text-idle">{t('palette.off')}</span>
  if (state === 'ok') {
    const text =
      typeof ms === 'number' ? t('palette.status_ok_ms', { ms: Math.round(ms) }) : t('palette.status_ok')
    return <span className="dot" data-tone="ok" role="img" aria-label={text} data-tip={text} />
  }
  if (state === 'error')
    return (
      <>
        <span className="text-xs text-failed" data-tip={message ?? undefined}>
          {t('palette.status_error')}
        </span>
        <span className="dot" data-tone="failed" aria-hidden />
      </>
    )
  const text = t('palette.status_unknown')
  return <span className="dot" data-tone="idle" role="img" aria-label={text} data-tip={text} />
}

function Server({
  server,
  panel,
  matching,
}: {
  server: PaletteServer
  panel: PalettePanelProps
  matching: readonly PaletteTool[] | null
}) {
  const t = useT()
  const [opened, setOpened] = useState(false)
  const [all, setAll] = useState(false)
  const open = opened || matching !== null
  const { data, error, isPending, refetch } = useTools(server.id, open)
  const slow = useSlow(open && isPending)
  const Icon = server.kind === 'agent' ? typeIcon('agent') : serverIcon(server.slug)
  const tools = matching ?? data ?? []
  const shown = all ? tools : tools.slice(0, FIRST_TOOLS)
  // a server that was never reached has no number of tools
  const count = data?.length || server.status.tool_count
  return (
    <li>
      <button
        type="button"
        data-row
        className="palette-row"
        aria-expanded={open}
        data-testid={`server-${server.slug}`}
        onClick={() => setOpened(!opened)}
      >
        {open ? (
          <ChevronDown className="chevron" aria-hidden />
        ) : (
          <ChevronRight className="chevron" aria-hidden />
        )}
        <Icon aria-hidden />
        <span className="min-w-0 flex-1 truncate font-medium">{visible(server.name)}</span>
        {typeof count === 'number' ? (
          <span className="text-xs text-muted tabular-nums">{number(count)}</span>
        ) : null}
        <Health server={server} />
      </button>
      {open ? (
        <ul>
          {shown.map((tool) => (
            <li key={tool.name}>
              <ToolRow server={server} tool={tool} panel={panel} />
            </li>
          ))}
          {tools.length > shown.length ? (
            <li>
              <button
                type="button"
                data-row
                className="palette-row palette-tool text-muted"
                onClick={() => setAll(true)}
              >
                {t('palette.more_tools', { n: tools.length - shown.length })}
              </button>
            </li>
          ) : null}
          {slow ? <li className="palette-note">{t('palette.loading')}</li> : null}
          {error ? (
            <li className="palette-note text-failed">
              {t('palette.failed', { reason: asApiError(error).message })}
              {sentenceGap()}
              <button type="button" className="link" onClick={() => void refetch()}>
                {t('palette.retry')}
              </button>
            </li>
          ) : null}
          {data?.length === 0 && matching === null ? <ReadTools server={server} /> : null}
        </ul>
      ) : null}
    </li>
  )
}

/** Nothing is known of a server until somebody asks it: the one place of the palette panel that connects. */
function ReadTools({ server }: { server: PaletteServer }) {
  const t = useT()
  const read = useReadTools(server.id)
  const error = read.error ? asApiError(read.error) : null
  return (
    <li className="palette-note grid justify-items-start gap-1.5">
      {error ? <span className="text-failed">{error.message}</span> : <span>{t('palette.no_tools')}</span>}
      <span className="flex items-center gap-2">
        <Button size="small" busy={read.isPending} onClick={() => read.mutate()}>
          {t('palette.read_tools')}
        </Button>
        {error ? (
          <Link className="link" href={`/registry/${server.id}`}>
            {t('palette.why')}
          </Link>
        ) : null}
      </span>
    </li>
  )
}

function Nodes({
  group,
  types,
  panel,
  forced,
}: {
  group: string
  types: readonly NodeType[]
  panel: PalettePanelProps
  forced: boolean
}) {
  const t = useT()
  const template = useTypeTemplate()
  const [folded, setFolded] = useState(false)
  const open = forced || !folded
  return (
    <li>
      <button
        type="button"
        data-row
        className="palette-row"
        aria-expanded={open}
        onClick={() => setFolded(!folded)}
      >
        {open ? (
          <ChevronDown className="chevron" aria-hidden />
        ) : (
          <ChevronRight className="chevron" aria-hidden />
        )}
        <span className="section-title flex-1">{nameOfGroup(group, t)}</span>
        {open ? null : <span className="text-xs text-muted">{types.length}</span>}
      </button>
      {open ? (
        <div className="palette-nodes">
          {types.map((type) => {
            const Icon = typeIcon(type.type)
            return (
              <button
                key={type.type}
                type="button"
                data-row
                className="palette-node"
                data-tip={type.description || t('palette.drag_hint')}
                data-testid={`type-${type.type}`}
                {...grab(panel, template(type))}
              >
                <Icon aria-hidden />
                <span className="truncate">{type.title}</span>
              </button>
            )
          })}
        </div>
      ) : null}
    </li>
  )
}

/** Node types that come from a server's row and not from the palette. */
const FROM_SERVERS: ReadonlySet<string> = new Set(['tool'])

export function PalettePanel(props: PalettePanelProps) {
  const t = useT()
  const [query, setQuery] = useState('')
  const search = query.trim().toLowerCase()
  const { data: servers, error, isPending, refetch } = useServers()
  useQuery(providersQuery)
  const tools = useAllTools(servers ?? [], search !== '')
  const types = usePaletteTypes().filter((type) => !FROM_SERVERS.has(type.type))
  const slow = useSlow(isPending)

  const matches = (server: PaletteServer): readonly PaletteTool[] | null => {
    if (search === '') return null
    return (tools.get(server.id) ?? []).filter((tool) =>
      `${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase().includes(search),
    )
  }
  const named = (server: PaletteServer): boolean =>
    `${server.name} ${server.slug}`.toLowerCase().includes(search)
  const shownServers = (servers ?? []).filter(
    (server) => search === '' || named(server) || (matches(server)?.length ?? 0) > 0,
  )
  const fitting = (type: NodeType): boolean =>
    `${type.title} ${type.type} ${type.description}`.toLowerCase().includes(search)
  const groups = [...new Set([...GROUPS, ...types.map(groupOf)])]
    .map((group) => ({ group, types: types.filter((type) => groupOf(type) === group && fitting(type)) }))
    .filter((entry) => entry.types.length > 0)

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only move between the buttons inside
    <div className="palette-panel" onKeyDown={walk}>
      <div className="flex h-11 flex-none items-center gap-1 border-b border-line pr-2 pl-3">
        <div className="input">
          <Search aria-hidden />
          <input
            value={query}
            placeholder={t('palette.search')}
            aria-label={t('palette.search')}
            onChange={(event) => setQuery(event.target.value)}
          />
          <Kbd>/</Kbd>
        </div>
        <IconButton label={t('palette.hide')} keys="[" onClick={props.onHide}>
          {props.drawer ? <X /> : <PanelLeft />}
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-auto pt-1 pb-4">
        <div className="flex h-7 items-center gap-2 px-3">
          <h2 className="section-title flex-1">{t('palette.servers')}</h2>
          {servers ? <span className="text-xs text-muted tabular-nums">{servers.length}</span> : null}
          <Link
            href="/registry?add=1"
            className="btn btn-quiet btn-icon btn-small -mr-1.5"
            aria-label={t('palette.add_server')}
            data-tip={t('palette.add_server')}
          >
            <Plus aria-hidden />
          </Link>
        </div>
        {slow ? <Skeleton rows={4} row={28} /> : null}
        {error ? (
          <p className="palette-note text-failed">
            {asApiError(error).message}
            {sentenceGap()}
            <button type="button" className="link" onClick={() => void refetch()}>
              {t('palette.retry')}
            </button>
          </p>
        ) : null}
        {servers?.length === 0 ? (
          <p className="px-3 pb-2 text-sm text-muted">{t('palette.no_servers')}</p>
        ) : null}
        <ul>
          {shownServers.map((server) => {
            const hits = matches(server)
            return (
              <Server
                key={server.id}
                server={server}
                panel={props}
                matching={hits && hits.length > 0 ? hits : null}
              />
            )
          })}
        </ul>
        <div className="my-2 border-t border-line" />
        <h2 className="sr-only">{t('palette.nodes')}</h2>
        <ul>
          {groups.map((entry) => (
            <Nodes
              key={entry.group}
              group={entry.group}
              types={entry.types}
              panel={props}
              forced={search !== ''}
            />
          ))}
        </ul>
        {search !== '' && shownServers.length + groups.length === 0 ? (
          <p className="px-3 py-2 text-sm text-muted">{t('palette.empty')}</p>
        ) : null}
      </div>
      {props.drawer && !props.readOnly ? (
        <p className="palette-hint">
          <Hand aria-hidden />
          {t('palette.touch_hint')}
        </p>
      ) : null}
    </div>
  )
}
