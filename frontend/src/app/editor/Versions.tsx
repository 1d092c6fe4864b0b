/** The versions menu, and publishing the draft. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, Download, FilePen, History, Tag } from 'lucide-react'
import { useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { exportAddress, publishDraft, versionsQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, Menu, type MenuEntry, relativeTime, TextArea, toast } from '@/ui'

export interface VersionsMenuProps {
  readonly workflow: string
  /** The version that is shown; null = the draft. */
  readonly shown: number | null
  readonly published: number | null
  readonly onShow: (version: number | null) => void
}

const MOST = 12

export function VersionsMenu({ workflow, shown, published, onShow }: VersionsMenuProps) {
  const t = useT()
  const { data: versions = [] } = useQuery(versionsQuery(workflow))
  const items: MenuEntry[] = [{ kind: 'label', label: t('editor.versions') }]
  if (shown !== null)
    items.push({ label: t('editor.back_to_draft'), icon: <FilePen />, onSelect: () => onShow(null) })
  for (const version of versions.slice(0, MOST)) {
    const when = relativeTime(version.published_at)
    items.push({
      label: [t('editor.version_entry', { version: String(version.version), when }), version.note]
        .filter(Boolean)
        .join(' · '),
      icon: <Tag />,
      disabled: version.version === shown,
      onSelect: () => onShow(version.version),
    })
  }
  if (versions.length === 0)
    items.push({ label: t('editor.none_published'), disabled: true, onSelect: () => {} })
  const download = (format: 'yaml' | 'json') => () =>
    window.location.assign(exportAddress(workflow, format, shown ?? undefined))
  items.push(
    { kind: 'separator' },
    { label: t('editor.export_yaml'), icon: <Download />, onSelect: download('yaml') },
    { label: t('editor.export_json'), icon: <Download />, onSelect: download('json') },
  )
  const at = shown ?? published
  return (
    <Menu
      trigger={
        <Button icon={<History aria-hidden />} className="phone:hidden">
          <span className="sr-only">{t('editor.versions')}</span>
          {at === null ? t('editor.draft') : `v${at}`}
          <ChevronDown size={12} aria-hidden />
        </Button>
      }
      items={items}
    />
  )
}

export function PublishButton({
  workflow,
  next,
  blocked,
  save,
  onPublished,
}: {
  readonly workflow: string
  readonly next: number
  readonly blocked: string | undefined
  readonly save: () => Promise<number>
  readonly onPublished: (version: number) => void
}) {
  const t = useT()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const publish = async () => {
    setBusy(true)
    setError(null)
    try {
      await save()
      const made = await publishDraft(workflow, note.trim())
      setOpen(false)
      setNote('')
      toast.ok(t('editor.published', { version: String(made.version) }))
      onPublished(made.version)
      void client.invalidateQueries({ queryKey: ['version', workflow] })
      void client.invalidateQueries({ queryKey: ['workflow'] })
    } catch (thrown) {
      setError(asApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button className="phone:hidden" blocked={blocked} onClick={() => setOpen(true)}>
        {t('editor.publish')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
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
    </>
  )
}
