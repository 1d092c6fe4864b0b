/** "From here" by key: the run that is shown, forked from the selected node; in the editor with the draft as it is now. */
import { useEffect, useEffectEvent, useRef } from 'react'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { useRunInfo, useRunView } from '@/live/run-store'
import { toast } from '@/ui'
import { forkPoint } from './menu'
import { requestRerun } from './request'

export interface ForkRequest {
  /** The node that was selected when the key was pressed; null = nothing is asked for. */
  readonly request: string | null
  readonly taken: () => void
}

export interface ForkHereProps extends ForkRequest {
  /** The run that is shown; null = none, undefined = not known yet. */
  readonly shows: string | null | undefined
  /** Puts the draft on the server, from where it is taken; null where a run's own document is shown. */
  readonly save: (() => Promise<unknown>) | null
}

export function ForkHere({ request, taken, shows, save }: ForkHereProps) {
  const t = useT()
  const view = useRunView()
  const info = useRunInfo()
  /** Whether the page is still there: what was asked for on it is not for the next one. */
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
      requestRerun(null)
    }
  }, [])
  const fork = useEffectEvent(async (node: string) => {
    const point = view && info ? forkPoint(view, node) : null
    if (!point) return toast.info(t('rerun.fork_none'))
    try {
      await save?.()
      if (here.current) requestRerun({ ...point, draft: save !== null })
    } catch (thrown) {
      toast.error({ title: asApiError(thrown).message })
    }
  })
  const take = useEffectEvent((node: string) => {
    taken()
    void fork(node)
  })
  // A key pressed while the run is still on its way is heard when it has come.
  const awaited = shows === undefined || (shows !== null && info?.run !== shows)
  useEffect(() => {
    if (request === null || awaited) return
    take(request)
  }, [request, awaited])
  return null
}
