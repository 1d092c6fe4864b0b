/** The editor's bar: where one is, what is saved, and what can be done with the workflow or its run. */
import { useQuery } from '@tanstack/react-query'
import { MessageSquareText, Redo2, Undo2, Upload } from 'lucide-react'
import { type RefObject, Suspense, useState } from 'react'
import { ApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { TERMINAL } from '@/api/run-types'
import { lastRunQuery } from '@/api/runs'
import type { Workflow } from '@/api/workflows'
import { useGraph, useGraphStore } from '@/graph/context'
import type { EditLabel } from '@/graph/types'
import { type Key, translate, useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { useChosenRun } from '@/runs/hooks'
import { RunButton, type RunHandle } from '@/runs/start/RunForm'
import { Button, Chip, cx, IconButton, type MenuEntry, PageBar, usePhone, WorkflowTabs } from '@/ui'
import { ChatButton } from './ChatSide'
import type { DraftSaver } from './draft/drafts'
import { NameField } from './draft/NameField'
import { SavedState } from './draft/SavedState'
import { VersionsMenu } from './draft/Versions'
import { versionScreen } from './load-panels'

const PublishDialog = versionScreen((file) => file.PublishDialog)
const RunBar = lazily(async () => ({ default: (await fetchCode(() => import('@/runs/dock/RunBar'))).RunBar }))

/** What is published of a workflow, and whether its saved tests must pass first. */
export interface Release {
  readonly published: number | null
  readonly demanded: boolean
}

export interface EditorProps {
  readonly workflow: Workflow
  /** Saves the draft; null where a published version is looked at. */
  readonly saver: DraftSaver | null
  readonly version?: number
  readonly onVersion: (version: number | null) => void
  /** Compare what an address names; null = back to the draft. */
  readonly onCompare: (address: string | null) => void
  readonly release: Release
  readonly onRelease: (release: Release) => void
}

/** Whether the run that is shown goes on. */
export function useActiveRun(workflow: string): boolean {
  const info = useRunInfo()
  const { data: last } = useQuery(lastRunQuery(workflow))
  // A past run's log is read from its beginning, and looks alive until its end has come: the row knows better.
  const chosen = useChosenRun(workflow)
  const past = [last, chosen].some((row) => row && row.id === info?.run && TERMINAL.has(row.state))
  return info !== null && !info.ended && !past
}

/** The draft on the server, or the reason why it is not there. */
export async function saved(saver: DraftSaver): Promise<number> {
  await saver.save()
  const { save, revision } = saver.state.getState()
  if (save.kind === 'saved') return revision
  if (saver.dirty && save.kind !== 'conflict' && save.kind !== 'failed' && save.kind !== 'offline')
    return saved(saver)
  const message =
    save.kind === 'conflict'
      ? translate('editor.save_conflict')
      : save.kind === 'failed'
        ? translate('editor.save_failed', { message: save.message })
        : translate('editor.save_offline')
  throw new ApiError(0, save.kind === 'conflict' ? 'STALE_DRAFT' : 'NETWORK', message)
}

const editWord = (label: EditLabel): string =>
  (translate as (key: Key) => string)(`editor.edit_${label}` as Key)

/** What undoes and does again, with the names of the edits. */
function useHistory() {
  const t = useT()
  const store = useGraphStore()
  const undone = useGraph((state) => state.past[state.past.length - 1]?.change.label)
  const redone = useGraph((state) => state.future[0]?.change.label)
  return {
    undo: {
      label: undone ? t('editor.undo_what', { what: editWord(undone) }) : t('editor.undo'),
      disabled: !undone,
      act: () => store.getState().undo(),
    },
    redo: {
      label: redone ? t('editor.redo_what', { what: editWord(redone) }) : t('editor.redo'),
      disabled: !redone,
      act: () => store.getState().redo(),
    },
  }
}

function History() {
  const { undo, redo } = useHistory()
  return (
    <span className="flex">
      <IconButton label={undo.label} keys="mod+z" disabled={undo.disabled} onClick={undo.act}>
        <Undo2 />
      </IconButton>
      <IconButton label={redo.label} keys="mod+shift+z" disabled={redo.disabled} onClick={redo.act}>
        <Redo2 />
      </IconButton>
    </span>
  )
}

/** On a phone one menu holds what stands in the bar elsewhere. */
function useFoldedMenu(errors: number, onPublish: () => void, onChat: () => void): readonly MenuEntry[] {
  const t = useT()
  const { undo, redo } = useHistory()
  return [
    { label: undo.label, icon: <Undo2 />, disabled: undo.disabled, onSelect: undo.act },
    { label: redo.label, icon: <Redo2 />, disabled: redo.disabled, onSelect: redo.act },
    { label: t('editor.publish'), icon: <Upload />, disabled: errors > 0, onSelect: onPublish },
    { label: t('editor.chat'), icon: <MessageSquareText />, onSelect: onChat },
    { kind: 'separator' },
  ]
}

interface DocumentStatusProps {
  readonly saver: DraftSaver | null
  readonly version: number | undefined
  readonly published: number | null
  /** A run goes on: on a narrow screen its state needs the room. */
  readonly active: boolean
}

/** Which document is shown, and whether it is saved. */
function DocumentStatus({ saver, version, published, active }: DocumentStatusProps) {
  const t = useT()
  const mayEdit = useMay('editor')
  const phone = usePhone()
  const state =
    version !== undefined
      ? `v${version}`
      : published === null
        ? t('editor.draft')
        : t('editor.draft_of', { version: String(published) })
  return (
    <>
      {phone && active ? null : (
        <span className="flex max-[360px]:hidden">
          <Chip>{state}</Chip>
        </span>
      )}
      {version !== undefined ? (
        <span className="shrink-99999 truncate text-xs narrow:hidden">
          {t('editor.compare_hint', { version: String(version) })}
        </span>
      ) : mayEdit && saver ? (
        <span className={cx('min-w-0 shrink-99999 truncate phone:hidden', active && 'narrow:hidden')}>
          <SavedState saver={saver} />
        </span>
      ) : (
        <Chip>{t('editor.read_only')}</Chip>
      )}
    </>
  )
}

export function EditorBar({
  workflow,
  saver,
  version,
  onVersion,
  onCompare,
  release,
  onRelease,
  onRun,
  onShowProblems,
  runner,
  chatting,
  onChat,
}: EditorProps & {
  onRun: (run: string) => void
  onShowProblems: () => void
  chatting: boolean
  onChat: () => void
  runner: RefObject<RunHandle | null>
}) {
  const t = useT()
  const store = useGraphStore()
  const mayEdit = useMay('editor')
  const problems = useGraph((state) => state.problems)
  const info = useRunInfo()
  const [name, setName] = useState(workflow.name)
  const { published } = release
  const [publishing, setPublishing] = useState(false)
  const errors = problems.filter((problem) => problem.severity === 'error').length
  const fresh = useGraph((state) => state.fresh)
  const quiet = problems.every((problem) => problem.severity !== 'error' || fresh.has(problem.node ?? ''))
  const settleNew = () => store.getState().forgetFresh()
  const active = useActiveRun(workflow.id) && !info?.failure
  const phone = usePhone()
  const mayChange = saver !== null && mayEdit
  const folded = useFoldedMenu(errors, () => setPublishing(true), onChat)
  return (
    <PageBar
      title={name}
      crumbs={[{ label: t('editor.workflows'), href: '/' }]}
      heading={
        <NameField
          id={workflow.id}
          name={name}
          onRename={setName}
          readOnly={!mayEdit || version !== undefined}
        />
      }
      status={<DocumentStatus saver={saver} version={version} published={published} active={active} />}
    >
      <WorkflowTabs workflow={workflow.id} current="canvas" />
      {mayChange && !phone ? <ChatButton on={chatting} onToggle={onChat} /> : null}
      {active ? (
        <Suspense fallback={null}>
          <RunBar />
        </Suspense>
      ) : (
        <>
          {mayChange && !phone ? <History /> : null}
          <VersionsMenu
            workflow={workflow.id}
            shown={version ?? null}
            published={published}
            onShow={onVersion}
            onCompare={onCompare}
            onPublished={(next) => onRelease({ ...release, published: next })}
            folded={phone ? (mayChange ? folded : []) : null}
            tries={
              mayChange && saver ? { save: () => saved(saver), onStarted: (run) => onRun(run.id) } : null
            }
          />
          {mayChange && !phone ? (
            <Button
              blocked={errors > 0 ? t('editor.problems_first') : undefined}
              onClickCapture={settleNew}
              onClick={() => setPublishing(true)}
            >
              {t('editor.publish')}
            </Button>
          ) : null}
          {saver ? (
            <RunButton
              ref={runner}
              workflowId={workflow.id}
              problems={problems}
              quiet={quiet}
              onTried={settleNew}
              save={() => saved(saver)}
              onStarted={(run) => onRun(run.id)}
              onProblems={(matches) => store.getState().setProblems(matches)}
              onShowProblems={onShowProblems}
            />
          ) : null}
        </>
      )}
      {publishing && saver ? (
        <Suspense fallback={null}>
          <PublishDialog
            workflow={workflow.id}
            published={published}
            demanded={release.demanded}
            onDemanded={(demanded) => onRelease({ ...release, demanded })}
            save={() => saved(saver)}
            onPublished={(next) => onRelease({ ...release, published: next })}
            onCompare={onCompare}
            onShowProblems={onShowProblems}
            onClose={() => setPublishing(false)}
          />
        </Suspense>
      ) : null}
    </PageBar>
  )
}
