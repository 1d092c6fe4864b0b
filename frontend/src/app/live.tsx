/** The page's one websocket, the runs it feeds, and the hints of the team's topic that make lists fresh. */
import { type ReactNode, useEffect, useMemo } from 'react'
import { send } from '@/api/client'
import { queryClient } from '@/api/queries'
import { RunFeeds, RunFeedsProvider, useConnectionOf } from '@/api/run-store'
import type { RunEvent } from '@/api/run-types'
import { LiveSocket, type Wire } from '@/api/socket'
import { useT } from '@/i18n'

const openWire = (): Wire => {
  const address = new URL('/ws/', window.location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  return new WebSocket(address) as Wire
}

const fetchEvents = async (run: string, after: number): Promise<readonly RunEvent[]> => {
  const page = await send<{ results: readonly RunEvent[] }>('GET', `/api/runs/${run}/events?after=${after}`)
  return page.results
}

let socket: LiveSocket | null = null

/** The socket; opens with its first subscriber. */
export function liveSocket(): LiveSocket {
  socket ??= new LiveSocket({ open: openWire, fetchEvents })
  return socket
}

/** Gives runs to the pages below and keeps the lists of `team` fresh. */
export function Live({ team, children }: { team: string; children: ReactNode }) {
  const feeds = useMemo(() => new RunFeeds(liveSocket()), [])
  useEffect(
    () =>
      liveSocket().subscribe(`team:${team}`, {
        hint: (hint) => {
          const kind = hint.kind
          if (kind === 'reconnected') void queryClient.invalidateQueries()
          else if (typeof kind === 'string') void queryClient.invalidateQueries({ queryKey: [kind] })
        },
      }),
    [team],
  )
  return <RunFeedsProvider feeds={feeds}>{children}</RunFeedsProvider>
}

/** Says when the connection is lost, and nothing else. */
export function ConnectionLine() {
  const t = useT()
  const connection = useConnectionOf(liveSocket())
  if (connection !== 'offline') return null
  return (
    <p className="border-b border-line bg-well px-4 py-1 text-sm text-waiting" role="status">
      {t('app.offline')}
    </p>
  )
}
