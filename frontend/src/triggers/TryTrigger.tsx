/** Trying a trigger on the draft with what is typed by hand; left empty, with a sample. */
import { Play } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { type Trigger, useTryTrigger } from '@/api/triggers'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, IconButton, TextArea, usePhone, visible } from '@/ui'
import { configuration } from './parts'
import { useStarted } from './started'

/** What a request looks like, to begin with. */
function requestOf(trigger: Trigger): string {
  const { methods, timezone } = configuration(trigger)
  if (trigger.kind === 'schedule') return written({ at: new Date().toISOString(), timezone })
  if (trigger.kind !== 'webhook') return ''
  const [method] = (methods as string[] | undefined) ?? []
  return written({
    method: method ?? 'POST',
    query: {},
    headers: { 'content-type': 'application/json' },
    body: {},
    files: {},
  })
}

const written = (value: unknown): string => JSON.stringify(value, null, 2)

/** The object that a text is; undefined where it is none. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

export function TryButton({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const phone = usePhone()
  const [open, setOpen] = useState(false)
  const blocked = useMay('editor') ? undefined : t('triggers.editors_only')
  const shared = { blocked, onClick: () => setOpen(true) }
  return (
    <>
      {phone ? (
        <IconButton label={t('triggers.try')} {...shared}>
          <Play />
        </IconButton>
      ) : (
        <Button icon={<Play aria-hidden />} tip={t('triggers.try_tip')} {...shared}>
          {t('triggers.try')}
        </Button>
      )}
      {open ? <TryDialog trigger={trigger} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function TryDialog({ trigger, onClose }: { readonly trigger: Trigger; readonly onClose: () => void }) {
  const t = useT()
  const attempt = useTryTrigger(trigger.id)
  const { onSuccess } = useStarted()
  const [text, setText] = useState(() => requestOf(trigger))
  const [bad, setBad] = useState(false)
  const error = attempt.error ? asApiError(attempt.error) : null
  const form = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const request = text.trim() ? objectIn(text) : null
    setBad(request === undefined)
    if (request === undefined) return
    attempt.mutate(request === null ? {} : { request }, {
      onSuccess: (run) => {
        onSuccess(run)
        onClose()
      },
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('triggers.try')}
      footer={
        <Button type="submit" form={form} variant="primary" size="large" busy={attempt.isPending}>
          {t('triggers.try_run')}
        </Button>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={submit} noValidate>
        <p className="text-sm text-muted">{t('triggers.try_text')}</p>
        <TextArea
          label={t('triggers.try_request')}
          hint={t(`triggers.try_${trigger.kind}`)}
          mono
          rows={10}
          autoFocus
          spellCheck={false}
          value={text}
          onChange={setText}
          error={bad ? t('triggers.try_bad') : undefined}
        />
        {error ? (
          <ErrorBox error={error}>
            {Object.entries(error.fields).map(([name, texts]) => (
              <p key={name} className="text-sm">
                <code className="font-mono text-xs">{visible(name)}</code> {visible(texts.join(' '))}
              </p>
            ))}
          </ErrorBox>
        ) : null}
      </form>
    </Dialog>
  )
}
