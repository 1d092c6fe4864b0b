/** To whom a workflow is offered: its doors in a list, and beside it the one that the address names. */
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link, useParams } from 'wouter'
import { sharedWorkflowQuery } from '@/api/offer'
import type { Trigger } from '@/api/triggers'
import type { Workflow } from '@/api/workflows'
import { useT } from '@/i18n'
import { lazily } from '@/loading/lazily'
import { EmptyState, PageBar, Scroll, Skeleton, useNarrow, visible, WorkflowTabs } from '@/ui'
import { DoorList } from './DoorList'
import { DOORS, type OfferedDoor } from './doors'
import { DoorFailed, DoorLoading } from './parts'
import { TriggerDoor } from './TriggerDoor'
import { useTriggers } from './triggers'
import './share.css'

const LAZY = new Map(
  DOORS.filter((door): door is OfferedDoor => 'load' in door).map((door) => [door.id, lazily(door.load)]),
)

export default function SharePage() {
  const { id = '', door } = useParams<{ id: string; door?: string }>()
  const t = useT()
  const { data, error, refetch } = useQuery(sharedWorkflowQuery(id))
  if (data) return <Shown workflow={data} door={door} />
  return (
    <>
      <PageBar title={t('share.title')} />
      {error ? <DoorFailed error={error} onRetry={refetch} /> : <Skeleton rows={6} />}
    </>
  )
}

interface ShownProps {
  readonly workflow: Workflow
  /** As the address names it; undefined = none, and where there is room the first. */
  readonly door: string | undefined
}

function Shown({ workflow, door }: ShownProps) {
  const t = useT()
  const narrow = useNarrow()
  const triggers = useTriggers(workflow.id)
  const shown = door ?? (narrow ? undefined : DOORS[0]?.id)
  const canvas = { label: visible(workflow.name), href: `/workflows/${workflow.id}` }
  const crumbs = [{ label: t('app.workflows'), href: '/workflows' }, canvas]
  return (
    <>
      <PageBar title={t('share.title')} crumbs={crumbs} back={canvas}>
        <WorkflowTabs workflow={workflow.id} current="share" />
      </PageBar>
      <div className="share-panes">
        {narrow && shown !== undefined ? null : (
          <Scroll label={t('share.doors')} className="share-list">
            <DoorList workflow={workflow} triggers={triggers} selected={shown} />
          </Scroll>
        )}
        {shown === undefined ? null : (
          <Scroll label={t('share.title')} className="min-w-0 flex-1 bg-surface">
            {narrow ? (
              <Link className="share-back link" href={`/workflows/${workflow.id}/share`}>
                {t('share.to_all')}
              </Link>
            ) : null}
            <Chosen key={shown} workflow={workflow} door={shown} triggers={triggers} />
          </Scroll>
        )}
      </div>
    </>
  )
}

interface ChosenProps {
  readonly workflow: Workflow
  readonly door: string
  readonly triggers: readonly Trigger[]
}

function Chosen({ workflow, door: id, triggers }: ChosenProps) {
  const t = useT()
  const door = DOORS.find((known) => known.id === id)
  if (door === undefined) return <EmptyState title={t('share.no_door')} />
  if ('trigger' in door) {
    const own = triggers.filter(({ kind }) => kind === door.id)
    return <TriggerDoor door={door} workflow={workflow} triggers={own} />
  }
  const Door = LAZY.get(door.id)
  return <Suspense fallback={<DoorLoading />}>{Door ? <Door workflow={workflow} /> : null}</Suspense>
}
