/** Where a run comes from: who started it, with which program, through which door, when; and the way to its trace. */

import { ExternalLink } from 'lucide-react'
import type { Run } from '@/api/run-types'
import { type Key, useT } from '@/i18n'
import { callerName } from '@/live/caller'
import { clock, isoDate, visible } from '@/ui'

/** What started it where no person pressed a button, in a word. */
const DOORS: Readonly<Record<string, Key>> = {
  api: 'runs.trigger_api',
  mcp: 'runs.trigger_mcp',
  a2a: 'runs.trigger_a2a',
  agui: 'runs.trigger_agui',
  webhook: 'runs.trigger_webhook',
  schedule: 'runs.trigger_schedule',
  event: 'runs.trigger_event',
  chat: 'runs.trigger_chat',
  page: 'runs.trigger_page',
  workflow: 'runs.trigger_child',
}

function began(run: Run, t: ReturnType<typeof useT>): string {
  const time = run.started_at ?? run.queued_at
  if (!time) return run.id
  const when = `${isoDate(time)} ${clock(time)}`
  const word = doorOf(run, t)
  if (!run.started_by) return `${run.id} · ${t('runs.started_by', { who: word || run.trigger, time: when })}`
  const who = visible(run.started_by)
  return word
    ? `${run.id} · ${t('runs.started_via', { who, door: word, time: when })}`
    : `${run.id} · ${t('runs.started_by', { who, time: when })}`
}

/** The door in a word, with the names of the program that came through it. */
function doorOf(run: Run, t: ReturnType<typeof useT>): string {
  const door = DOORS[run.trigger]
  const word = door === undefined ? '' : t(door as 'runs.trigger_api')
  const name = callerName(run.caller)
  return name && word ? t('runs.door_of', { door: word, name }) : name || word
}

export function RunOrigin({ run }: { run: Run }) {
  const t = useT()
  return (
    <>
      {run.trace_url ? (
        <a
          href={run.trace_url}
          target="_blank"
          rel="noreferrer"
          className="link inline-flex flex-none items-center gap-1 text-xs"
          {...(run.trace ? { title: run.trace } : {})}
        >
          {t('runs.trace')}
          <ExternalLink aria-hidden size={12} />
        </a>
      ) : null}
      <span className="min-w-0 shrink-99999 truncate text-xs text-muted narrow:hidden">{began(run, t)}</span>
    </>
  )
}
