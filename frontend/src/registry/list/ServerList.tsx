/** The servers in rows: health, kind, protocol, latency, tools, workflows; two lines each where that has no room. */
import { Lock } from 'lucide-react'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { useListedKind } from '@/registry/kind'
import { Chip, cx, duration, number, StatusWord, usePhone, visible } from '@/ui'
import { daysLeft, healthOf, sinceText, WARN_DAYS } from './health'
import { ServerIcon } from './ServerIcon'
import './list.css'

export function Warnings({ server }: { server: Server }) {
  const t = useT()
  const days = daysLeft(server)
  return (
    <>
      {days !== null && days <= WARN_DAYS ? (
        <Chip tone={days <= 0 ? 'failed' : 'waiting'}>
          {days <= 0 ? (
            t('registry.expired')
          ) : (
            <>
              <span className="server-long">{t('registry.expires_in', { n: days })}</span>
              <span className="server-brief" aria-hidden data-tip={t('registry.expires_in', { n: days })}>
                {t('registry.days_left', { n: days })}
              </span>
            </>
          )}
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
  const since = health.status === 'failed' ? server.status.since : null
  return (
    <span className="server-health">
      <StatusWord status={health.status}>{t(health.word)}</StatusWord>
      {since ? (
        <time className="text-xs whitespace-nowrap text-muted tabular-nums" dateTime={since}>
          {t('registry.failing_since', { time: sinceText(since) })}
        </time>
      ) : null}
    </span>
  )
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
              'server-card grid min-h-16 w-full grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 border-b border-line px-4 py-2 text-left',
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

/** Its name with what is to be known of it, and below it, where that has no columns, how it is reached. */
function Name({ server }: { readonly server: Server }) {
  return (
    <span className="server-name">
      <ServerIcon slug={server.slug} transport={server.transport} />
      <span className="flex min-w-0 items-center gap-2">
        {/* its press is the row's; a button, so that the keyboard reaches it */}
        <button type="button" className="truncate font-medium" data-tip={visible(server.name)}>
          {visible(server.name)}
        </button>
        <Warnings server={server} />
      </span>
      <span className="server-how">
        {[server.transport, server.status.protocol].filter(Boolean).join(' · ')}
      </span>
    </span>
  )
}

function Row({ server, selected, onSelect }: { readonly server: Server } & Omit<ListProps, 'servers'>) {
  const t = useT()
  const { latency_ms, protocol, tool_count } = server.status
  return (
    <tr aria-selected={server.slug === selected} onClick={() => onSelect(server)}>
      <td>
        <Name server={server} />
      </td>
      <td>
        <HealthWord server={server} />
      </td>
      <td className="server-apart font-mono text-xs text-muted">{server.transport}</td>
      <td className="server-apart font-mono text-xs text-muted">{protocol ?? t('registry.none_yet')}</td>
      <td className="server-extra text-right tabular-nums">
        {latency_ms === null ? '—' : duration(latency_ms)}
      </td>
      <td className="text-right tabular-nums">{tool_count === null ? '—' : number(tool_count)}</td>
      <td className="server-extra text-right tabular-nums">{server.workflows}</td>
    </tr>
  )
}

export function ServerList({ servers, selected, onSelect }: ListProps) {
  const t = useT()
  const phone = usePhone()
  const kind = useListedKind()
  if (phone) return <Cards servers={servers} selected={selected} onSelect={onSelect} />
  return (
    <table className="table server-list">
      <colgroup>
        <col />
        <col className="w-36 wall:w-[16%]" />
        <col className="server-apart w-19 wall:w-[9%]" />
        <col className="server-apart w-28 wall:w-[11%]" />
        <col className="server-extra w-19 wall:w-[9%]" />
        <col className="w-15 wall:w-[9%]" />
        <col className="server-extra w-22 wall:w-[11%]" />
      </colgroup>
      <thead>
        <tr>
          <th>{t(kind.one)}</th>
          <th>{t('registry.health')}</th>
          <th className="server-apart">{t('registry.kind')}</th>
          <th className="server-apart">{t('registry.protocol')}</th>
          <th className="server-extra text-right!">{t('registry.latency')}</th>
          <th className="text-right!">{t(kind.tools)}</th>
          <th className="server-extra text-right!">{t('registry.workflows')}</th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <Row key={server.id} server={server} selected={selected} onSelect={onSelect} />
        ))}
      </tbody>
    </table>
  )
}
