/** The dialog of a new trigger, and of the settings of one that is there. */
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { useMe } from '@/api/queries'
import {
  type NewTrigger,
  type Trigger,
  type TriggerKind,
  useChangeTrigger,
  useCreateTrigger,
} from '@/api/triggers'
import { useT } from '@/i18n'
import { Button, Callout, Checkbox, Dialog, ErrorBox, TextField } from '@/ui'
import { ChatFields } from './ChatFields'
import { configOf, type Draft, draftOf, fieldErrors } from './draft'
import { EventFields } from './EventFields'
import type { FormPart } from './fields'
import { InputFields } from './InputFields'
import { PageFields } from './PageFields'
import { actsAsVisitor, configuration, kindKey, ofVisitors } from './parts'
import { ScheduleFields } from './ScheduleFields'
import { WebhookFields } from './WebhookFields'
import { WorkflowChoice } from './WorkflowChoice'
import './triggers.css'

const FIELDS = {
  webhook: WebhookFields,
  schedule: ScheduleFields,
  event: EventFields,
  chat: ChatFields,
  page: PageFields,
}
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** The settings of one kind, with what the server says against each. */
function Settings(part: FormPart & { readonly workflow: string }) {
  const Fields = FIELDS[part.kind]
  return (
    <>
      <Fields {...part} />
      {part.kind === 'chat' || part.kind === 'page' ? null : <InputFields {...part} />}
    </>
  )
}

/** What is typed for a trigger's settings, and the parts of the form made of it. */
function useSettings(kind: TriggerKind, first: Draft, exists: boolean, error: ApiError | null) {
  const [draft, setDraft] = useState(first)
  const part: FormPart = {
    kind,
    exists,
    draft,
    change: (change) => setDraft((before) => ({ ...before, ...change })),
    errorOf: fieldErrors(error?.fields),
    badInputs: Object.keys(error?.fields ?? {}).flatMap((key) =>
      key.startsWith('config.inputs.') ? [key.slice('config.inputs.'.length)] : [],
    ),
  }
  return { draft, part }
}

interface FormDialogProps {
  readonly title: string
  /** What its button says. */
  readonly action: string
  readonly busy: boolean
  readonly error: ApiError | null
  readonly onSubmit: (event: FormEvent) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a dialog: what has no field of its own is said below it, and its button stands however far one scrolls. */
function FormDialog({ title, action, busy, error, onSubmit, onClose, children }: FormDialogProps) {
  const form = useId()
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      footer={
        <Button type="submit" form={form} variant="primary" size="large" busy={busy}>
          {action}
        </Button>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={onSubmit} noValidate>
        {children}
        {error ? <ErrorBox error={error} /> : null}
      </form>
    </Dialog>
  )
}

export function NewTriggerForm({
  kind,
  workflow: given,
  onClose,
  onCreated,
}: {
  readonly kind: TriggerKind
  /** The workflow it is for; empty = to be chosen. */
  readonly workflow: string
  readonly onClose: () => void
  readonly onCreated: (trigger: NewTrigger) => void
}) {
  const t = useT()
  const { email } = useMe()
  const create = useCreateTrigger()
  const error = create.error ? asApiError(create.error) : null
  const [workflow, setWorkflow] = useState(given)
  const [name, setName] = useState('')
  const [enabled, setEnabled] = useState(false)
  const [missing, setMissing] = useState(false)
  const [first] = useState(() => draftOf(kind, {}, zone()))
  const { draft, part } = useSettings(kind, first, false, error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(!workflow)
    if (!workflow) return
    const config = configOf(kind, draft)
    create.mutate({ workflow, kind, name: name.trim(), enabled, config }, { onSuccess: onCreated })
  }
  return (
    <FormDialog
      title={t('triggers.new_of', { kind: t(kindKey(kind)) })}
      action={t('triggers.make')}
      busy={create.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-sm text-muted">{t(`triggers.${kind}_text`)}</p>
      <TextField
        label={t('common.name')}
        required
        autoFocus
        placeholder={t(`triggers.name_${kind}`)}
        value={name}
        onChange={setName}
        error={part.errorOf('name')}
      />
      {given ? null : (
        <WorkflowChoice
          label={t('triggers.workflow')}
          required
          value={workflow}
          empty={t('triggers.choose_workflow')}
          onChange={setWorkflow}
          error={missing && !workflow ? t('triggers.choose_workflow') : undefined}
        />
      )}
      <Settings {...part} workflow={workflow} />
      <Checkbox
        label={t('triggers.switch_on_now')}
        hint={
          ofVisitors(kind, draft.access)
            ? t('triggers.acts_writer')
            : t('triggers.switch_on_now_hint', { email })
        }
        checked={enabled}
        onChange={setEnabled}
      />
    </FormDialog>
  )
}

export function EditTriggerForm({
  trigger,
  onClose,
}: {
  readonly trigger: Trigger
  readonly onClose: () => void
}) {
  const t = useT()
  const { email } = useMe()
  const change = useChangeTrigger(trigger.id)
  const error = change.error ? asApiError(change.error) : null
  const [name, setName] = useState(trigger.name)
  const [first] = useState(() => draftOf(trigger.kind, configuration(trigger), zone()))
  const { draft, part } = useSettings(trigger.kind, first, true, error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // settings that are as they were are not sent: they would make the trigger act as somebody else
    const settings = draft === first ? {} : { config: configOf(trigger.kind, draft) }
    change.mutate({ name: name.trim(), ...settings }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={t('triggers.edit_of', { name: trigger.name })}
      action={t('common.save')}
      busy={change.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {trigger.enabled && !actsAsVisitor(trigger) && trigger.acts_as !== email ? (
        <Callout tone="waiting">{t('triggers.edit_takes_over', { email })}</Callout>
      ) : null}
      <TextField
        label={t('common.name')}
        required
        value={name}
        onChange={setName}
        error={part.errorOf('name')}
      />
      <Settings {...part} workflow={trigger.workflow} />
    </FormDialog>
  )
}
