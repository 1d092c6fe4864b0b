/** The list of workflows: open, create, copy, rename, delete, import, export. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  Copy,
  Download,
  Ellipsis,
  FileUp,
  LayoutTemplate,
  Pencil,
  Plus,
  Search,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { statusOfRun } from '@/api/run-status'
import { lastRunQuery } from '@/api/runs'
import { exportAddress, useWorkflowChanges, type WorkflowSummary, workflowsQuery } from '@/api/workflows'
import { emptyGraph } from '@/graph/types'
import { useT } from '@/i18n'
import {
  Button,
  Chip,
  Confirm,
  Dialog,
  ErrorBox,
  IconButton,
  Menu,
  type MenuEntry,
  PageBar,
  RelativeTime,
  Skeleton,
  StatusWord,
  TextArea,
  TextField,
  toast,
  useActions,
  useSlow,
} from '@/ui'
import { useSmallScreen } from '@/ui/screen'

const TemplateDialog = lazy(async () => ({ default: (await import('./TemplateDialog')).TemplateDialog }))

type Asking =
  | { readonly kind: 'create' }
  | { readonly kind: 'import' }
  | { readonly kind: 'template' }
  | { readonly kind: 'rename'; readonly workflow: WorkflowSummary }
  | { readonly kind: 'delete'; readonly workflow: WorkflowSummary }

/** A new workflow begins with its start, so that the first thing one does is to add a second node. */
const FIRST_GRAPH = {
  ...emptyGraph(),
  nodes: [
    {
      id: 'start',
      type: 'start',
      v: 1,
      position: { x: 0, y: 10 },
      config: { inputs: { type: 'object', properties: {} } },
    },
  ],
}

function NameDialog({
  title,
  action,
  initial,
  busy,
  error,
  onDone,
  onClose,
}: {
  title: string
  action: string
  initial: string
  busy: boolean
  error: unknown
  onDone: (name: string) => void
  onClose: () => void
}) {
  const t = useT()
  const [name, setName] = useState(initial)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) onDone(name.trim())
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={title} size="small">
      <form className="grid gap-3" onSubmit={submit}>
        <TextField
          label={t('workflows.name_label')}
          value={name}
          maxLength={200}
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={setName}
        />
        {error ? <ErrorBox error={asApiError(error)} /> : null}
        <div className="flex justify-end">
          <Button type="submit" variant="primary" size="large" busy={busy} disabled={!name.trim()}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const { importText } = useWorkflowChanges()
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const run = () =>
    importText.mutate(
      { text, ...(name ? { name } : {}) },
      {
        onSuccess: (made) => {
          onClose()
          navigate(`/workflows/${made.id}`)
        },
      },
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('workflows.import_title')}
      footer={
        <Button
          variant="primary"
          size="large"
          busy={importText.isPending}
          disabled={!text.trim()}
          onClick={run}
        >
          {t('workflows.import')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <label className="btn w-fit">
          <FileUp aria-hidden />
          {t('workflows.import_file')}
          <input
            type="file"
            className="sr-only"
            accept=".json,.yaml,.yml,application/json,application/yaml"
            onChange={async (event) => {
              const file = event.target.files?.[0]
              if (!file) return
              setText(await file.text())
              setName(file.name.replace(/\.(json|ya?ml)$/i, ''))
            }}
          />
        </label>
        <TextArea
          label={t('workflows.import_paste')}
          value={text}
          rows={10}
          spellCheck={false}
          className="input-mono"
          onChange={setText}
        />
        <p className="text-sm text-muted">{t('workflows.import_hint')}</p>
        {importText.error ? <ErrorBox error={asApiError(importText.error)} /> : null}
      </div>
    </Dialog>
  )
}

function LastRun({ workflow }: { workflow: string }) {
  const { data: run } = useQuery({ ...lastRunQuery(workflow), staleTime: 5_000 })
  if (!run) return <span className="text-muted">–</span>
  const needsPerson = run.waiting.some((one) => one.kind === 'person')
  return (
    <Link href={`/runs/${run.id}`} className="inline-flex items-center gap-2 hover:underline">
      <StatusWord status={statusOfRun(run.state, needsPerson)} />
      <span className="text-xs text-muted">
        {run.queued_at ? <RelativeTime value={run.queued_at} /> : null}
      </span>
    </Link>
  )
}

function useRowMenu(workflow: WorkflowSummary, ask: (asking: Asking) => void): readonly MenuEntry[] {
  const t = useT()
  const [, navigate] = useLocation()
  const mayEdit = useMay('editor')
  const { duplicate } = useWorkflowChanges()
  const copy = () =>
    duplicate.mutate(
      { id: workflow.id, name: t('workflows.copy_name', { name: workflow.name }).slice(0, 200) },
      { onError: (error) => toast.error(asApiError(error).message) },
    )
  const download = (format: 'yaml' | 'json') => () =>
    window.location.assign(exportAddress(workflow.id, format))
  const items: MenuEntry[] = [
    {
      label: t('workflows.open'),
      icon: <SquareArrowOutUpRight />,
      onSelect: () => navigate(`/workflows/${workflow.id}`),
    },
  ]
  if (mayEdit)
    items.push(
      { label: t('workflows.rename'), icon: <Pencil />, onSelect: () => ask({ kind: 'rename', workflow }) },
      { label: t('workflows.duplicate'), icon: <Copy />, onSelect: copy },
    )
  items.push(
    { label: t('workflows.export_yaml'), icon: <Download />, onSelect: download('yaml') },
    { label: t('workflows.export_json'), icon: <Download />, onSelect: download('json') },
  )
  if (mayEdit)
    items.push(
      { kind: 'separator' },
      {
        label: t('workflows.delete'),
        icon: <Trash2 />,
        danger: true,
        onSelect: () => ask({ kind: 'delete', workflow }),
      },
    )
  return items
}

function State({ workflow }: { workflow: WorkflowSummary }) {
  const t = useT()
  return workflow.problem_count > 0 ? (
    <Chip tone="failed">{t('canvas.problems', { n: workflow.problem_count })}</Chip>
  ) : (
    <Chip>
      {workflow.published_version === null
        ? t('workflows.draft_only')
        : t('workflows.version_n', { version: String(workflow.published_version) })}
    </Chip>
  )
}

function Row({ workflow, ask }: { workflow: WorkflowSummary; ask: (asking: Asking) => void }) {
  const t = useT()
  const menu = useRowMenu(workflow, ask)
  return (
    <tr data-testid={`workflow-${workflow.slug}`}>
      <td>
        <Link href={`/workflows/${workflow.id}`} className="font-medium hover:underline">
          {workflow.name}
        </Link>
        {workflow.description ? (
          <span className="ml-2 text-sm text-muted">{workflow.description}</span>
        ) : null}
      </td>
      <td>
        <State workflow={workflow} />
      </td>
      <td className="text-muted">
        <RelativeTime value={workflow.draft.at} />
        {workflow.draft.by ? <span className="text-xs"> · {workflow.draft.by}</span> : null}
      </td>
      <td>
        <LastRun workflow={workflow.id} />
      </td>
      <td className="text-right">
        <Menu
          trigger={
            <IconButton size="small" label={t('workflows.actions', { name: workflow.name })}>
              <Ellipsis />
            </IconButton>
          }
          items={menu}
        />
      </td>
    </tr>
  )
}

function Card({ workflow, ask }: { workflow: WorkflowSummary; ask: (asking: Asking) => void }) {
  const t = useT()
  const menu = useRowMenu(workflow, ask)
  return (
    <li className="flex min-h-16 items-center gap-2 border-b border-line pr-2 pl-4">
      <Link href={`/workflows/${workflow.id}`} className="min-w-0 flex-1 py-2">
        <span className="block truncate font-medium">{workflow.name}</span>
        <span className="block text-sm text-muted">
          <RelativeTime value={workflow.draft.at} />
        </span>
      </Link>
      <State workflow={workflow} />
      <Menu
        trigger={
          <IconButton label={t('workflows.actions', { name: workflow.name })}>
            <Ellipsis />
          </IconButton>
        }
        items={menu}
      />
    </li>
  )
}

function Empty({
  onCreate,
  onTemplate,
  onImport,
  mayEdit,
}: {
  onCreate: () => void
  onTemplate: () => void
  onImport: () => void
  mayEdit: boolean
}) {
  const t = useT()
  const steps = [
    [t('workflows.step_1'), t('workflows.step_1_text')],
    [t('workflows.step_2'), t('workflows.step_2_text')],
    [t('workflows.step_3'), t('workflows.step_3_text')],
  ] as const
  return (
    <div className="grid max-w-240 gap-4 p-6 phone:p-4">
      <div>
        <h2>{t('workflows.empty_title')}</h2>
        <p className="text-muted">{t('workflows.empty_text')}</p>
      </div>
      <ol className="grid grid-cols-3 gap-3 phone:grid-cols-1">
        {steps.map(([title, text], index) => (
          <li key={title} className="rounded-lg border border-line bg-surface p-4">
            <h3>
              <span className="mr-2 text-muted tabular-nums">{index + 1}</span>
              {title}
            </h3>
            <p className="pt-1 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
      {mayEdit ? (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" icon={<Plus aria-hidden />} onClick={onCreate}>
            {t('workflows.new')}
          </Button>
          <Button icon={<LayoutTemplate aria-hidden />} onClick={onTemplate}>
            {t('workflows.from_template')}
          </Button>
          <Button icon={<FileUp aria-hidden />} onClick={onImport}>
            {t('workflows.import_button')}
          </Button>
          <Link className="btn btn-quiet" href="/registry">
            {t('workflows.to_registry')}
          </Link>
        </div>
      ) : null}
    </div>
  )
}

function Dialogs({ asking, onClose }: { asking: Asking | null; onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const { create, rename, remove } = useWorkflowChanges()
  if (asking === null) return null
  if (asking.kind === 'import') return <ImportDialog onClose={onClose} />
  if (asking.kind === 'template')
    return (
      <Suspense>
        <TemplateDialog onClose={onClose} />
      </Suspense>
    )
  if (asking.kind === 'create')
    return (
      <NameDialog
        title={t('workflows.new')}
        action={t('workflows.create')}
        initial={t('workflows.name_new')}
        busy={create.isPending}
        error={create.error}
        onClose={onClose}
        onDone={(name) =>
          create.mutate(
            { name, graph: FIRST_GRAPH },
            { onSuccess: (made) => navigate(`/workflows/${made.id}`) },
          )
        }
      />
    )
  const { workflow } = asking
  if (asking.kind === 'rename')
    return (
      <NameDialog
        title={t('workflows.rename_title')}
        action={t('workflows.rename')}
        initial={workflow.name}
        busy={rename.isPending}
        error={rename.error}
        onClose={onClose}
        onDone={(name) => rename.mutate({ id: workflow.id, name }, { onSuccess: onClose })}
      />
    )
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={t('workflows.delete_title')}
      action={t('workflows.delete')}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate(workflow.id, { onSuccess: onClose })}
    >
      <div className="grid gap-3">
        <p>{t('workflows.delete_text', { name: workflow.name })}</p>
        {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
      </div>
    </Confirm>
  )
}

export default function WorkflowsPage() {
  const t = useT()
  const small = useSmallScreen()
  const mayEdit = useMay('editor')
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(workflowsQuery)
  const slow = useSlow(isPending)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [query, setQuery] = useState('')
  const create = () => setAsking({ kind: 'create' })
  const importing = () => setAsking({ kind: 'import' })
  const choosing = () => setAsking({ kind: 'template' })
  useActions([
    {
      id: 'workflows.new',
      title: t('workflows.new'),
      group: t('workflows.title'),
      keys: 'n',
      when: () => mayEdit,
      run: create,
    },
    {
      id: 'workflows.template',
      title: t('workflows.from_template'),
      group: t('workflows.title'),
      when: () => mayEdit,
      run: choosing,
    },
    {
      id: 'workflows.import',
      title: t('workflows.import_title'),
      group: t('workflows.title'),
      when: () => mayEdit,
      run: importing,
    },
  ])
  const all = data?.pages.flatMap((page) => page.results) ?? []
  const wanted = query.trim().toLowerCase()
  const shown = all.filter((one) =>
    `${one.name} ${one.description} ${one.slug}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <PageBar title={t('workflows.title')}>
        {all.length > 0 ? (
          <div className="input w-56 phone:hidden">
            <Search aria-hidden />
            <input
              type="search"
              value={query}
              placeholder={t('workflows.search')}
              aria-label={t('workflows.search')}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
        ) : null}
        {mayEdit && all.length > 0 ? (
          <>
            <Button className="phone:hidden" icon={<FileUp aria-hidden />} onClick={importing}>
              {t('workflows.import')}
            </Button>
            <Button className="phone:hidden" icon={<LayoutTemplate aria-hidden />} onClick={choosing}>
              {t('workflows.from_template')}
            </Button>
            <Button variant="primary" size="large" icon={<Plus aria-hidden />} onClick={create}>
              {t('workflows.new')}
            </Button>
          </>
        ) : null}
      </PageBar>
      <div className="min-h-0 flex-1 overflow-auto bg-surface">
        {error ? (
          <div className="max-w-120 p-4">
            <ErrorBox
              error={asApiError(error)}
              actions={<Button onClick={() => void refetch()}>{t('palette.retry')}</Button>}
            />
          </div>
        ) : null}
        {slow ? <Skeleton rows={6} /> : null}
        {data && all.length === 0 ? (
          <Empty onCreate={create} onTemplate={choosing} onImport={importing} mayEdit={mayEdit} />
        ) : null}
        {all.length > 0 && shown.length === 0 ? (
          <p className="p-4 text-muted">{t('workflows.none_found')}</p>
        ) : null}
        {shown.length > 0 && small ? (
          <ul>
            {shown.map((workflow) => (
              <Card key={workflow.id} workflow={workflow} ask={setAsking} />
            ))}
          </ul>
        ) : null}
        {shown.length > 0 && !small ? (
          <table className="table">
            <thead>
              <tr>
                <th>{t('workflows.name')}</th>
                <th className="w-32">{t('workflows.state')}</th>
                <th className="w-64">{t('workflows.edited')}</th>
                <th className="w-56">{t('workflows.last_run')}</th>
                <th className="w-14">
                  <span className="sr-only">{t('editor.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((workflow) => (
                <Row key={workflow.id} workflow={workflow} ask={setAsking} />
              ))}
            </tbody>
          </table>
        ) : null}
        {hasNextPage ? (
          <div className="p-3">
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('common.load_more')}
            </Button>
          </div>
        ) : null}
      </div>
      <Dialogs asking={asking} onClose={() => setAsking(null)} />
    </>
  )
}
