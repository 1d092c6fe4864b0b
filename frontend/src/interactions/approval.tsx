/** A tool call that needs a person: reasons first, then the arguments as edited, then the answer. */

import { Bot, Check, ChevronDown, CircleAlert, Info } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '@/api/queries'
import type { Remember } from '@/api/run-types'
import { SchemaForm } from '@/forms/SchemaForm'
import { useT } from '@/i18n'
import { ValueView } from '@/results'
import { Button, Dialog, Diff, IconButton, Menu, Segmented, TextField, visible } from '@/ui'
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
            <ShownValue value={values} place={place} />
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
function ShownValue({ value, place }: Pick<Asking, 'place'> & { readonly value: unknown }) {
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

type Approve = (how: Remember) => void

interface RememberingProps {
  readonly value: Remember
  readonly onChange: (how: Remember) => void
  readonly disabled: boolean
}

/** For what else this yes counts. */
function Remembering(props: RememberingProps) {
  const t = useT()
  const admin = useMay('admin')
  const beyondRun = { disabled: !admin, ...(admin ? {} : { tip: t('inbox.remember_admin') }) }
  const options = [
    { value: 'once' as const, label: t('inbox.remember_once') },
    { value: 'run' as const, label: t('inbox.remember_run') },
    { value: 'tool' as const, label: t('inbox.remember_tool'), ...beyondRun },
    { value: 'arguments' as const, label: t('inbox.remember_arguments'), ...beyondRun },
  ]
  return (
    <div className="grid grid-cols-1 gap-1">
      <span className="section-title">{t('inbox.remember')}</span>
      <Segmented label={t('inbox.remember')} options={options} {...props} />
      <p className="text-xs text-muted">{t('inbox.remember_hint')}</p>
    </div>
  )
}

interface MoreProps {
  readonly size: 'large' | 'medium'
  /** What is asked is a call, which may be remembered; the whole of a plan is allowed each time anew. */
  readonly aboutCall: boolean
  readonly mayApprove: boolean
  readonly mayCancel: boolean
  readonly approve: Approve
  readonly cancel: () => void
}

function MoreAnswers({ size, aboutCall, mayApprove, mayCancel, approve, cancel }: MoreProps) {
  const t = useT()
  const admin = useMay('admin')
  const beyond: readonly { readonly how: Remember; readonly label: string }[] = [
    { how: 'tool', label: t('inbox.approve_tool') },
    { how: 'arguments', label: t('inbox.approve_arguments') },
  ]
  return (
    <Menu
      trigger={
        <IconButton className="question-more" label={t('inbox.approve_more')} variant="plain" size={size}>
          <ChevronDown />
        </IconButton>
      }
      items={[
        ...(aboutCall ? beyond : []).map(({ how, label }) => ({
          label,
          disabled: !admin || !mayApprove,
          onSelect: () => approve(how),
        })),
        ...(admin || !aboutCall ? [] : [{ kind: 'label' as const, label: t('inbox.remember_admin') }]),
        ...(aboutCall ? [{ kind: 'separator' as const }] : []),
        { label: t('inbox.cancel_run'), danger: true, disabled: !mayCancel, onSelect: cancel },
      ]}
    />
  )
}

interface DeclineProps {
  readonly size: 'large' | 'medium'
  readonly reason: string
  readonly setReason: (reason: string) => void
  readonly busy: boolean
  readonly blocked: string | undefined
  /** Whether a reason can be written now. */
  readonly writable: boolean
  readonly decline: () => void
}

/** No, with a reason beside the button. */
function DeclineInPlace({ size, reason, setReason, busy, blocked, writable, decline }: DeclineProps) {
  const t = useT()
  return (
    <>
      <span className="question-reason">
        <TextField
          aria-label={t('inbox.decline_reason')}
          placeholder={t('inbox.decline_reason')}
          value={reason}
          onChange={setReason}
          disabled={!writable}
        />
      </span>
      <Button variant="danger" size={size} busy={busy} blocked={blocked} onClick={decline}>
        {t('inbox.decline')}
      </Button>
    </>
  )
}

/** No, with the reason asked for in a dialog: a phone has no room beside the button. */
function DeclineInDialog({ size, reason, setReason, busy, blocked, decline }: DeclineProps) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="danger"
        size={size}
        className="question-decline"
        busy={busy}
        blocked={blocked}
        onClick={() => setAsking(true)}
      >
        {t('inbox.decline')}
      </Button>
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

export function ApprovalAnswers({ question, place, values, sending, blocked, answer }: Asking) {
  const t = useT()
  const phone = usePhone()
  const [remember, setRemember] = useState<Remember>('once')
  const [reason, setReason] = useState('')
  const edited = JSON.stringify(values) !== JSON.stringify(question.proposal ?? {})
  const approve: Approve = (how) => answer({ action: 'accept', remember: how, ...(edited ? { values } : {}) })
  const barred = useBarred(question)
  const cannot = sending !== null ? '' : (blocked ?? barred)
  const size = phone || place === 'page' ? 'large' : 'medium'
  const aboutCall = question.tool !== null
  const declining: DeclineProps = {
    size,
    reason,
    setReason,
    busy: sending === 'decline',
    blocked: sending === null ? blocked : sending === 'decline' ? undefined : '',
    writable: blocked === undefined,
    decline: () => answer({ action: 'decline', reason }),
  }
  const declinesAbove = !phone && place === 'dock'
  const more = (
    <MoreAnswers
      size={size}
      aboutCall={aboutCall}
      mayApprove={cannot === undefined}
      mayCancel={blocked === undefined && sending === null}
      approve={approve}
      cancel={() => answer({ action: 'cancel' })}
    />
  )
  return (
    <>
      {place === 'page' && !phone && aboutCall ? (
        <Remembering value={remember} onChange={setRemember} disabled={cannot !== undefined} />
      ) : null}
      {declinesAbove ? (
        <div className="question-buttons">
          <DeclineInPlace {...declining} />
        </div>
      ) : null}
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
        {phone ? more : null}
        {aboutCall && (place === 'dock' || phone) ? (
          <Button size={size} className="question-second" blocked={cannot} onClick={() => approve('run')}>
            {t('inbox.approve_run')}
          </Button>
        ) : null}
        {phone ? null : more}
        {phone ? (
          <DeclineInDialog {...declining} />
        ) : declinesAbove ? null : (
          <DeclineInPlace {...declining} />
        )}
      </div>
    </>
  )
}
