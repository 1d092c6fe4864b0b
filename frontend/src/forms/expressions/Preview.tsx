/** What an expression gives with the values of the last run, or why it gives nothing. */

import type { Shape } from '@/forms/schema/schema'
import type { Translate } from '@/i18n'
import { evaluate, isTemplate, type Lookup, parse, pathText } from './expression'
import { find, jsonType, type Scope, standing } from './scope'

/** Looks paths up in the scope's last values. */
function lookupOf(scope: Scope): Lookup {
  return (path) => {
    const node = find(scope, path)
    if (node?.value !== undefined) return { state: 'value', value: node.value }
    const [name] = path
    const seen = scope.groups.some((group) =>
      group.names.some((scopeNode) => scopeNode.path[0] === name && scopeNode.value !== undefined),
    )
    return { state: seen && !(node && node.path.length <= 1) ? 'missing' : 'unseen' }
  }
}

/** Whether a value is of the kind a field wants; unknown kinds take anything. */
export function suits(expected: Shape | undefined, value: unknown): boolean {
  if (!expected || value === null || value === undefined) return true
  switch (expected.kind) {
    case 'string':
    case 'boolean':
      return typeof value === expected.kind
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'array':
    case 'tuple':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
    case 'enum':
      return expected.options.some((option) => JSON.stringify(option.value) === JSON.stringify(value))
    default:
      return true
  }
}

export interface PreviewProps {
  text: string
  scope: Scope
  expected: Shape | undefined
  /** Say nothing about values that no run has shown. */
  unseenQuiet: boolean
  /** Someone else has said already what is wrong with the text. */
  announced: boolean
  t: Translate
}

export function Preview({ text, scope, expected, unseenQuiet, announced, t }: PreviewProps) {
  if (!isTemplate(text)) return null
  const unknown = parse(text).find(
    (part) => part.kind === 'expression' && standing(scope, part.path) === 'unknown',
  )
  if (unknown?.kind === 'expression') {
    if (announced) return null
    return <p className="field-error">{t('forms.expression_unknown', { path: pathText(unknown.path) })}</p>
  }
  const outcome = evaluate(text, lookupOf(scope))
  if (outcome.ok) {
    const actual = jsonType(outcome.value)
    const fits = suits(expected, outcome.value)
    return (
      <p className="field-hint form-preview">
        <span className="sr-only">{t('forms.preview')}</span>
        <span className="form-preview-value">= {shortened(JSON.stringify(outcome.value) ?? 'null')}</span>
        {fits ? null : (
          <span data-tone="waiting">
            {t('forms.preview_type', { given: actual, wanted: expected?.type ?? '' })}
          </span>
        )}
      </p>
    )
  }
  if (announced && outcome.reason !== 'unseen' && outcome.reason !== 'missing') return null
  switch (outcome.reason) {
    case 'unseen':
      return unseenQuiet ? null : <p className="field-hint">{t('forms.preview_unseen')}</p>
    case 'missing':
      return (
        <p className="field-hint" data-tone="waiting">
          {t('forms.preview_missing', { path: outcome.at })}
        </p>
      )
    case 'filter':
      return <p className="field-error">{t('forms.preview_filter', { filter: outcome.at })}</p>
    case 'unknown_filter':
      return <p className="field-error">{t('forms.expression_unknown_filter', { at: outcome.at })}</p>
    case 'filter_arguments':
      return <p className="field-error">{t('forms.expression_filter_arguments', { at: outcome.at })}</p>
    case 'unclosed':
      return <p className="field-error">{t('forms.expression_unclosed')}</p>
    case 'empty':
      return <p className="field-error">{t('forms.expression_empty')}</p>
    case 'syntax':
      return <p className="field-error">{t('forms.expression_syntax', { at: outcome.at })}</p>
  }
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
