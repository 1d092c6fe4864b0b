/** The page of one workflow: opens its draft (or a published version) and gives it to the editor. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { Link, useParams } from 'wouter'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import {
  createWorkflow,
  fetchWorkflow,
  saveDraft,
  validateDraft,
  versionQuery,
  type Workflow,
} from '@/api/workflows'
import { GraphProvider } from '@/graph/context'
import { readGraph } from '@/graph/read'
import { createGraphStore, type GraphStore } from '@/graph/store'
import { loadRest, sentenceGap, translate, useT } from '@/i18n'
import { useWorkflowChanges } from '@/live/page-socket'
import { fetchCode } from '@/loading/fetch-code'
import { Button, Callout, dateTime, ErrorBox, PageBar, Skeleton, toast } from '@/ui'
import { prefetch } from '@/ui/first-paint'
import { useCompareInAddress, useVersionInAddress } from './address'
import {
  type DraftSaver,
  forgetLocalDraft,
  type LocalDraft,
  localDraftKey,
  localDrafts,
  DraftSaver as Saver,
  tabName,
} from './draft/drafts'
import { useDraftGuards } from './draft/SavedState'
import { Editor } from './Editor'
import type { Release } from './EditorBar'
import { versionScreen } from './load-panels'
import { useNodeTypes } from './node-types'

/** Two documents compared, in the editor's place: its code and words come with the first comparison. */
const CompareView = versionScreen((file) => file.CompareView)

/** Copies of other tabs younger than this belong to tabs that are open. */
const STALE_COPY_MS = 15_000

/** The page's own check: fetched before it is needed, which is when there is no network. */
const loadCheck = prefetch(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./problems')), loadRest()])
  return file
})

/** Everything the editor needs of the draft of one workflow, made once per opening. */
function openDraft(
  workflow: Workflow,
  editable: boolean,
): { store: GraphStore; saver: DraftSaver; others: LocalDraft[] } {
  const store = createGraphStore(readGraph(workflow.draft.graph))
  const saver = new Saver({
    workflow: workflow.id,
    revision: workflow.draft.revision,
    savedAt: Date.parse(workflow.draft.at) || null,
    store,
    put: (revision, graph) => saveDraft(workflow.id, revision, graph),
    onProblems: (problems) => store.getState().setProblems(problems),
  })
  store.getState().setReadOnly(!editable)
  const own = localDraftKey(workflow.id, tabName())
  const kept = editable ? localDrafts(workflow.id, tabName()) : []
  const mine = kept.find((copy) => copy.key === own && copy.revision === workflow.draft.revision)
  if (mine) store.getState().commit('document', () => readGraph(mine.graph))
  return { store, saver, others: kept.filter((copy) => copy !== mine) }
}

/** The server's problems on opening; the page's own while saves do not come through. */
function useProblems(workflow: string, store: GraphStore, saver: DraftSaver): void {
  useEffect(() => {
    let here = true
    const checkHere = async () => {
      const { localProblems } = await loadCheck()
      const { graph, types, setProblems } = store.getState()
      if (here) setProblems(localProblems(graph, types, translate))
    }
    validateDraft(workflow)
      .then(({ problems }) => {
        if (here && !saver.dirty) store.getState().setProblems(problems)
      })
      .catch(checkHere)
    const leave = saver.state.subscribe((state, before) => {
      if (state.save.kind === before.save.kind || state.save.kind !== 'offline') return
      void checkHere()
    })
    return () => {
      here = false
      leave()
    }
  }, [workflow, store, saver])
}

function LocalDraftNotice({
  copy,
  workflow,
  onDone,
}: {
  copy: LocalDraft
  workflow: Workflow
  onDone: () => void
}) {
  const t = useT()
  const restore = async () => {
    try {
      const name = t('editor.conflict_copy_name', { name: workflow.name }).slice(0, 200)
      const result = await createWorkflow({ name, graph: copy.graph })
      forgetLocalDraft(copy.key)
      window.location.assign(`/workflows/${result.id}`)
    } catch (error) {
      toast.error(failureOf(error))
    }
  }
  return (
    <div className="p-2">
      <Callout tone="waiting">
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1">
            <strong className="font-semibold">{t('editor.restore_title')}</strong>{' '}
            {t('editor.restore_text', { at: dateTime(new Date(copy.at).toISOString()) })}
            {sentenceGap()}
            {t('editor.restored_as_copy')}
          </span>
          <Button size="small" onClick={() => void restore()}>
            {t('editor.conflict_copy')}
          </Button>
          <Button
            size="small"
            variant="quiet"
            onClick={() => {
              forgetLocalDraft(copy.key)
              onDone()
            }}
          >
            {t('editor.discard')}
          </Button>
        </div>
      </Callout>
    </div>
  )
}

function DraftEditor({
  workflow,
  onVersion,
}: {
  workflow: Workflow
  onVersion: (version: number | null) => void
}) {
  const editable = useMay('editor')
  const [{ store, saver, others }] = useState(() => openDraft(workflow, editable))
  const [kept, setKept] = useState(others)
  const [compared, compare] = useCompareInAddress()
  const [release, setRelease] = useState<Release>({
    published: workflow.published_version,
    demanded: workflow.tests_required,
  })
  const published = (version: number) => setRelease((now) => ({ ...now, published: version }))
  useNodeTypes(store)
  useProblems(workflow.id, store, saver)
  useDraftGuards(saver)
  useEffect(() => saver.start(), [saver])
  useWorkflowChanges(
    workflow.id,
    useCallback(
      (hint) => {
        if (hint.kind === 'draft' && typeof hint.revision === 'number') saver.noteRevision(hint.revision)
      },
      [saver],
    ),
  )
  const own = localDraftKey(workflow.id, tabName())
  const lost = kept.find((copy) => copy.key === own || Date.now() - copy.at > STALE_COPY_MS)
  return (
    <GraphProvider store={store}>
      {lost ? (
        <LocalDraftNotice
          copy={lost}
          workflow={workflow}
          onDone={() => setKept(kept.filter((copy) => copy !== lost))}
        />
      ) : null}
      {compared === null ? (
        <Editor
          workflow={workflow}
          saver={saver}
          onVersion={onVersion}
          onCompare={compare}
          release={release}
          onRelease={setRelease}
        />
      ) : (
        <Suspense fallback={<Skeleton rows={8} />}>
          <CompareView
            workflow={workflow}
            address={compared}
            published={release.published}
            onPublished={published}
            save={() => saver.save()}
            onAddress={compare}
          />
        </Suspense>
      )}
    </GraphProvider>
  )
}

function VersionEditor({
  workflow,
  version,
  onVersion,
}: {
  workflow: Workflow
  version: number
  onVersion: (version: number | null) => void
}) {
  const t = useT()
  const [, compare] = useCompareInAddress()
  const [release, setRelease] = useState<Release>({
    published: workflow.published_version,
    demanded: workflow.tests_required,
  })
  const { data, error } = useQuery(versionQuery(workflow.id, version))
  const store = useMemo(() => {
    const graphStore = createGraphStore(readGraph(data?.graph))
    graphStore.getState().setReadOnly(true)
    return graphStore
  }, [data])
  useNodeTypes(store)
  if (error)
    return (
      <>
        <PageBar title={workflow.name} crumbs={[{ label: t('editor.workflows'), href: '/' }]} />
        <div className="max-w-120 p-4">
          <ErrorBox
            error={asApiError(error)}
            title={t('editor.stale_version')}
            actions={<Button onClick={() => onVersion(null)}>{t('editor.back_to_draft')}</Button>}
          />
        </div>
      </>
    )
  if (!data) return <Skeleton rows={8} />
  return (
    <GraphProvider store={store}>
      <Editor
        workflow={workflow}
        saver={null}
        version={version}
        onVersion={onVersion}
        onCompare={compare}
        release={release}
        onRelease={setRelease}
      />
    </GraphProvider>
  )
}

export default function EditorPage() {
  const { id = '' } = useParams<{ id: string }>()
  return <OpenWorkflow key={id} id={id} />
}

function OpenWorkflow({ id }: { id: string }) {
  const t = useT()
  const [version, setVersion] = useVersionInAddress()
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['open-workflow', id, version === null],
    queryFn: () => fetchWorkflow(id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (error && !data)
    return (
      <>
        <PageBar title={t('editor.workflows')} />
        <div className="max-w-120 p-4">
          <ErrorBox
            error={asApiError(error)}
            title={t('editor.load_failed')}
            actions={
              asApiError(error).status === 404 ? (
                <Link href="/" className="btn">
                  {t('app.to_workflows')}
                </Link>
              ) : (
                <Button busy={isFetching} onClick={() => void refetch()}>
                  {t('palette.retry')}
                </Button>
              )
            }
          />
        </div>
      </>
    )
  if (!data) return <Skeleton rows={8} />
  if (version !== null)
    return <VersionEditor key={version} workflow={data} version={version} onVersion={setVersion} />
  return <DraftEditor workflow={data} onVersion={setVersion} />
}
