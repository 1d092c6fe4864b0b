/** Versions and kept drafts of a workflow: who made them and when, to be compared with the draft, restored, published. */
import { useQuery } from '@tanstack/react-query'
import { GitCompareArrows, Tag, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { type Revision, revisionsQuery } from '@/api/versions'
import { type Version, versionsQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import {
  Button,
  Chip,
  Dialog,
  dateTime,
  ErrorBox,
  IconButton,
  RelativeTime,
  Segmented,
  Skeleton,
  visible,
} from '@/ui'
import { moveFocus } from './focus'
import { usePublishAgain } from './publish-again'
import { DRAFT, type Side, writePair } from './sides'
import './history.css'

export interface HistoryDialogProps {
  readonly workflow: string
  readonly published: number | null
  readonly onPublished: (version: number) => void
  readonly onCompare: (address: string) => void
  readonly onShow: (version: number) => void
  readonly onClose: () => void
}

type Tab = 'versions' | 'drafts'

export function HistoryDialog(props: HistoryDialogProps) {
  const t = useT()
  const [tab, setTab] = useState<Tab>('versions')
  const compare = (side: Side) => {
    props.onClose()
    props.onCompare(writePair({ before: side, after: DRAFT }))
  }
  return (
    <Dialog open onOpenChange={(open) => open || props.onClose()} size="medium" title={t('versions.history')}>
      <div className="grid gap-2">
        <Segmented<Tab>
          label={t('versions.history')}
          value={tab}
          onChange={setTab}
          options={[
            { value: 'versions', label: t('versions.versions') },
            { value: 'drafts', label: t('versions.drafts') },
          ]}
        />
        {tab === 'versions' ? (
          <VersionRows {...props} onSide={compare} />
        ) : (
          <DraftRows {...props} onSide={compare} />
        )}
      </div>
    </Dialog>
  )
}

interface RowsProps extends HistoryDialogProps {
  readonly onSide: (side: Side) => void
}

/** A list that is read: its rows, that it is empty, or why it could not be read. */
function Rows<T>({
  label,
  query,
  empty,
  children,
}: {
  readonly label: string
  readonly query: {
    readonly data?: readonly T[] | undefined
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly empty: string
  readonly children: (item: T) => ReactNode
}) {
  const t = useT()
  const error: ApiError | null = query.error ? asApiError(query.error) : null
  if (error)
    return (
      <ErrorBox
        error={error}
        title={t('common.not_loaded')}
        actions={<Button onClick={() => query.refetch()}>{t('common.retry')}</Button>}
      />
    )
  if (!query.data) return <Skeleton rows={4} />
  if (query.data.length === 0) return <p className="text-muted">{empty}</p>
  return (
    <ul className="history" aria-label={label} onKeyDown={(event) => moveFocus(event, '.history-row')}>
      {query.data.map(children)}
    </ul>
  )
}

function VersionRows(props: RowsProps) {
  const t = useT()
  const query = useQuery(versionsQuery(props.workflow))
  return (
    <Rows<Version> label={t('versions.versions')} query={query} empty={t('versions.none_published')}>
      {(version) => <VersionRow key={version.version} {...props} version={version} />}
    </Rows>
  )
}

function VersionRow({
  workflow,
  published,
  version,
  onPublished,
  onSide,
  onShow,
  onClose,
}: RowsProps & { readonly version: Version }) {
  const t = useT()
  const may = useMay('editor')
  const again = usePublishAgain(workflow, onPublished)
  const name = `v${version.version}`
  return (
    <li>
      <button
        type="button"
        className="history-row"
        aria-label={t('versions.compare_with_draft', { side: name })}
        aria-describedby={`history-${name}`}
        onClick={() => onSide({ kind: 'version', number: version.version })}
      >
        <Tag aria-hidden />
        <span id={`history-${name}`} className="history-text">
          <span className="flex items-center gap-2">
            <strong>{name}</strong>
            {version.version === published ? <Chip tone="ok">{t('versions.published')}</Chip> : null}
            <span className="text-muted">
              <RelativeTime value={version.published_at} />
            </span>
          </span>
          <span className="truncate text-xs text-muted">
            {[version.published_by, version.note]
              .filter(Boolean)
              .map((text) => visible(String(text)))
              .join(' · ')}
          </span>
        </span>
        <GitCompareArrows aria-hidden />
      </button>
      <Button
        size="small"
        variant="quiet"
        onClick={() => {
          onClose()
          onShow(version.version)
        }}
        aria-label={t('versions.open', { side: name })}
      >
        {t('common.open')}
      </Button>
      {may && version.version !== published ? (
        <IconButton
          size="small"
          label={t('versions.publish_again', { side: name })}
          busy={again.isPending}
          onClick={() => again.mutate(version.version)}
        >
          <Upload />
        </IconButton>
      ) : null}
    </li>
  )
}

function DraftRows({ workflow, onSide }: RowsProps) {
  const t = useT()
  const query = useQuery(revisionsQuery(workflow))
  return (
    <Rows<Revision> label={t('versions.drafts')} query={query} empty={t('versions.no_drafts')}>
      {(draft) => <DraftRow key={draft.revision} draft={draft} onSide={onSide} />}
    </Rows>
  )
}

function DraftRow({ draft, onSide }: { readonly draft: Revision; readonly onSide: (side: Side) => void }) {
  const t = useT()
  const name = t('versions.revision', { n: String(draft.revision) })
  return (
    <li>
      <button
        type="button"
        className="history-row"
        aria-label={t('versions.compare_with_draft', { side: name })}
        aria-describedby={`history-r${draft.revision}`}
        disabled={draft.current}
        onClick={() => onSide({ kind: 'revision', number: draft.revision })}
      >
        <span id={`history-r${draft.revision}`} className="history-text">
          <span className="flex items-center gap-2">
            <strong>{name}</strong>
            {draft.current ? <Chip>{t('versions.current')}</Chip> : null}
            <span className="text-muted">{dateTime(draft.at)}</span>
          </span>
          <span className="truncate text-xs text-muted">{draft.by ?? t('versions.by_nobody')}</span>
        </span>
        {draft.current ? null : <GitCompareArrows aria-hidden />}
      </button>
    </li>
  )
}
