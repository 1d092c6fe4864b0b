/** The versions menu. */
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Download, Ellipsis, FilePen, History, Play, Share2, Tag, Zap } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { failureOf } from '@/api/client'
import { download } from '@/api/download'
import type { Run } from '@/api/run-types'
import { exportAddress, versionsQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { Button, IconButton, Menu, type MenuEntry, relativeTime, toast, useActions } from '@/ui'
import { TryInEditor, versionScreen } from '../load-panels'

export interface VersionsMenuProps {
  readonly workflow: string
  /** The version that is shown; null = the draft. */
  readonly shown: number | null
  readonly published: number | null
  readonly onShow: (version: number | null) => void
  readonly onCompare: (address: string | null) => void
  readonly onPublished: (version: number) => void
  /** On a phone: what else the one menu of the bar holds. */
  readonly folded: readonly MenuEntry[] | null
  /** Saves the draft and shows its run; null where no draft may be run. */
  readonly tries: { readonly save: () => Promise<number>; readonly onStarted: (run: Run) => void } | null
}

const HistoryDialog = versionScreen((file) => file.HistoryDialog)

const MOST = 12

export function VersionsMenu(props: VersionsMenuProps) {
  const { workflow, shown, published, onShow, folded, tries } = props
  const t = useT()
  const [, navigate] = useLocation()
  const [history, setHistory] = useState(false)
  const [trying, setTrying] = useState(false)
  const toTriggers = () => navigate(`/triggers?workflow=${workflow}`)
  const toShare = () => navigate(`/workflows/${workflow}/share`)
  useActions([
    { id: 'editor.triggers', title: t('editor.triggers'), group: t('editor.group'), run: toTriggers },
    ...(tries
      ? [
          {
            id: 'editor.try_trigger',
            title: t('editor.try_trigger'),
            group: t('editor.group'),
            run: () => setTrying(true),
          },
        ]
      : []),
    { id: 'editor.share', title: t('editor.share'), group: t('editor.group'), run: toShare },
    {
      id: 'editor.history',
      title: t('editor.history'),
      group: t('editor.group'),
      keys: 'v',
      run: () => setHistory(true),
    },
  ])
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
    {
      label: t('editor.history'),
      icon: <History />,
      keys: 'v',
      onSelect: () => setHistory(true),
    },
    { label: t('editor.triggers'), icon: <Zap />, onSelect: toTriggers },
    ...(tries ? [{ label: t('editor.try_trigger'), icon: <Play />, onSelect: () => setTrying(true) }] : []),
    { label: t('editor.share'), icon: <Share2 />, onSelect: toShare },
    { label: t('editor.export_yaml'), icon: <Download />, onSelect: take('yaml') },
    { label: t('editor.export_json'), icon: <Download />, onSelect: take('json') },
  )
  const index = shown ?? published
  return (
    <>
      <VersionsButton
        label={index === null ? t('editor.draft') : `v${index}`}
        items={items}
        small={folded !== null}
      />
      {history ? (
        <Suspense fallback={null}>
          <HistoryDialog
            workflow={workflow}
            published={published}
            onPublished={props.onPublished}
            onCompare={props.onCompare}
            onShow={onShow}
            onClose={() => setHistory(false)}
          />
        </Suspense>
      ) : null}
      {trying && tries ? (
        <Suspense fallback={null}>
          <TryInEditor workflow={workflow} {...tries} onClose={() => setTrying(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

function VersionsButton({
  label,
  items,
  small,
}: {
  readonly label: string
  readonly items: readonly MenuEntry[]
  /** On a phone: the one menu of the bar. */
  readonly small: boolean
}) {
  const t = useT()
  return (
    <Menu
      trigger={
        small ? (
          <IconButton label={t('editor.more')}>
            <Ellipsis />
          </IconButton>
        ) : (
          <Button icon={<History aria-hidden />}>
            <span className="sr-only">{t('editor.versions')}</span>
            {label}
            <ChevronDown size={12} aria-hidden />
          </Button>
        )
      }
      items={items}
    />
  )
}
