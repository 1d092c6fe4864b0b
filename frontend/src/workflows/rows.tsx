/** One workflow in the list: a row of the table, a card on a phone. */
import { Copy, Download, Ellipsis, Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { failureOf } from '@/api/client'
import { download } from '@/api/download'
import { useMay } from '@/api/queries'
import { exportAddress, type ListedWorkflow, useWorkflowChanges, type WorkflowSummary } from '@/api/workflows'
import { useT } from '@/i18n'
import { statusOfStanding } from '@/live/run-status'
import { Chip, IconButton, Menu, type MenuEntry, RelativeTime, StatusWord, toast, visible } from '@/ui'
import type { Asking } from './dialogs'

function LastRun({ run }: { run: ListedWorkflow['last_run'] }) {
  if (!run) return <span className="text-muted">–</span>
  return (
    <Link href={`/runs/${run.id}`} className="inline-flex items-center gap-2 hover:underline">
      <StatusWord status={statusOfStanding(run)} />
      <span className="text-xs text-muted phone:hidden">
        <RelativeTime value={run.queued_at} />
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
      { onError: (error) => toast.error(failureOf(error)) },
    )
  const take = (format: 'yaml' | 'json') => () =>
    void download(exportAddress(workflow.id, format)).catch((thrown) => toast.error(failureOf(thrown)))
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
    { label: t('workflows.export_yaml'), icon: <Download />, onSelect: take('yaml') },
    { label: t('workflows.export_json'), icon: <Download />, onSelect: take('json') },
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
  // in one that is still empty nobody had the chance to do it right
  return workflow.problem_count > 0 && workflow.node_count > 0 ? (
    <Chip tone="failed">{t('canvas.problems', { n: workflow.problem_count })}</Chip>
  ) : (
    <Chip>
      {workflow.published_version === null
        ? t('workflows.draft_only')
        : t('workflows.version_n', { version: String(workflow.published_version) })}
    </Chip>
  )
}

export function Row({ workflow, ask }: { workflow: ListedWorkflow; ask: (asking: Asking) => void }) {
  const t = useT()
  const menu = useRowMenu(workflow, ask)
  return (
    <tr data-testid={`workflow-${workflow.slug}`}>
      <td>
        <Link href={`/workflows/${workflow.id}`} className="font-medium hover:underline">
          {visible(workflow.name)}
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
        <LastRun run={workflow.last_run} />
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

export function Card({ workflow, ask }: { workflow: ListedWorkflow; ask: (asking: Asking) => void }) {
  const t = useT()
  const menu = useRowMenu(workflow, ask)
  return (
    <li className="relative flex min-h-14 items-center gap-2 border-b border-line pr-2 pl-4 hover:bg-hover phone:min-h-16">
      <div className="grid min-w-0 flex-1 gap-y-0.5 py-2">
        <span className="flex min-w-0 items-center justify-between gap-3">
          <Link
            href={`/workflows/${workflow.id}`}
            className="truncate font-medium after:absolute after:inset-0"
          >
            {visible(workflow.name)}
          </Link>
          <span className="flex-none">
            <State workflow={workflow} />
          </span>
        </span>
        <span className="flex min-w-0 items-center justify-between gap-3 text-sm text-muted">
          <span className="truncate">
            <RelativeTime value={workflow.draft.at} />
            {workflow.draft.by ? <span className="phone:hidden"> · {workflow.draft.by}</span> : null}
            {workflow.description ? <span className="phone:hidden"> · {workflow.description}</span> : null}
          </span>
          <span className="relative flex-none">
            {workflow.last_run ? <LastRun run={workflow.last_run} /> : null}
          </span>
        </span>
      </div>
      <span className="relative flex-none">
        <Menu
          trigger={
            <IconButton label={t('workflows.actions', { name: workflow.name })}>
              <Ellipsis />
            </IconButton>
          }
          items={menu}
        />
      </span>
    </li>
  )
}
