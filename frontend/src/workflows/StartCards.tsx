/** Where to begin: the templates as cards with a picture. One that works now is made and opened by one click. */
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Play } from 'lucide-react'
import { useId } from 'react'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, ErrorBox, Skeleton } from '@/ui'
import { type Template, templatesQuery, useBegin, useFitting } from './fitting'
import { TemplatePreview } from './Preview'
import './start.css'

/** What stands at the foot of a card: it works, or what it needs first. */
function Foot({ template, onLook }: { template: Template; onLook: (template: string) => void }) {
  const t = useT()
  const fitting = useFitting(template)
  const begin = useBegin(fitting, true)
  const { name } = template
  const first = template.needs.find((need) =>
    need.kind === 'server' ? !(need.name in fitting.uses) : !fitting.uses.provider || !fitting.uses.model,
  )
  return (
    <>
      {begin.error && !begin.isPending ? <ErrorBox error={asApiError(begin.error)} /> : null}
      <div className="start-card-foot">
        {first ? (
          <span className="start-card-note truncate text-muted">
            {first.kind === 'model'
              ? t('workflows.start_needs_model')
              : t('workflows.start_needs_server', { name: first.name })}
          </span>
        ) : (
          <span className="start-card-note flex items-center gap-1 text-ok">
            <CircleCheck size={14} aria-hidden />
            {t('workflows.start_works')}
          </span>
        )}
        {first ? (
          <Button
            aria-label={t('workflows.start_set_up_named', { name })}
            onClick={() => onLook(template.id)}
          >
            {t('workflows.start_set_up')}
          </Button>
        ) : (
          <Button
            icon={<Play aria-hidden />}
            busy={begin.isPending}
            aria-label={t('workflows.start_try_named', { name })}
            onClick={() => begin.mutate(template)}
          >
            {t('workflows.start_try')}
          </Button>
        )}
      </div>
    </>
  )
}

/** What works without anything else comes first, then what wants a folder, then what wants a model. */
function weight({ needs }: Template): number {
  if (needs.some((need) => need.kind === 'model')) return 2
  return needs.every((need) => need.name === 'time' || need.name === 'demo') ? 0 : 1
}

/** So many stand in rows; all of them are in the dialog. */
const SOME = 4

interface StartCardsProps {
  readonly onLook: (template: string) => void
  /** In rows without pictures, for the column beside what a busy team does; the title then stands outside. */
  readonly rows?: boolean
}

export function StartCards({ onLook, rows = false }: StartCardsProps) {
  const t = useT()
  const { data, error, isPending } = useQuery(templatesQuery)
  const title = useId()
  const sorted = [...(data ?? [])].sort((left, right) => weight(left) - weight(right))
  if (rows)
    return isPending ? (
      <Skeleton rows={4} row={56} />
    ) : (
      <>
        {error ? <ErrorBox error={asApiError(error)} /> : null}
        <ul>
          {sorted.slice(0, SOME).map((template) => (
            <li key={template.id} className="start-row">
              <h3>{template.name}</h3>
              <p className="text-xs text-muted">{template.description}</p>
              <Foot template={template} onLook={onLook} />
            </li>
          ))}
        </ul>
      </>
    )
  return (
    <section className="grid gap-3 p-4" aria-labelledby={title}>
      <div>
        <h2 id={title}>{t('workflows.start_title')}</h2>
        <p className="text-muted">{t('workflows.start_text')}</p>
      </div>
      {error ? <ErrorBox error={asApiError(error)} /> : null}
      {isPending ? <Skeleton rows={4} row={64} /> : null}
      <ul className="start-cards">
        {sorted.map((template) => (
          <li key={template.id} className="start-card">
            <TemplatePreview preview={template.preview} />
            <div className="start-card-text">
              <h3>{template.name}</h3>
              <p className="text-sm text-muted">{template.description}</p>
              <Foot template={template} onLook={onLook} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
