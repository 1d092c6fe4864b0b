/** What a person should know of a call besides its arguments: who started the run, how the tool changed, what was read. */

import { ArrowRight, FileText, UserRound } from 'lucide-react'
import type { Interaction } from '@/api/run-types'
import { useT } from '@/i18n'
import { dateTime, RiskBadge, visible } from '@/ui'
import { Part } from './approval'

export function Started({ question }: { readonly question: Interaction }) {
  const t = useT()
  const { started } = question
  if (!started) return null
  return (
    <p className="question-fact">
      <UserRound aria-hidden />
      <span className="min-w-0">
        {t('inbox.started_by', { who: visible(started.by ?? t('inbox.started_nobody')) })}{' '}
        <span className="text-muted">
          {dateTime(started.at)}
          {'\u00a0'}· {t(`runs.trigger_${started.trigger}` as 'runs.trigger_manual')}
        </span>
      </span>
    </p>
  )
}

export function Evidence({ question }: { readonly question: Interaction }) {
  const t = useT()
  const { definition, read } = question.evidence ?? { definition: null, read: [] }
  return (
    <>
      {definition ? (
        <Part
          title={
            definition.since
              ? t('inbox.definition_since', { at: dateTime(definition.since) })
              : t('inbox.definition')
          }
          aside={
            <span className="flex items-center gap-1">
              <RiskBadge level={definition.before} />
              <ArrowRight aria-hidden className="size-4 text-muted" />
              <RiskBadge level={definition.after} />
            </span>
          }
        >
          <div className="diff">
            {definition.lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <div key={index} data-line={KINDS[line[0] ?? ''] ?? 'gap'}>
                {line.startsWith('@') ? '⋯' : visible(line.slice(1))}
              </div>
            ))}
          </div>
        </Part>
      ) : null}
      {read.length > 0 ? (
        <Part title={t('inbox.read')}>
          <ul className="question-read">
            {read.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: results have no other name
              <li key={index}>
                <FileText aria-hidden />
                <span className="min-w-0 flex-1 line-clamp-2">“{visible(entry.excerpt)}”</span>
                <span className="text-xs text-muted">
                  {visible([entry.server, entry.tool].filter(Boolean).join('/'))} ·{' '}
                  {t('inbox.read_characters', { n: entry.characters })}
                </span>
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
    </>
  )
}

const KINDS: Readonly<Record<string, string>> = { '-': 'del', '+': 'add' }
