/** A tool call that needs a person: reasons first, then the arguments as edited, then the answer. */

import { Bot, Check, ChevronDown, CircleAlert, Info } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '@/api/queries'
import type { Remember } from '@/api/run-types'
import { SchemaForm } from '@/forms/SchemaForm'
import { useT } from '@/i18n'
import { ValueView } from '@/results'
import {
  Button,
  Dialog,
  Diff,
  IconButton,
  Menu,
  Segmented,
  Select,
  TextField,
  useNarrow,
  visible,
} from '@/ui'
import { usePhone } from '@/ui/media'
import { Agreement, useBarred } from './agreement'
import { Evidence, Started } from './evidence'
import { reasonText } from './kinds'
import type { Asking } from './QuestionForm'

export function ApprovalBody({ question, place, values, setValues, errors, blocked, said }: Asking) {
  const t = useT()
  const open = question.state === 'open'
  const edited = JSON.stringify(values) !== JSON.stringify(question.proposal ?? {})
  return (
    <>
      <Reasons question={question} />
      <Started question={question} />
      <Agreement question={question} />
      {said}
      {question.message ? (
        place === 'dock' ? (
          <p className="text-sm text-muted line-clamp-2" data-tip={visible(question.message)}>
            {visible(question.message)}
          </p>
        ) : (
          <Part title={t(question.tool ? 'inbox.about_tool' : 'inbox.message')}>
            <p className="whitespace-pre-wrap break-words line-clamp-6">{visible(question.message)}</p>
          </Part>
        )
      ) : null}
      {question.schema || question.tool || question.proposal ? (
        <Part title={t(question.tool ? 'inbox.arguments' : 'inbox.proposal')}>
          {question.schema ? (
            <SchemaForm
              schema={question.schema}
              value={values}
              onChange={setValues}
              errors={errors}
              disabled={!open || blocked !== undefined}
              idPrefix={`question-${place}-${question.id}`}
            />
          ) : (
            <Given value={values} place={place} />
          )}
        </Part>
      ) : null}
      <Evidence question={question} />
      {edited && open ? (
        <Part
          title={t('inbox.changes')}
          aside={
            <Button size="small" variant="quiet" onClick={() => setValues(question.proposal ?? {})}>
              {t('inbox.undo_changes')}
            </Button>
          }
        >
          <Diff
            before={JSON.stringify(question.proposal ?? {}, null, 2)}
            after={JSON.stringify(values, null, 2)}
          />
        </Part>
      ) : null}
    </>
  )
}

/** What is decided on where there is no form for it: results as what they are, all else as a tree. */
function Given({ value, place }: Pick<Asking, 'place'> & { readonly value: unknown }) {
  const t = useT()
  return (
    <ValueView
      value={value}
      shape="tree"
      label={t('inbox.arguments')}
      {...(place === 'dock' ? { maxHeight: 200 } : {})}
    />
  )
}

export function Part({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="grid gap-1 min-w-0">
      <div className="flex items-center gap-2">
        <h3 className="section-title flex-1">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

function Reasons({ question }: Pick<Asking, 'question'>) {
  const t = useT()
  const reasons = question.risk?.reasons ?? []
  if (reasons.length === 0) return null
  const high = question.risk?.level === 'HIGH'
  const Icon = high ? CircleAlert : Info
  return (
    <Part title={t('inbox.why')}>
      <ul className="grid gap-1">
        {reasons.map((reason) => {
          const text = visible(reasonText(reason))
          const Mark = /model|模型/i.test(text) ? Bot : Icon
          return (
            <li key={text} className="flex gap-2">
              <Mark aria-hidden className="mt-px size-4 shrink-0" data-tone={high ? 'failed' : undefined} />
              <span className="min-w-0">{text}</span>
            </li>
          )
        })}
      </ul>
    </Part>
  )
}

export function ApprovalAnswers({ question, place, values, sending, blocked, answer }: Asking) {
  const t = useT()
  const admin = useMay('admin')
  const small = usePhone()
  const narrow = useNarrow()
  const [remember, setRemember] = useState<Remember>('once')
  const [reason, setReason] = useState('')
  const [asking, setAsking] = useState(false)
  const edited = JSON.stringify(values) !== JSON.stringify(question.proposal ?? {})
  const approve = (how: Remember) =>
    answer({ action: 'accept', remember: how, ...(edited ? { values } : {}) })
  const decline = () => answer({ action: 'decline', reason })
  const waits = sending !== null ? '' : blocked
  const barred = useBarred(question)
  const cannot = sending !== null ? '' : (blocked ?? barred)
  const size = small ? 'large' : place === 'page' ? 'large' : 'medium'
  // What may be remembered is a call; the whole of a plan is allowed each time anew.
  const aboutCall = question.tool !== null
  const beyond: readonly { readonly how: Remember; readonly label: string }[] = [
    { how: 'tool', label: t('inbox.approve_tool') },
    { how: 'arguments', label: t('inbox.approve_arguments') },
  ]
  const beyondRun = { disabled: !admin, ...(admin ? {} : { tip: t('inbox.remember_admin') }) }
  const remembering = {
    value: remember,
    onChange: setRemember,
    disabled: cannot !== undefined,
    options: [
      { value: 'once' as const, label: t('inbox.remember_once') },
      { value: 'run' as const, label: t('inbox.remember_run') },
      { value: 'tool' as const, label: t('inbox.remember_tool'), ...beyondRun },
      { value: 'arguments' as const, label: t('inbox.remember_arguments'), ...beyondRun },
    ],
  }
  const more = (
    <Menu
      trigger={
        <IconButton label={t('inbox.approve_more')} variant="plain" size={size}>
          <ChevronDown />
        </IconButton>
      }
      items={[
        ...(aboutCall ? beyond : []).map(({ how, label }) => ({
          label,
          disabled: !admin || cannot !== undefined,
          onSelect: () => approve(how),
        })),
        ...(admin || !aboutCall ? [] : [{ kind: 'label' as const, label: t('inbox.remember_admin') }]),
        ...(aboutCall ? [{ kind: 'separator' as const }] : []),
        {
          label: t('inbox.cancel_run'),
          danger: true,
          disabled: blocked !== undefined || sending !== null,
          onSelect: () => answer({ action: 'cancel' }),
        },
      ]}
    />
  )
  const declinesAbove = !small && (place === 'dock' || narrow)
  const declineInPlace = (
    <>
      <span className="question-reason">
        <TextField
          aria-label={t('inbox.decline_reason')}
          placeholder={t('inbox.decline_reason')}
          value={reason}
          onChange={setReason}
          disabled={blocked !== undefined}
        />
      </span>
      <Button
        variant="danger"
        size={size}
        busy={sending === 'decline'}
        blocked={sending === 'decline' ? undefined : waits}
        onClick={decline}
      >
        {t('inbox.decline')}
      </Button>
    </>
  )
  return (
    <>
      {place === 'page' && !small && aboutCall ? (
        <div className="grid grid-cols-1 gap-1">
          <span className="section-title">{t('inbox.remember')}</span>
          {narrow ? (
            <Select aria-label={t('inbox.remember')} {...remembering} />
          ) : (
            <Segmented label={t('inbox.remember')} {...remembering} />
          )}
          <p className="text-xs text-muted">{t('inbox.remember_hint')}</p>
        </div>
      ) : null}
      {declinesAbove ? <div className="question-buttons">{declineInPlace}</div> : null}
      <div className="question-buttons">
        <Button
          variant="primary"
          size={size}
          icon={<Check aria-hidden />}
          className="question-first"
          busy={sending === 'accept'}
          blocked={sending === 'accept' ? undefined : cannot}
          onClick={() => approve(remember)}
        >
          {t('inbox.approve')}
        </Button>
        {aboutCall && (place === 'dock' || small) ? (
          <Button size={size} className="question-second" blocked={cannot} onClick={() => approve('run')}>
            {t('inbox.approve_run')}
          </Button>
        ) : null}
        {more}
        {declinesAbove || small ? null : declineInPlace}
        {small ? (
          <Button
            variant="danger"
            size={size}
            busy={sending === 'decline'}
            blocked={sending === 'decline' ? undefined : waits}
            onClick={() => setAsking(true)}
          >
            {t('inbox.decline')}
          </Button>
        ) : null}
      </div>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t('inbox.decline_title')}
        size="small"
        footer={
          <Button
            variant="danger"
            size="large"
            onClick={() => {
              setAsking(false)
              decline()
            }}
          >
            {t('inbox.decline')}
          </Button>
        }
      >
        <p className="mb-3 text-muted">{t('inbox.decline_text')}</p>
        <TextField label={t('inbox.decline_reason')} value={reason} onChange={setReason} />
      </Dialog>
    </>
  )
}
