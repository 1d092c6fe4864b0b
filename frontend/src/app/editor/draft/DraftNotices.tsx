/** What to do when somebody else was faster. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import { failureOf } from '@/api/client'
import { createWorkflow, fetchWorkflow } from '@/api/workflows'
import { useGraphStore } from '@/graph/context'
import { readGraph } from '@/graph/read'
import { useT } from '@/i18n'
import { Button, dateTime, toast } from '@/ui'
import type { Conflict, DraftSaver } from './drafts'

/** Cards at the lower right of the canvas: a conflict to decide, or a newer revision to load. */
export function DraftNotices({
  saver,
  workflow,
  name,
}: {
  saver: DraftSaver
  workflow: string
  name: string
}) {
  const t = useT()
  const store = useGraphStore()
  const save = useStore(saver.state, (state) => state.save)
  const newer = useStore(saver.state, (state) => state.newer)
  const [busy, setBusy] = useState(false)

  const load = async () => {
    setBusy(true)
    try {
      const fresh = await fetchWorkflow(workflow)
      store.getState().load(readGraph(fresh.draft.graph))
      saver.loaded(fresh.draft.revision, Date.parse(fresh.draft.at))
    } catch (error) {
      toast.error(failureOf(error))
    } finally {
      setBusy(false)
    }
  }
  if (save.kind === 'conflict')
    return <ConflictCard conflict={save.conflict} name={name} busy={busy} onLoad={load} saver={saver} />
  if (newer === null) return null
  return (
    <div className="toast notice" role="status">
      <p className="min-w-0 flex-1">{t('editor.other_changed', { revision: String(newer) })}</p>
      <Button size="small" busy={busy} onClick={() => void load()}>
        {t('editor.other_load')}
      </Button>
    </div>
  )
}

function ConflictCard({
  conflict,
  name,
  busy,
  onLoad,
  saver,
}: {
  conflict: Conflict
  name: string
  busy: boolean
  onLoad: () => Promise<void>
  saver: DraftSaver
}) {
  const t = useT()
  const store = useGraphStore()
  const [, navigate] = useLocation()
  const [copying, setCopying] = useState(false)
  const copy = async () => {
    setCopying(true)
    try {
      const workflow = await createWorkflow({
        name: t('editor.conflict_copy_name', { name }).slice(0, 200),
        graph: store.getState().graph,
      })
      saver.loaded(conflict.revision, null)
      toast.ok(t('editor.conflict_copied'))
      navigate(`/workflows/${workflow.id}`)
    } catch (error) {
      toast.error(failureOf(error))
      setCopying(false)
    }
  }
  return (
    <div className="toast notice" role="alert" data-testid="conflict">
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{t('editor.conflict_title')}</p>
        <p className="text-sm text-muted">
          {t('editor.conflict_text', {
            revision: String(conflict.revision),
            by: conflict.by,
            at: conflict.at ? dateTime(conflict.at) : '',
          })}
        </p>
        <div className="flex flex-wrap items-center gap-2 pt-2">
          <Button size="small" busy={busy} onClick={() => void onLoad()}>
            {t('editor.conflict_load')}
          </Button>
          <Button size="small" busy={copying} onClick={() => void copy()}>
            {t('editor.conflict_copy')}
          </Button>
          <code className="ml-auto font-mono text-xs text-muted">STALE_DRAFT</code>
        </div>
      </div>
    </div>
  )
}
