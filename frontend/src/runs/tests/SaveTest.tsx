/** Saves the run that is shown as a test of its workflow. */

import { FlaskConical } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { useSaveTest } from '@/api/workflow-tests'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { Button, Dialog, ErrorBox, IconButton, TextField, toast, useActions } from '@/ui'

export function SaveTest({ workflow }: { readonly workflow: string }) {
  const t = useT()
  const may = useMay('editor')
  const info = useRunInfo()
  const [open, setOpen] = useState(false)
  const ended = info !== null && !info.going && (info.state === 'SUCCESS' || info.state === 'ERROR')
  useActions([
    {
      id: 'runs.save_test',
      title: t('tests.save'),
      group: t('runs.title'),
      run: () => setOpen(true),
      when: () => may && ended,
    },
  ])
  if (!ended || !may) return null
  return (
    <>
      <IconButton label={t('tests.save')} size="small" onClick={() => setOpen(true)}>
        <FlaskConical />
      </IconButton>
      {open ? <SaveDialog workflow={workflow} run={info.run} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

interface SaveDialogProps {
  readonly workflow: string
  readonly run: string
  readonly onClose: () => void
}

function SaveDialog({ workflow, run, onClose }: SaveDialogProps) {
  const t = useT()
  const save = useSaveTest(workflow)
  const [name, setName] = useState('')
  const error = save.error ? asApiError(save.error) : null
  const taken = error?.fields.name?.[0]
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (name.trim() === '' || save.isPending) return
    save.mutate(
      { run, name: name.trim() },
      {
        onSuccess: () => {
          toast.ok(t('tests.saved', { name: name.trim() }))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      size="small"
      title={t('tests.save')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={save.isPending}
            blocked={name.trim() === '' ? t('tests.name_first') : undefined}
            onClick={() => send()}
          >
            {t('tests.save_do')}
          </Button>
        </>
      }
    >
      <form className="grid gap-3" onSubmit={send}>
        <p className="text-muted">{t('tests.save_text')}</p>
        <TextField
          label={t('tests.name')}
          value={name}
          maxLength={200}
          required
          error={taken}
          onChange={(next) => {
            setName(next)
            save.reset()
          }}
        />
        {error && !taken ? <ErrorBox error={error} /> : null}
      </form>
    </Dialog>
  )
}
