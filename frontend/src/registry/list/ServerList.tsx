/** The servers in rows: health, kind, protocol, latency, tools, workflows. On a phone two lines each. */
import { Lock } from 'lucide-react'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Chip, cx, duration, number, StatusWord, useNarrow, visible } from '@/ui'
import { daysLeft, healthOf, WARN_DAYS } from './health'
import { ServerIcon } from './ServerIcon'

export function Warnings({ server }: { server: Server }) {
  const t = useT()
  const days = daysLeft(server)
  return (
    <>
      {days !== null && days <= WARN_DAYS ? (
        <Chip tone={days <= 0 ? 'failed' : 'waiting'}>
          {days <= 0 ? t('registry.expired') : t('registry.expires_in', { n: days })}
        </Chip>
      ) : null}
      {server.changed_tools > 0 ? (
        <Chip tone="waiting">{t('registry.n_changed', { n: server.changed_tools })}</Chip>
      ) : null}
      {server.visibility === 'private' ? (
        <Chip>
          <Lock aria-hidden />
          {t('registry.private')}
        </Chip>
      ) : null}
    </>
  )
}

export function HealthWord({ server }: { server: Server }) {
  const t = useT()
  const health = healthOf(server)
  return <StatusWord status={health.status}>{t(health.word)}</StatusWord>
}

interface ListProps {
  readonly servers: readonly Server[]
  readonly selected: string | undefined
  readonly onSelect: (server: Server) => void
}

function Cards({ servers, selected, onSelect }: ListProps) {
  const t = useT()
  return (
    <ul>
      {servers.map((server) => (
        <li key={server.id}>
          <button
            type="button"
            className={cx(
              'grid min-h-16 w-full grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 border-b border-line px-4 py-2 text-left',
              server.slug === selected && 'bg-press',
            )}
            onClick={() => onSelect(server)}
          >
            <ServerIcon slug={server.slug} transport={server.transport} />
            <span className="truncate font-medium">{visible(server.name)}</span>
            <HealthWord server={server} />
            <span />
            <span className="flex flex-wrap items-center gap-2 text-xs text-muted">
              <span className="font-mono">{server.transport}</span>
              {server.status.tool_count === null
                ? null
                : t('registry.tool_count', { n: server.status.tool_count })}
              <Warnings server={server} />
            </span>
            <span className="text-right text-xs text-muted tabular-nums">
              {server.status.latency_ms === null ? '' : duration(server.status.latency_ms)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

export function ServerList({ servers, selected, onSelect }: ListProps) {
  const t = useT()
  const narrow = useNarrow()
  if (narrow) return <Cards servers={servers} selected={selected} onSelect={onSelect} />
  return (
    <table className="table">
      <colgroup>
        <col />
        <col className="w-36" />
        <col className="w-15" />
        <col className="w-24" />
        <col className="w-19" />
        <col className="w-15" />
        <col className="w-22" />
      </colgroup>
      <thead>
        <tr>
          <th>{t('registry.server')}</th>
          <th>{t('registry.health')}</th>
          <th>{t('registry.kind')}</th>
          <th>{t('registry.protocol')}</th>
          <th className="text-right!">{t('registry.latency')}</th>
          <th className="text-right!">{t('registry.tools')}</th>
          <th className="text-right!">{t('registry.workflows')}</th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <tr key={server.id} aria-selected={server.slug === selected} onClick={() => onSelect(server)}>
            <td>
              <span className="flex items-center gap-2">
                <ServerIcon slug={server.slug} transport={server.transport} />
                <button
                  type="button"
                  className="truncate font-medium"
                  onClick={(event) => {
                    event.stopPropagation()
                    onSelect(server)
                  }}
                >
                  {visible(server.name)}
                </button>
                <Warnings server={server} />
              </span>
            </td>
            <td>
              <HealthWord server={server} />
            </td>
            <td className="font-mono text-xs text-muted">{server.transport}</td>
            <td className="font-mono text-xs text-muted">
              {server.status.protocol ?? t('registry.none_yet')}
            </td>
            <td className="text-right tabular-nums">
              {server.status.latency_ms === null ? '—' : duration(server.status.latency_ms)}
            </td>
            <td className="text-right tabular-nums">
              {server.status.tool_count === null ? '—' : number(server.status.tool_count)}
            </td>
            <td className="text-right tabular-nums">{server.workflows}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
