/** What a run gave back, or why it gave nothing. */

import { useState } from 'react'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { ErrorFacts, type Shape, ShapeChoice, ValueView } from '@/results'
import { Button, ErrorBox } from '@/ui'

export interface OutputTabProps {
  readonly titleOf: (node: string) => string
  readonly onShowNode: (node: string) => void
}

export function OutputTab({ titleOf, onShowNode }: OutputTabProps) {
  const t = useT()
  const info = useRunInfo()
  const [shape, setShape] = useState<Shape>('tree')
  if (!info) return <p className="p-3 text-muted">{t('runs.no_run')}</p>
  const { error } = info
  const failedAt = error?.node ?? null
  return (
    <div className="output-tab">
      <section className="grid content-start gap-2 min-w-0">
        <div className="flex items-center gap-2">
          <h2 className="flex-1">{t('runs.output_label')}</h2>
          <ShapeChoice value={shape} onChange={setShape} />
        </div>
        {error ? (
          <ErrorBox
            error={error}
            actions={
              failedAt ? (
                <Button size="small" onClick={() => onShowNode(failedAt)}>
                  {titleOf(failedAt)}
                </Button>
              ) : null
            }
          >
            <ErrorFacts error={error} />
          </ErrorBox>
        ) : null}
        {info.state === 'SUCCESS' ? (
          <ValueView value={info.outputs} shape={shape} label={t('runs.output_label')} />
        ) : error ? null : (
          <p className="text-muted">{t('runs.output_none_text')}</p>
        )}
      </section>
      <section className="grid content-start gap-2 min-w-0">
        <h2 className="flex min-h-5.5 items-center">{t('runs.inputs_label')}</h2>
        <ValueView value={info.inputs ?? {}} shape={shape} label={t('runs.inputs_label')} />
      </section>
    </div>
  )
}
