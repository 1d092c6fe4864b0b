/** A call that waits until somebody has signed in at its server: whose sign-in it is, and the way there. */

import { useState } from 'react'
import { Link } from 'wouter'
import { useMay, useMe } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Callout, visible } from '@/ui'
import { usePhone } from '@/ui/media'
import { Part } from './approval'
import { toolName } from './kinds'
import type { Asking } from './QuestionForm'

export function SignInBody({ question }: Asking) {
  const t = useT()
  const needed = question.sign_in
  const tool = toolName(question.tool)
  return (
    <>
      <Callout tone="person">
        <p>{visible(question.message)}</p>
      </Callout>
      {needed ? (
        <Part title={t('inbox.sign_in_whose')}>
          <p>
            {needed.shared ? t('inbox.sign_in_team') : visible(needed.person ?? t('inbox.somebody_gone'))}
          </p>
        </Part>
      ) : null}
      {tool ? (
        <Part title={t('inbox.the_call')}>
          <code className="font-mono text-sm break-all">{tool}</code>
        </Part>
      ) : null}
      {needed && needed.server === null ? (
        <p className="text-sm text-muted">{t('inbox.sign_in_gone')}</p>
      ) : null}
    </>
  )
}

export function SignInAnswers({ question, place, sending, blocked, answer }: Asking) {
  const t = useT()
  const small = usePhone()
  const [chosen, setChosen] = useState<string | null>(null)
  const refusal = useRefusal(question)
  const size = small || place === 'page' ? 'large' : 'medium'
  const waits = sending !== null ? '' : (blocked ?? refusal)
  const server = question.sign_in?.server
  const give = (action: 'accept' | 'decline' | 'cancel') => {
    setChosen(action)
    answer({ action })
  }
  const busy = (action: string) => sending !== null && chosen === action
  return (
    <div className="question-buttons">
      {server ? (
        <Link
          href={`/registry/${server}/overview`}
          className={`btn btn-primary question-first ${size === 'large' ? 'btn-large' : ''}`}
        >
          {t('inbox.sign_in_page')}
        </Link>
      ) : null}
      <Button
        size={size}
        tip={t('inbox.sign_in_again_hint')}
        busy={busy('accept')}
        blocked={waits}
        onClick={() => give('accept')}
      >
        {t('inbox.failed_again')}
      </Button>
      <Button
        size={size}
        variant="danger"
        tip={t('inbox.fail_hint')}
        busy={busy('decline')}
        blocked={waits}
        onClick={() => give('decline')}
      >
        {t('inbox.fail')}
      </Button>
      <span className="flex-1" />
      <Button
        size={size}
        variant="quiet"
        busy={busy('cancel')}
        blocked={waits}
        onClick={() => give('cancel')}
      >
        {t('inbox.cancel_run')}
      </Button>
    </div>
  )
}

/** Why this person cannot decide: the credentials are the team's or somebody else's, and they are no admin. */
function useRefusal({ sign_in: needed }: Asking['question']): string | undefined {
  const t = useT()
  const admin = useMay('admin')
  const { email } = useMe()
  if (admin || !needed || needed.person === email) return undefined
  return t(needed.shared ? 'inbox.sign_in_admin' : 'inbox.sign_in_theirs')
}
