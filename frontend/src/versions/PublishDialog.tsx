/** Before the draft becomes a version: its problems, what differs from the published one, how the saved tests go. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, GitCompareArrows, RefreshCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type ApiError, asApiError, failureOf } from '@/api/client'
import { demandTests, fetchVersion } from '@/api/versions'
import type { WorkflowTest } from '@/api/workflow-tests'
import { publishDraft, versionsQuery } from '@/api/workflows'
import { compareGraphs, countOf } from '@/graph/compare/compare'
import { useGraph } from '@/graph/context'
import { readGraph } from '@/graph/read'
import { useT } from '@/i18n'
import { Button, Checkbox, Dialog, ErrorBox, IconButton, TextArea, toast, visible } from '@/ui'
import { type Played, type PlayedTests, passing, usePlayedTests, useTestsWord, whyOf } from './played-tests'
import { DRAFT, writePair } from './sides'
import './history.css'

export interface PublishDialogProps {
  readonly workflow: string
  readonly published: number | null
  /** Whether publishing demands that the saved tests pass. */
  readonly demanded: boolean
  readonly onDemanded: (demanded: boolean) => void
  readonly save: () => Promise<number>
  readonly onPublished: (version: number) => void
  readonly onCompare: (address: string) => void
  readonly onShowProblems: () => void
  readonly onClose: () => void
}

function usePublish({ workflow, save, onPublished, onClose }: PublishDialogProps) {
  const t = useT()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const publish = async (note: string) => {
    setBusy(true)
    setError(null)
    try {
      await save()
      const version = await publishDraft(workflow, note.trim())
      onClose()
      toast.ok(t('editor.published', { version: String(version.version) }))
      onPublished(version.version)
      void client.invalidateQueries({ queryKey: ['version', workflow] })
      void client.invalidateQueries({ queryKey: ['workflow'] })
    } catch (thrown) {
      setError(asApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, publish }
}

export function PublishDialog(props: PublishDialogProps) {
  const t = useT()
  const { workflow, demanded, onClose } = props
  const [note, setNote] = useState('')
  const { busy, error, publish } = usePublish(props)
  const tests = usePlayedTests(workflow, props.save)
  const { data: versions } = useQuery(versionsQuery(workflow))
  const next = Math.max(props.published ?? 0, ...(versions ?? []).map(({ version }) => version)) + 1
  const failing = !tests.playing && tests.tests !== undefined && passing(tests.played) < tests.tests.length
  const blocked = !demanded
    ? undefined
    : tests.playing
      ? t('versions.tests_first')
      : failing
        ? t('versions.tests_must_pass')
        : undefined
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      size="small"
      title={t('editor.publish_title')}
      footer={
        <Button
          variant="primary"
          size="large"
          busy={busy}
          blocked={blocked}
          onClick={() => void publish(note)}
        >
          {t('editor.publish')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <p className="text-muted">{t('editor.publish_text', { version: String(next) })}</p>
        <TextArea label={t('editor.publish_note')} value={note} rows={2} onChange={setNote} />
        <Problems {...props} />
        <Difference {...props} />
        <Tests {...props} tests={tests} />
        {error ? <ErrorBox error={error} /> : null}
      </div>
    </Dialog>
  )
}

function Problems({ onShowProblems, onClose }: PublishDialogProps) {
  const t = useT()
  const count = useGraph((state) => state.problems.length)
  return (
    <section className="publish-part">
      <header>
        <h3>{t('versions.problems')}</h3>
        <span className="text-muted">
          {t(count === 0 ? 'versions.no_problems' : 'versions.warnings', { n: count })}
        </span>
        {count > 0 ? (
          <Button
            size="small"
            onClick={() => {
              onClose()
              onShowProblems()
            }}
          >
            {t('versions.show')}
          </Button>
        ) : null}
      </header>
    </section>
  )
}

/** What differs from the version that is published now, and the way to see it. */
function Difference({ workflow, published, onCompare, onClose }: PublishDialogProps) {
  const t = useT()
  const graph = useGraph((state) => state.graph)
  const { data } = useQuery({
    queryKey: ['compare', workflow, 'published', published],
    queryFn: () => fetchVersion(workflow, published ?? 0),
    enabled: published !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const comparison = useMemo(() => (data ? compareGraphs(readGraph(data.graph), graph) : null), [data, graph])
  const of = (kind: string) => comparison?.nodes.filter((node) => node.kind === kind).length ?? 0
  const words =
    published === null
      ? t('versions.first_version')
      : !comparison
        ? ''
        : countOf(comparison) === 0
          ? t('versions.equal')
          : t('versions.difference', {
              added: String(of('added')),
              removed: String(of('removed')),
              changed: String(of('changed') + of('moved')),
              rest: String(countOf(comparison) - comparison.nodes.length),
            })
  return (
    <section className="publish-part">
      <header>
        <h3>
          {published === null
            ? t('versions.changes')
            : t('versions.changes_since', { version: String(published) })}
        </h3>
        {published === null ? null : (
          <Button
            size="small"
            icon={<GitCompareArrows aria-hidden />}
            onClick={() => {
              onClose()
              onCompare(writePair({ before: { kind: 'version', number: published }, after: DRAFT }))
            }}
          >
            {t('versions.compare')}
          </Button>
        )}
      </header>
      <p className="text-muted">{words}</p>
    </section>
  )
}

function Tests({
  workflow,
  demanded,
  onDemanded,
  tests,
}: PublishDialogProps & { readonly tests: PlayedTests }) {
  const t = useT()
  const words = useTestsWord(tests)
  const [busy, setBusy] = useState(false)
  const demand = async (next: boolean) => {
    setBusy(true)
    try {
      await demandTests(workflow, next)
      onDemanded(next)
    } catch (thrown) {
      toast.error(failureOf(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="publish-part" aria-label={t('versions.tests')}>
      <header>
        <h3>{t('versions.tests')}</h3>
        <span className="text-muted" role="status">
          {words}
        </span>
        {tests.tests && tests.tests.length > 0 ? (
          <IconButton size="small" label={t('versions.play_again')} busy={tests.playing} onClick={tests.play}>
            <RefreshCw />
          </IconButton>
        ) : null}
      </header>
      <ul className="publish-tests">
        {tests.tests?.map((test) => (
          <TestRow key={test.id} test={test} played={tests.played.get(test.id)} />
        ))}
      </ul>
      {tests.error ? <ErrorBox error={tests.error} /> : null}
      <Checkbox
        checked={busy ? !demanded : demanded}
        disabled={busy}
        onChange={(next) => void demand(next)}
        label={t('versions.demand')}
        hint={t('versions.demand_hint')}
      />
    </section>
  )
}

function TestRow({ test, played }: { readonly test: WorkflowTest; readonly played: Played | undefined }) {
  const t = useT()
  const passes = played !== undefined && 'result' in played && played.result.ok
  const Mark = played === undefined ? CircleDashed : passes ? CircleCheck : CircleX
  const tone = played === undefined ? 'idle' : passes ? 'ok' : 'failed'
  return (
    <li>
      <Mark aria-hidden data-tone={tone} />
      <span className="min-w-0 truncate">{visible(test.name)}</span>
      <span className="flex-none text-sm" data-tone={tone}>
        {t(
          played === undefined
            ? 'versions.test_waits'
            : passes
              ? 'versions.test_passes'
              : 'versions.test_fails',
        )}
      </span>
      {played !== undefined && !passes ? (
        <span className="min-w-0 flex-1 truncate text-xs text-muted" data-tip={whyOf(played, t)}>
          {whyOf(played, t)}
        </span>
      ) : null}
    </li>
  )
}
