/** Publishing the draft as the next version. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { publishDraft } from '@/api/workflows'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, TextArea, toast } from '@/ui'

export function PublishDialog({
  workflow,
  next,
  save,
  onPublished,
  onClose,
}: {
  readonly workflow: string
  readonly next: number
  readonly save: () => Promise<number>
  readonly onPublished: (version: number) => void
  readonly onClose: () => void
}) {
  const t = useT()
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const publish = async () => {
    setBusy(true)
    setError(null)
    try {
      await save()
      const version = await publishDraft(workflow, note.trim())
      onClose()
      toast.ok(t('editor.published', { version: String(version.version) }))
      onPublished(version.version)
      void client.invalidateQueries({ queryKey: ['version', workflow] })
      void client.invalidateQueries({ queryKey: ['workflow'] })
    } catch (thrown) {
      setError(asApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      size="small"
      title={t('editor.publish_title')}
      footer={
        <Button variant="primary" size="large" busy={busy} onClick={() => void publish()}>
          {t('editor.publish')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <p className="text-muted">{t('editor.publish_text', { version: String(next) })}</p>
        <TextArea label={t('editor.publish_note')} value={note} rows={3} onChange={setNote} />
        {error ? <ErrorBox error={error} /> : null}
      </div>
    </Dialog>
  )
}
