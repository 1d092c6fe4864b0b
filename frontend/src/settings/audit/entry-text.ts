/** What the trail's actions and kinds are called, and where the things that they were done to are found. */

import type { AuditEntry } from '@/api/audit'
import type { Translate } from '@/i18n'
import { visible } from '@/ui/display/visible'

/** Actions by kind, in the order in which the filter offers them. */
export const KINDS = [
  'session',
  'password',
  'two_factor',
  'member',
  'invitation',
  'team',
  'token',
  'workflow',
  'run',
  'workflow_test',
  'trigger',
  'conversation',
  'interaction',
  'server',
  'tool',
  'collection',
  'declaration',
  'program',
  'operator',
  'allowance',
  'grant',
  'provider',
  'secret',
  'credentials',
  'file',
  'audit',
] as const satisfies readonly string[]

/** The sentence for an action; the action itself where there is none yet. */
export function actionName(t: Translate, action: string): string {
  const key = `audit.${action.replace('.', '_')}`
  const text = (t as (key: string) => string)(key)
  return text === key ? action : text
}

/** What it was done to, in words: a name, else what identifies it. */
export function targetName(t: Translate, entry: AuditEntry): string {
  const { name, slug, tool, email } = entry.data
  const server = entry.kind === 'server' ? entry.data.server : undefined
  const text = [entry.content.title, tool, name, slug, server, email].find(
    (entry): entry is string => typeof entry === 'string' && entry !== '',
  )
  if (text === undefined && entry.kind === 'invitation' && entry.data.email === '')
    return t('people.link_anyone')
  return visible(text ?? (entry.kind === 'team' ? '' : entry.target))
}

/** The page of what it was done to; null where there is none, or it is gone. */
export function targetHref(entry: AuditEntry): string | null {
  if (entry.action.endsWith('.deleted') || entry.erased) return null
  const run = entry.data.run
  switch (entry.kind) {
    case 'collection':
      return `/collections/${entry.target}`
    case 'workflow':
      return `/workflows/${entry.target}`
    case 'run':
      return `/runs/${entry.target}`
    case 'interaction':
      return typeof run === 'string' ? `/runs/${run}` : null
    case 'server': {
      const slug = entry.data.slug ?? entry.data.server
      if (entry.target.startsWith('decl_')) return null // it stands in a workflow
      return `/registry/${typeof slug === 'string' ? slug : entry.target}`
    }
    case 'provider':
      return `/settings/providers/${typeof entry.data.slug === 'string' ? entry.data.slug : entry.target}`
    case 'member':
    case 'invitation':
    case 'team':
      return '/settings/team'
    case 'secret':
      return '/settings/secrets'
    default:
      return null
  }
}

/** A value of before or after, as text. */
export function shownValue(t: Translate, value: unknown): string {
  if (value === null || value === undefined || value === '') return t('audit.nothing')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
