/** Deleting runs: which are chosen, the bar that says how many, and the question before they are gone for good. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import type { Run } from '@/api/run-types'
import { TERMINAL } from '@/api/run-types'
import { useT } from '@/i18n'
import { Button, Checkbox, Confirm, ErrorBox, toast } from '@/ui'

/** What is chosen; null while nothing is to be chosen. */
export interface Choosing {
  readonly chosen: ReadonlySet<string>
  readonly toggle: (run: string) => void
}

/** Ended runs that are not a part of another one may go. */
export const mayGo = (run: Run): boolean => TERMINAL.has(run.state) && !run.parent_run

/** The box before a run. */
export function RunCheck({ run, choosing }: { readonly run: Run; readonly choosing: Choosing }) {
  const t = useT()
  return (
    <Checkbox
      aria-label={t('runs.choose', { name: run.workflow_name ?? run.workflow })}
      label=""
      checked={choosing.chosen.has(run.id)}
      disabled={!mayGo(run)}
      onChange={() => choosing.toggle(run.id)}
    />
  )
}

interface BarProps {
  /** All that are shown and may go. */
  readonly runs: readonly string[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (runs: ReadonlySet<string>) => void
  readonly onDone: () => void
}

/** In the place of the filters while runs are chosen. */
export function ChoosingBar({ runs, chosen, onChoose, onDone }: BarProps) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const all = runs.length > 0 && runs.every((run) => chosen.has(run))
  return (
    <>
      <Checkbox
        label={t('runs.choose_all')}
        checked={all}
        some={chosen.size > 0}
        onChange={() => onChoose(new Set(all ? [] : runs))}
      />
      <span className="flex-1" />
      <span className="text-xs text-muted tabular-nums">{t('runs.chosen', { n: chosen.size })}</span>
      <Button variant="danger" icon={<Trash2 />} disabled={chosen.size === 0} onClick={() => setAsking(true)}>
        {t('common.delete')}
      </Button>
      <Button onClick={onDone}>{t('common.done')}</Button>
      {asking ? (
        <Question
          runs={[...chosen]}
          onClose={() => setAsking(false)}
          onGone={(left) => {
            setAsking(false)
            onChoose(new Set(left))
            if (left.length === 0) onDone()
          }}
        />
      ) : null}
    </>
  )
}

interface QuestionProps {
  readonly runs: readonly string[]
  readonly onClose: () => void
  /** Called with those that could not be deleted. */
  readonly onGone: (left: readonly string[]) => void
}

function Question({ runs, onClose, onGone }: QuestionProps) {
  const t = useT()
  const client = useQueryClient()
  const deletion = useMutation({
    mutationFn: async (): Promise<readonly string[]> => {
      const left: string[] = []
      let why: unknown
      for (const key of runs) {
        try {
          await api.delete('/api/runs/{key}', { params: { path: { key } } })
        } catch (thrown) {
          if (asApiError(thrown).status === 404) continue // gone with one before it
          left.push(key)
          why = thrown
        }
      }
      if (left.length === runs.length) throw why
      if (left.length > 0)
        toast.error({
          title: t('runs.not_deleted', { n: left.length }),
          text: asApiError(why).message,
          reference: asApiError(why).reference,
        })
      return left
    },
    onSuccess: onGone,
    onSettled: () => void client.invalidateQueries({ queryKey: ['run'] }),
  })
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('runs.delete_title', { n: runs.length })}
      action={t('common.delete')}
      busy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
    >
      <p>{t('runs.delete_text')}</p>
      {deletion.error ? <ErrorBox error={asApiError(deletion.error)} /> : null}
    </Confirm>
  )
}
