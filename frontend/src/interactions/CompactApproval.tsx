/** The approval on a card: the tool, its risk, Approve and Review. Everything else is in the dock. */

import type { Question } from '@/api/fold'
import { useMay } from '@/api/queries'
import { useAnswer } from '@/api/runs'
import { useT } from '@/i18n'
import { Button, RiskBadge } from '@/ui'
import { toolName } from './kinds'

export function CompactApproval({ question, onReview }: { question: Question; onReview: () => void }) {
  const t = useT()
  const may = useMay('editor')
  const send = useAnswer()
  const taken = send.isSuccess || send.isPending
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center gap-1">
        <span className="font-mono text-xs truncate flex-1">{toolName(question.tool).split('/').at(-1)}</span>
        {question.risk ? <RiskBadge level={question.risk.level} /> : null}
      </div>
      <div className="flex gap-1">
        <Button
          variant="primary"
          size="small"
          className="flex-1"
          busy={taken}
          blocked={taken || may ? undefined : t('inbox.viewer')}
          onClick={() => send.mutate({ id: question.id, action: 'accept' }, { onError: onReview })}
        >
          {t('inbox.approve')}
        </Button>
        <Button size="small" onClick={onReview}>
          {t('inbox.review')}
        </Button>
      </div>
    </div>
  )
}
