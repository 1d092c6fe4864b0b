/** The report of an import: what becomes of each node, what has to be chosen, what the document wants. */
import type { UseMutationResult } from '@tanstack/react-query'
import { FileText, Shield } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { save } from '@/api/download'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, Kbd, Segmented } from '@/ui'
import { Lines, STATE_ICONS } from './Lines'
import {
  type Choices,
  type ImportSource,
  type LineState,
  type Report,
  rowsOf,
  textOf,
  useChoosing,
  useReport,
} from './report'
import { Wants } from './Wants'
import './importing.css'

const STATES = ['choose', 'left', 'changed', 'mapped'] as const

interface Props {
  readonly source: ImportSource
  readonly first: Report
  readonly making: UseMutationResult<unknown, Error, { source: ImportSource; choices: Choices }>
  readonly onOther: () => void
  readonly onClose: () => void
}

export function ReportDialog({ source, first, making, onOther, onClose }: Props) {
  const t = useT()
  const choosing = useChoosing()
  const query = useReport(source, first, choosing.choices)
  const report = query.data ?? first
  const [shown, setShown] = useState<LineState | 'all'>('all')
  const error = query.error ?? making.error
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(report.kind === 'dify' ? 'importing.from_dify' : 'importing.from_patchbay')}
      size="wide"
      className="import-dialog"
      bare
      header={<About report={report} source={source} onOther={onOther} />}
      footer={
        <Foot
          report={report}
          source={source}
          busy={making.isPending}
          onImport={() => making.mutate({ source, choices: choosing.choices })}
          onClose={onClose}
        />
      }
    >
      <div className="import-body">
        <div className="import-lines">
          <Overview report={report} shown={shown} onShow={setShown} />
          {error ? (
            <div className="px-4 pb-3">
              <ErrorBox error={asApiError(error)} />
            </div>
          ) : null}
          <Lines rows={rowsOf(report, shown)} choosing={choosing} />
          <p className="import-keys">
            <Kbd>J</Kbd>
            <Kbd>K</Kbd>
            {t('importing.keys_line')}
            <Kbd>↵</Kbd>
            {t('importing.keys_choose')}
          </p>
        </div>
        <Wants report={report} choosing={choosing} onChanged={() => void query.refetch()} />
      </div>
    </Dialog>
  )
}

function About({ report, source, onOther }: { report: Report; source: ImportSource; onOther: () => void }) {
  const t = useT()
  const facts = [
    report.mode === 'chatflow' || report.mode === 'workflow' ? t(`importing.${report.mode}`) : '',
    report.version ? t('importing.format', { version: report.version }) : '',
    t('importing.nodes', { n: report.nodes }),
    t('importing.edges', { n: report.edges }),
    t('importing.size', { n: Math.max(1, Math.round(source.text.length / 1024)) }),
  ]
  return (
    <div className="import-about">
      <p className="min-w-0 flex-1 truncate text-sm text-muted">
        <span className="font-mono">{source.file || report.name}</span>
        {facts
          .filter(Boolean)
          .map((fact) => ` · ${fact}`)
          .join('')}
      </p>
      <Button size="small" variant="quiet" onClick={onOther}>
        {t('importing.other_file')}
      </Button>
      {report.notes.map((note) => (
        <p key={note} className="w-full text-sm">
          {note}
        </p>
      ))}
    </div>
  )
}

interface OverviewProps {
  readonly report: Report
  readonly shown: LineState | 'all'
  readonly onShow: (shown: LineState | 'all') => void
}

function Overview({ report, shown, onShow }: OverviewProps) {
  const t = useT()
  const { counts } = report
  return (
    <div className="import-overview">
      <div className="import-bar" aria-hidden>
        {(['mapped', 'changed', 'choose', 'left'] as const).map((state) => (
          <span key={state} data-state={state} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="max-w-full overflow-x-auto">
          <Segmented
            small
            label={t('importing.show')}
            value={shown}
            onChange={onShow}
            options={[
              { value: 'all', label: t('importing.all_n', { n: report.nodes }) },
              ...STATES.map((state) => {
                const Icon = STATE_ICONS[state]
                return {
                  value: state,
                  label: (
                    <>
                      <Icon aria-hidden />
                      {t(`importing.${state}_n`, { n: counts[state] })}
                    </>
                  ),
                }
              }),
            ]}
          />
        </div>
        <p className="ml-auto text-sm text-muted tabular-nums" role="status">
          {t('importing.counterpart_of', { some: counts.mapped + counts.changed, n: report.nodes })}
        </p>
      </div>
    </div>
  )
}

interface FootProps {
  readonly report: Report
  readonly source: ImportSource
  readonly busy: boolean
  readonly onImport: () => void
  readonly onClose: () => void
}

function Foot({ report, source, busy, onImport, onClose }: FootProps) {
  const t = useT()
  const { choose, left } = report.counts
  return (
    <>
      <p className="mr-auto flex items-center gap-2 text-sm text-muted phone:hidden">
        <Shield aria-hidden className="size-4 flex-none" />
        {t('importing.nothing_made')}
      </p>
      <Button
        size="large"
        icon={<FileText aria-hidden />}
        onClick={() => {
          const text = new Blob([textOf(report, source.file)], { type: 'text/plain;charset=utf-8' })
          save(text, `${source.name || 'import'}.report.txt`)
        }}
      >
        {t('importing.as_text')}
      </Button>
      <Button size="large" className="phone:hidden" onClick={onClose}>
        {t('common.cancel')}
      </Button>
      <Button variant="primary" size="large" busy={busy} onClick={onImport}>
        {choose + left > 0 ? t('importing.import_left', { n: choose + left }) : t('importing.import')}
      </Button>
    </>
  )
}
