/**
 * Where a busy team begins: figures of today, what waits for somebody, the newest workflows and runs; beside them servers,
 * schedules and templates.
 */
import type { ReactNode } from 'react'
import { useT } from '@/i18n'
import { Figures } from './Figures'
import { NeedsYou, RecentRuns } from './lists'
import { Part } from './parts'
import { ComingUp, ServersToMend, TriggersThatWentOff } from './side'
import './busy.css'

interface BusyTeamProps {
  /** The workflows that were edited last. */
  readonly workflows: ReactNode
  readonly templates: ReactNode
}

export function BusyTeam({ workflows, templates }: BusyTeamProps) {
  const t = useT()
  return (
    <div className="busy">
      <div className="busy-main">
        <Figures />
        <NeedsYou />
        <Part
          title={t('workflows.busy_go_on')}
          all={{ href: '/workflows', label: t('workflows.busy_all_workflows') }}
        >
          {workflows}
        </Part>
        <RecentRuns />
      </div>
      <div className="busy-side">
        <ServersToMend />
        <TriggersThatWentOff />
        <ComingUp />
        {templates ? <Part title={t('workflows.start_title')}>{templates}</Part> : null}
      </div>
    </div>
  )
}
