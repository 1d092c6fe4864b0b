/** The documents of both sides: of the draft the one that is being edited, of everything else what the server keeps. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ApiError, asApiError } from '@/api/client'
import { fetchRevision, fetchRun, fetchVersion } from '@/api/versions'
import { useGraph } from '@/graph/context'
import { readGraph } from '@/graph/read'
import type { Graph } from '@/graph/types'
import { type Translate, translate } from '@/i18n'
import { type Side, writeSide } from './sides'

/** A document with what is known of where it comes from. */
export interface SideDocument {
  readonly side: Side
  readonly graph: Graph
  readonly at: string | null
  readonly by: string | null
  readonly note: string
}

interface Stored {
  readonly graph: unknown
  readonly at: string | null
  readonly by: string | null
  readonly note: string
}

/** What a side is called: v6, draft, revision 44, run 4fa2. */
export function sideName(side: Side, t: Translate): string {
  switch (side.kind) {
    case 'draft':
      return t('versions.draft')
    case 'version':
      return `v${side.number}`
    case 'revision':
      return t('versions.revision', { n: String(side.number) })
    case 'run':
      return t('versions.run', { id: side.id.slice(-6) })
  }
}

async function fetchSide(workflow: string, side: Side): Promise<Stored> {
  switch (side.kind) {
    case 'draft':
      throw new Error('the draft is not fetched')
    case 'version': {
      const version = await fetchVersion(workflow, side.number)
      return {
        graph: version.graph,
        at: version.published_at,
        by: version.published_by,
        note: version.note,
      }
    }
    case 'revision':
      return { ...(await fetchRevision(workflow, side.number)), note: '' }
    case 'run': {
      const run = await fetchRun(side.id)
      if (run.workflow !== workflow)
        throw new ApiError(404, 'NOT_FOUND', translate('versions.other_workflow'))
      return { graph: run.graph, at: run.queued_at ?? null, by: run.started_by ?? null, note: '' }
    }
  }
}

export interface LoadedSide {
  readonly document: SideDocument | null
  readonly error: ApiError | null
  readonly retry: () => void
}

/** The document of a side; of the draft as it is on the canvas, saved or not. */
export function useSide(workflow: string, side: Side): LoadedSide {
  const draft = useGraph((state) => state.graph)
  const isDraft = side.kind === 'draft'
  const name = writeSide(side)
  const { data, error, refetch } = useQuery({
    queryKey: ['compare', workflow, name],
    queryFn: () => fetchSide(workflow, side),
    enabled: !isDraft,
    staleTime: Number.POSITIVE_INFINITY, // none of them changes
    retry: false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a side is what it is called
  const document = useMemo<SideDocument | null>(() => {
    if (isDraft) return { side, graph: draft, at: null, by: null, note: '' }
    return data ? { ...data, side, graph: readGraph(data.graph) } : null
  }, [isDraft, name, isDraft ? draft : null, data])
  return {
    document,
    error: error && !isDraft ? asApiError(error) : null,
    retry: () => void refetch(),
  }
}
