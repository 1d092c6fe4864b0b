/** Makes a workflow of what a model did in a finished step: its calls, in order, without the model. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Workflow as WorkflowIcon } from 'lucide-react'
import { useLocation } from 'wouter'
import { failureOf, send } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Workflow } from '@/api/workflows'
import { useT } from '@/i18n'
import { type RunFold, type Step, stepsInside } from '@/live/fold'
import { Button, toast } from '@/ui'

/** Whether a step succeeded and made a call that can be kept. */
export function canSaveAsWorkflow(step: Step, fold: RunFold): boolean {
  if (step.state !== 'SUCCESS') return false
  return [step, ...stepsInside(fold, step.id)].some((step) =>
    step.toolCalls.some((call) => call.to !== null && !call.isError && call.error === null),
  )
}

export function SaveAsWorkflowButton({ run, node }: { readonly run: string; readonly node: string }) {
  const t = useT()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const mayEdit = useMay('editor')
  const saveAsWorkflow = useMutation({
    mutationFn: () => send<Workflow>('POST', `/api/runs/${run}/keep`, { node }),
    onSuccess: (workflow) => {
      void client.invalidateQueries({ queryKey: ['workflow'] })
      const action = {
        label: t('talk.open_saved_workflow'),
        run: () => navigate(`/workflows/${workflow.id}`),
      }
      toast.ok({ title: t('talk.saved_as_workflow', { name: workflow.name }), action })
    },
    onError: (error) => toast.error(failureOf(error)),
  })
  if (!mayEdit) return null
  return (
    <Button
      variant="quiet"
      size="small"
      className="btn-icon"
      aria-label={t('talk.save_as_workflow')}
      tip={t('talk.save_as_workflow_tip')}
      icon={<WorkflowIcon />}
      busy={saveAsWorkflow.isPending}
      onClick={() => saveAsWorkflow.mutate()}
    />
  )
}
