/** What a round with a model is called: counted where it is one of an agent's, else by what it is asked for. */

import type { Translate } from '@/i18n'

const QUESTIONS = {
  name: 'talk.ask_name',
  risk: 'talk.ask_risk',
  plan: 'talk.ask_plan',
  parameters: 'talk.ask_parameters',
  'is-parameter': 'talk.ask_is_parameter',
  mend: 'talk.ask_mend',
  'plain-words': 'talk.ask_plain_words',
  missing: 'talk.ask_missing',
  summary: 'talk.plan_summary',
  answer: 'talk.ask_answer',
  final: 'talk.final',
} as const

/** `call` is the round's key: `round:3`, `final`, `step:2/parameters/json:1`; asked in fewer words where the
 * conversation was too long (`round:3/fit:1`), after the earlier rounds were summarised (`round:3/summary`). */
export function roundName(call: string, t: Translate): string {
  if (/^(?:round:\d+|final)(?:\/fit:\d+)?\/summary$/.test(call)) return t('talk.ask_summary')
  const fit = /^(round:\d+|final)\/fit:\d+$/.exec(call)
  if (fit?.[1]) return t('talk.shortened', { name: roundName(fit[1], t) })
  const counted = /^round:(\d+)$/.exec(call)
  if (counted) return t('talk.round', { n: Number(counted[1]) })
  const key = /^(?:step:\d+\/)?([a-z-]+)/.exec(call)?.[1] ?? ''
  const word = (QUESTIONS as Record<string, (typeof QUESTIONS)[keyof typeof QUESTIONS] | undefined>)[key]
  const again = /\/(?:json|again):(\d+)$/.exec(call)?.[1]
  const name = word ? t(word) : call.replace(/\/json:\d+$/, '')
  return again !== undefined && again !== '1' ? `${name} ${again}` : name
}
