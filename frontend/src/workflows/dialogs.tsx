import { type FormEvent, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { asApiError } from '@/api/client'
import { useWorkflowChanges, type WorkflowSummary } from '@/api/workflows'
import { emptyGraph } from '@/graph/types'
import { loadWords, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, Confirm, Dialog, ErrorBox, TextField } from '@/ui'

const TemplateDialog = lazily(async () => ({
  default: (await fetchCode(() => import('./TemplateDialog'))).TemplateDialog,
}))

const ImportDialog = lazily(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./importing/ImportDialog')),
    loadWords('importing'),
  ])
  return { default: file.ImportDialog }
})

export type Asking =
  | { readonly kind: 'create' }
  | { readonly kind: 'import' }
  | { readonly kind: 'template'; readonly template?: string }
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
        <Button type="submit" variant="primary" size="large" busy={busy} disabled={!name.trim()}>
          {action}
        </Button>
      </form>
    </Dialog>
  )
}

export function Dialogs({ asking, onClose }: { asking: Asking | null; onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const { create, rename, remove } = useWorkflowChanges()
  if (asking === null) return null
  if (asking.kind === 'import')
    return (
      <Suspense>
        <ImportDialog onClose={onClose} />
      </Suspense>
    )
  if (asking.kind === 'template')
    return (
      <Suspense>
        <TemplateDialog first={asking.template} onClose={onClose} />
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
            { onSuccess: (workflow) => navigate(`/workflows/${workflow.id}`) },
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
