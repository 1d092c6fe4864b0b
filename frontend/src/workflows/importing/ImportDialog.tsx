/** An import: first the file, then the report about it where there is something to say or to choose. */
import { useMutation } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, TextArea } from '@/ui'
import { ReportDialog } from './ReportDialog'
import { type ImportSource, isComplete, type Report, reportOf, useImport } from './report'

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [source, setSource] = useState<ImportSource>({ text: '', name: '', file: '' })
  const [report, setReport] = useState<Report | null>(null)
  const making = useImport(onClose)
  const looking = useMutation({
    mutationFn: () => reportOf(source),
    onSuccess: (report) => {
      if (isComplete(report)) making.mutate({ source, choices: {} })
      else setReport(report)
    },
  })
  if (report) {
    return (
      <ReportDialog
        source={source}
        first={report}
        making={making}
        onOther={() => {
          making.reset()
          setReport(null)
          setSource({ text: '', name: '', file: '' })
        }}
        onClose={onClose}
      />
    )
  }
  return (
    <FileDialog
      source={source}
      busy={looking.isPending || making.isPending}
      error={looking.error ?? making.error}
      onSource={setSource}
      onDone={() => looking.mutate()}
      onClose={onClose}
    />
  )
}

interface FileProps {
  readonly source: ImportSource
  readonly busy: boolean
  readonly error: unknown
  readonly onSource: (source: ImportSource) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

function FileDialog({ source, busy, error, onSource, onDone, onClose }: FileProps) {
  const t = useT()
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('workflows.import_title')}
      footer={
        <Button variant="primary" size="large" busy={busy} disabled={!source.text.trim()} onClick={onDone}>
          {t('workflows.import')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <label className="btn w-fit">
          <FileUp aria-hidden />
          {t('workflows.import_file')}
          <input
            type="file"
            className="sr-only"
            accept=".json,.yaml,.yml,application/json,application/yaml"
            onChange={async (event) => {
              const file = event.target.files?.[0]
              if (!file) return
              const name = file.name.replace(/\.(json|ya?ml)$/i, '')
              onSource({ text: await file.text(), name, file: file.name })
            }}
          />
        </label>
        <TextArea
          label={t('workflows.import_paste')}
          value={source.text}
          rows={10}
          spellCheck={false}
          className="input-mono"
          onChange={(text) => onSource({ ...source, text })}
        />
        <p className="text-sm text-muted">{t('workflows.import_hint')}</p>
        {error ? <ErrorBox error={asApiError(error)} /> : null}
      </div>
    </Dialog>
  )
}
