/**
 * Before a run runs again: what is taken over, what runs, and above all which writes will or may happen again.
 *
 * From the start other inputs can be given; from any step the current draft can be taken instead of the run's own
 * document. What is said comes from the server, for just what would be started.
 */

import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { asApiError, send } from '@/api/client'
import type { Run } from '@/api/run-types'
import { problemsIn, useRun } from '@/api/runs'
import { fetchWorkflow } from '@/api/workflows'
import { useUploading } from '@/files/uploads'
import { SchemaForm } from '@/forms/SchemaForm'
import { useT } from '@/i18n'
import { fieldErrors } from '@/interactions/field-errors'
import { useNodeTitles } from '@/runs/hooks'
import { Button, Checkbox, Dialog, ErrorBox, Skeleton } from '@/ui'
import { Steps, Writes } from './parts'
import { inputSchema, type RerunPlan, sameGraph, startNode } from './plan'
import type { RerunRequest } from './request'

const FIELDS = 'again-inputs'

export interface RerunDialogProps {
  readonly request: RerunRequest
  readonly onClose: () => void
  readonly onStarted: (run: Run) => void
}

/** What would be started: previewed by the server, then started by it. */
function useRerun(request: RerunRequest, onStarted: (run: Run) => void) {
  const { data: run } = useRun(request.run)
  const { data: draft } = useQuery({
    queryKey: ['again', 'draft', run?.workflow],
    queryFn: () => fetchWorkflow(run?.workflow ?? ''),
    enabled: run !== undefined,
    staleTime: 0,
    gcTime: 0,
  })
  const [withDraft, setWithDraft] = useState(request.draft === true)
  const [inputs, setInputs] = useState<unknown>(null)
  const node = request.node ?? run?.error?.node ?? null
  const other = draft !== undefined && run?.graph !== undefined && !sameGraph(draft.draft.graph, run.graph)
  const graph = withDraft && other ? draft.draft.graph : null
  const schema = useMemo(() => {
    const document = graph ?? run?.graph
    return node !== null && node === startNode(document) ? inputSchema(document) : null
  }, [graph, run, node])
  const retry = request.node === null && graph === null
  const path = `/api/runs/${request.run}/${retry ? 'retry' : 'fork'}`
  const what = retry ? {} : { step: node, ...(graph === null ? {} : { graph }) }

  const preview = useQuery({
    queryKey: ['again', request.run, request.node, graph === null ? null : draft?.draft.revision],
    queryFn: () => send<RerunPlan>('POST', path, { ...what, dry_run: true }),
    enabled: run !== undefined && (retry || node !== null) && (draft !== undefined || !request.draft),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const start = useMutation({
    mutationFn: () => send<Run>('POST', path, { ...what, ...(inputs === null ? {} : { inputs }) }),
    onSuccess: onStarted,
  })
  const uploading = useUploading(FIELDS)
  const refused = start.error ? asApiError(start.error) : null
  const atFields =
    refused !== null && Object.keys(refused.fields).some((field) => field.startsWith('inputs.'))
  const error = atFields ? null : (refused ?? (preview.error ? asApiError(preview.error) : null))
  const plan = preview.data
  return {
    run,
    node,
    other,
    schema,
    withDraft,
    setWithDraft,
    inputs,
    setInputs,
    preview,
    start,
    uploading,
    refused,
    error,
    plan,
  }
}

export function RerunDialog({ request, onClose, onStarted }: RerunDialogProps) {
  const t = useT()
  const titleOf = useNodeTitles()
  const rerun = useRerun(request, onStarted)
  const {
    run,
    node,
    other,
    schema,
    withDraft,
    setWithDraft,
    inputs,
    setInputs,
    preview,
    start,
    refused,
    error,
  } = rerun
  const { plan, uploading } = rerun
  const name = (id: string) => plan?.runs.find((step) => step.node === id)?.title || titleOf(id)
  const title =
    request.node !== null
      ? t('rerun.fork_title', { step: titleOf(request.node) })
      : node === null
        ? t('rerun.go_on')
        : t('rerun.retry_title', { step: titleOf(node) })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={start.isPending}
            blocked={plan === undefined ? t('rerun.looking') : uploading ? t('forms.file_wait') : undefined}
            onClick={() => start.mutate()}
          >
            {t('rerun.start')}
          </Button>
        </>
      }
    >
      <div className="again">
        {other && node !== null ? (
          <Checkbox
            checked={withDraft}
            onChange={(on) => {
              setWithDraft(on)
              start.reset()
            }}
            label={t('rerun.with_draft')}
            hint={t('rerun.with_draft_hint')}
          />
        ) : null}
        {schema ? (
          <section className="grid gap-2">
            <h3 className="section-title">{t('rerun.inputs')}</h3>
            <SchemaForm
              schema={schema}
              value={inputs ?? run?.inputs ?? {}}
              onChange={(next) => {
                setInputs(next)
                start.reset()
              }}
              errors={fieldErrors(refused?.fields, 'inputs')}
              idPrefix={FIELDS}
              labels="titles"
            />
          </section>
        ) : null}
        {error ? <Refused error={error} /> : null}
        {plan ? (
          <>
            <Writes plan={plan} nameOf={name} />
            <Steps plan={plan} nameOf={name} />
          </>
        ) : preview.isPending ? (
          <Skeleton rows={3} />
        ) : null}
      </div>
    </Dialog>
  )
}

function Refused({ error }: { readonly error: ReturnType<typeof asApiError> }) {
  const problems = problemsIn(error)
  return (
    <ErrorBox error={error}>
      {problems.length > 0 ? (
        <ul className="list-disc pl-4 text-sm">
          {problems.slice(0, 5).map((problem) => (
            <li key={`${problem.node} ${problem.code} ${problem.message}`}>{problem.message}</li>
          ))}
        </ul>
      ) : null}
    </ErrorBox>
  )
}
