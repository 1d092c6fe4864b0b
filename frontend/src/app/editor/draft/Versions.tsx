/** The versions menu. */
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Download, Ellipsis, FilePen, History, Tag } from 'lucide-react'
import { failureOf } from '@/api/client'
import { download } from '@/api/download'
import { exportAddress, versionsQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { Button, IconButton, Menu, type MenuEntry, relativeTime, toast } from '@/ui'

export interface VersionsMenuProps {
  readonly workflow: string
  /** The version that is shown; null = the draft. */
  readonly shown: number | null
  readonly published: number | null
  readonly onShow: (version: number | null) => void
  /** On a phone: what else the one menu of the bar holds. */
  readonly folded: readonly MenuEntry[] | null
}

const MOST = 12

export function VersionsMenu({ workflow, shown, published, onShow, folded }: VersionsMenuProps) {
  const t = useT()
  const { data: versions = [] } = useQuery(versionsQuery(workflow))
  const items: MenuEntry[] = [...(folded ?? []), { kind: 'label', label: t('editor.versions') }]
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
  const take = (format: 'yaml' | 'json') => () =>
    void download(exportAddress(workflow, format, shown ?? undefined)).catch((thrown) =>
      toast.error(failureOf(thrown)),
    )
  items.push(
    { kind: 'separator' },
    { label: t('editor.export_yaml'), icon: <Download />, onSelect: take('yaml') },
    { label: t('editor.export_json'), icon: <Download />, onSelect: take('json') },
  )
  const index = shown ?? published
  return (
    <Menu
      trigger={
        folded ? (
          <IconButton label={t('editor.more')}>
            <Ellipsis />
          </IconButton>
        ) : (
          <Button icon={<History aria-hidden />}>
            <span className="sr-only">{t('editor.versions')}</span>
            {index === null ? t('editor.draft') : `v${index}`}
            <ChevronDown size={12} aria-hidden />
          </Button>
        )
      }
      items={items}
    />
  )
}
