/** The page's one websocket, wired to the browser and to what TanStack Query holds. */

import { useEffect } from 'react'
import { newRequestId } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { fetchEvents } from '@/api/runs'
import { currentLanguage } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { prefetch } from '@/ui/first-paint'
import { type OpenRun, type RunsSource, useConnectionOf } from './run-store'
import { LiveSocket, type Wire } from './socket'

function openWire(): Wire {
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws'
  return new WebSocket(`${scheme}://${window.location.host}/ws/?request_id=${newRequestId()}`) as Wire
}

/** Ask who is signed in and in which teams: the server said that something of it ended. */
const askWho = (): Promise<void> => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })

export const liveSocket = new LiveSocket({
  open: openWire,
  refused: askWho,
  language: currentLanguage,
  fetchEvents,
})

let opening: Promise<OpenRun> | null = null
let open: OpenRun | null = null

async function openRuns(): Promise<OpenRun> {
  const { RunFeeds, RunView } = await fetchCode(() => import('./run-view'))
  const feeds = new RunFeeds(liveSocket)
  open = (run, upTo = 0) => {
    const feed = feeds.feed(run)
    feed.expect(upTo)
    return new RunView(feed)
  }
  return open
}

/** The looks at runs over this socket. */
export const runs: RunsSource = {
  get open() {
    return open
  },
  load: prefetch(() => {
    opening ??= openRuns().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }),
}

/** How long a log that was asked for ahead is kept for somebody to show it, ms. */
const AHEAD_MS = 10_000

/** Begin to read the log of a run that is about to be shown, while the rest of its page comes. */
export async function readAhead(run: string): Promise<void> {
  const openRun = await runs.load()
  setTimeout(openRun(run).feed.hold(), AHEAD_MS)
}

/** Kinds of hints that touch more than the queries named like them. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  connected: ['interaction'], // nothing follows on a question that came before the page listened
  run: ['interaction', 'queue', 'trigger', 'workflow-list', 'collection'],
  server: ['collection'],
  interaction: ['run'],
  workflow: ['workflow-list'],
  draft: ['workflow', 'workflow-list'],
  version: ['workflow', 'workflow-list'],
  tool: ['server'],
  member: ['me', 'token', 'invitation'],
  team: ['me'],
}

const GATHER_MS = 250
const gathered = new Set<string>()
let asking = false

/** Ask again for what a hint is about; many hints at once ask once. */
function refresh(kinds: readonly string[]): void {
  for (const kind of kinds) gathered.add(kind)
  if (asking) return
  asking = true
  setTimeout(() => {
    asking = false
    const now = [...gathered]
    gathered.clear()
    if (now.includes('reconnected')) void queryClient.invalidateQueries()
    else for (const kind of now) void queryClient.invalidateQueries({ queryKey: [kind] })
  }, GATHER_MS)
}

function applyTeamHint(hint: Readonly<Record<string, unknown>>): void {
  if (typeof hint.kind === 'string') refresh([hint.kind, ...(ALSO[hint.kind] ?? [])])
}

/** Keep what the page shows of a team true; null = nobody is signed in. */
export function useTeamChanges(team: string | null): void {
  useEffect(() => {
    if (team === null) return
    return liveSocket.subscribe(`team:${team}`, { hint: applyTeamHint, error: () => void askWho() })
  }, [team])
}

/** Hints about one workflow, with the draft's revision and who saved it. */
export function useWorkflowChanges(
  workflow: string,
  onHint?: (hint: Readonly<Record<string, unknown>>) => void,
): void {
  useEffect(
    () =>
      liveSocket.subscribe(`workflow:${workflow}`, {
        hint: (hint) => {
          applyTeamHint(hint)
          onHint?.(hint)
        },
      }),
    [workflow, onHint],
  )
}

/** Whether the page hears the server: for the chip that says it does not. */
export function useConnection() {
  return useConnectionOf(liveSocket)
}

const ASLEEP_MS = 20_000

/** Tell the socket what the browser knows of the network; call once. Gives the way to stop. */
export function watchNetwork(): () => void {
  let hiddenAt: number | null = null
  const online = () => liveSocket.reconnect()
  const offline = () => liveSocket.lost()
  const visible = () => {
    if (document.hidden) {
      hiddenAt = Date.now()
      return
    }
    // A machine that slept has a connection that looks open and is not.
    if (hiddenAt !== null && Date.now() - hiddenAt > ASLEEP_MS) liveSocket.reconnect()
    hiddenAt = null
  }
  window.addEventListener('online', online)
  window.addEventListener('offline', offline)
  document.addEventListener('visibilitychange', visible)
  return () => {
    window.removeEventListener('online', online)
    window.removeEventListener('offline', offline)
    document.removeEventListener('visibilitychange', visible)
  }
}
