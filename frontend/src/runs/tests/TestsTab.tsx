/** The saved tests of a workflow: each with how it went last, run one by one or all. */

import { useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, CircleCheck, CircleDashed, CircleX, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { testsQuery, useDeleteTest, useRunTest, useTests, type WorkflowTest } from '@/api/workflow-tests'
import { useT } from '@/i18n'
import { Button, Chip, Confirm, EmptyState, ErrorBox, IconButton, RelativeTime, Skeleton, toast } from '@/ui'
import { Result } from './Result'
import './tests.css'

export interface TestsTabProps {
  readonly workflow: string
  readonly titleOf: (node: string) => string
  readonly onShowNode: (node: string) => void
}

export function TestsTab({ workflow, titleOf, onShowNode }: TestsTabProps) {
  const t = useT()
  const may = useMay('editor')
  const client = useQueryClient()
  const { data: tests, error, isPending } = useTests(workflow)
  const play = useRunTest(workflow)
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set())
  if (isPending) return <Skeleton rows={3} />
  if (error) return <ErrorBox error={asApiError(error)} title={t('common.not_loaded')} />
  if (tests.length === 0) return <EmptyState title={t('tests.none')} text={t('tests.none_text')} />

  const run = async (which: readonly WorkflowTest[]) => {
    setRunning(new Set(which.map((test) => test.id)))
    try {
      for (const test of which) await play.mutateAsync(test.id)
    } catch (thrown) {
      const failed = asApiError(thrown)
      toast.error({ title: failed.message, text: failed.hint })
    } finally {
      setRunning(new Set())
      await client.invalidateQueries({ queryKey: testsQuery(workflow).queryKey })
    }
  }
  const right = tests.filter((test) => test.result?.ok).length
  return (
    <div className="tests">
      <div className="tests-bar">
        <span className="flex-1 text-muted">{t('tests.right', { n: right, all: tests.length })}</span>
        {may ? (
          <Button
            size="small"
            icon={<Play aria-hidden />}
            busy={running.size > 0}
            onClick={() => void run(tests)}
          >
            {t('tests.run_all')}
          </Button>
        ) : null}
      </div>
      <ul>
        {tests.map((test) => (
          <OneTest
            key={test.id}
            test={test}
            workflow={workflow}
            may={may}
            busy={running.has(test.id)}
            titleOf={titleOf}
            onRun={() => void run([test])}
            onShowNode={onShowNode}
          />
        ))}
      </ul>
    </div>
  )
}

interface OneTestProps {
  readonly test: WorkflowTest
  readonly workflow: string
  readonly may: boolean
  readonly busy: boolean
  readonly titleOf: (node: string) => string
  readonly onRun: () => void
  readonly onShowNode: (node: string) => void
}

function OneTest({ test, workflow, may, busy, titleOf, onRun, onShowNode }: OneTestProps) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const remove = useDeleteTest(workflow)
  const { result } = test
  const wrong = result?.nodes.filter((node) => node.status !== 'same' && node.status !== 'new').length ?? 0
  const Mark = result === null ? CircleDashed : result.ok ? CircleCheck : CircleX
  const tone = result === null ? 'idle' : result.ok ? 'ok' : 'failed'
  const word =
    result === null ? t('tests.never') : result.ok ? t('tests.same') : t('tests.differ', { n: wrong })
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <li className="test">
      <div className="test-row">
        <button
          type="button"
          className="test-head"
          aria-expanded={open}
          disabled={result === null}
          onClick={() => setOpen(!open)}
        >
          <Chevron aria-hidden className={result === null ? 'invisible' : undefined} />
          <Mark aria-hidden data-tone={tone} />
          <span className="truncate font-medium">{test.name}</span> <Chip tone={tone}>{word}</Chip>{' '}
          {result ? (
            <span className="truncate text-xs text-muted phone:hidden">
              {result.version === null ? t('runs.draft') : t('runs.version', { n: result.version })} ·{' '}
              <RelativeTime value={result.at} />
            </span>
          ) : null}
        </button>
        {may ? (
          <>
            <IconButton label={t('tests.run', { name: test.name })} size="small" busy={busy} onClick={onRun}>
              <Play />
            </IconButton>
            <IconButton
              label={t('tests.delete', { name: test.name })}
              size="small"
              onClick={() => setLeaving(true)}
            >
              <Trash2 />
            </IconButton>
          </>
        ) : null}
      </div>
      {open && result ? <Result result={result} titleOf={titleOf} onShowNode={onShowNode} /> : null}
      <Confirm
        open={leaving}
        onOpenChange={setLeaving}
        title={t('tests.delete_title', { name: test.name })}
        action={t('tests.delete_do')}
        danger
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(test.id, {
            onSuccess: () => setLeaving(false),
            onError: (thrown) => toast.error(failureOf(thrown)),
          })
        }
      >
        <p>{t('tests.delete_text')}</p>
      </Confirm>
    </li>
  )
}
