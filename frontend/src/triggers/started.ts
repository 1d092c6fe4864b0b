/** What is said once a run was started from a trigger's page: where it is, or why it did not start. */
import { useLocation } from 'wouter'
import { asApiError } from '@/api/client'
import type { Run } from '@/api/run-types'
import { useT } from '@/i18n'
import { toast } from '@/ui'

export function useStarted() {
  const t = useT()
  const [, navigate] = useLocation()
  return {
    onSuccess: (run: Run) => {
      const action = { label: t('triggers.open_started'), run: () => navigate(`/runs/${run.id}`) }
      toast.ok({ title: t('triggers.run_started'), action })
    },
    onError: (thrown: unknown) => {
      const { message, hint, fields, reference } = asApiError(thrown)
      const against = Object.entries(fields).map(([name, texts]) => `${name}: ${texts.join(' ')}`)
      toast.error({ title: message, text: [...against, hint].filter(Boolean).join(' '), reference })
    },
  }
}
