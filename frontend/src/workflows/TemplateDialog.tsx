/** Begin with a template: choose one, say which servers and models it works with, or name what a new server needs. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { inLanguage, useT } from '@/i18n'
import { Button, CodeBlock, Dialog, ErrorBox, Skeleton } from '@/ui'
import { type Fitting, missingOf, templatesQuery, useBegin, useFitting } from './fitting'
import { TemplateNeeds } from './TemplateNeeds'

export function TemplateDialog({ first, onClose }: { first?: string | undefined; onClose: () => void }) {
  const t = useT()
  const templates = useQuery(templatesQuery)
  const [chosen, setChosen] = useState(first)
  const template = templates.data?.find((template) => template.id === chosen) ?? templates.data?.[0]
  const fitting = useFitting(template)
  const begin = useBegin(fitting)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('workflows.from_template')}
      footer={
        <>
          <p className="mr-auto text-xs text-muted" role="status">
            {begin.isPending && Object.keys(fitting.added).length > 0
              ? t('workflows.template_connecting')
              : null}
          </p>
          <Button
            variant="primary"
            size="large"
            busy={begin.isPending}
            disabled={!template}
            blocked={useBlocked(fitting)}
            onClick={() => template && begin.mutate(template)}
          >
            {t('workflows.create')}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {templates.isPending ? <Skeleton rows={4} row={56} /> : null}
        {templates.error ? <ErrorBox error={asApiError(templates.error)} /> : null}
        <div className="grid gap-1" role="radiogroup" aria-label={t('workflows.from_template')}>
          {(templates.data ?? []).map((entry) => (
            <label key={entry.id} className="template-choice" data-on={entry.id === template?.id}>
              <input
                type="radio"
                name="template"
                checked={entry.id === template?.id}
                onChange={() => setChosen(entry.id)}
              />
              <span className="grid min-w-0">
                <span className="font-medium">{entry.name}</span>
                <span className="text-xs text-muted">{entry.description}</span>
              </span>
            </label>
          ))}
        </div>
        {template && template.needs.length > 0 ? (
          <TemplateNeeds template={template} fitting={fitting} />
        ) : null}
        {begin.error && !begin.isPending ? <Refusal error={asApiError(begin.error)} /> : null}
      </div>
    </Dialog>
  )
}

/** Why it cannot be made yet. */
function useBlocked(fitting: Fitting): string | undefined {
  const t = useT()
  const missing = missingOf(fitting)
  if (missing) return t('workflows.template_missing', { name: inLanguage(missing) })
  const starts = Object.values(fitting.added).some((preset) => preset.transport === 'stdio')
  return starts && !fitting.known ? t('workflows.template_needs_known') : undefined
}

/** What went wrong, with what a program that did not start has said. */
function Refusal({ error }: { error: ApiError }) {
  const t = useT()
  const stderr = (error.detail as { stderr?: readonly string[] } | null)?.stderr ?? []
  return (
    <ErrorBox error={error}>
      {Object.values(error.fields)
        .flat()
        .map((text) => (
          <p key={text} className="text-sm">
            {text}
          </p>
        ))}
      {stderr.length > 0 ? (
        <CodeBlock small code={stderr.join('\n')} maxHeight={160} label={t('workflows.template_printed')} />
      ) : null}
    </ErrorBox>
  )
}
