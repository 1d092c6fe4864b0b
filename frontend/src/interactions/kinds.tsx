/** What kinds of questions there are: their icon, their word, and how one is called in a list. */

import {
  AppWindow,
  CircleAlert,
  Coins,
  History,
  ListChecks,
  MessageSquareText,
  Server,
  ShieldQuestionMark,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { Interaction, InteractionKind } from '@/api/run-types'
import type { Translate } from '@/i18n'
import { cx, type Tone, visible } from '@/ui'

type KindWord =
  | 'inbox.kind_approval'
  | 'inbox.kind_params'
  | 'inbox.kind_form'
  | 'inbox.kind_elicitation'
  | 'inbox.kind_recovery'
  | 'inbox.kind_mismatch'
  | 'inbox.kind_failure'
  | 'inbox.kind_budget'
  | 'inbox.kind_server'
  | 'inbox.kind_client'

interface Kind {
  readonly icon: ComponentType<{ 'aria-hidden'?: boolean; className?: string }>
  readonly word: KindWord
  readonly tone: Tone
}

export const KINDS: Readonly<Record<InteractionKind, Kind>> = {
  approval: { icon: ShieldQuestionMark, word: 'inbox.kind_approval', tone: 'person' },
  params: { icon: ListChecks, word: 'inbox.kind_params', tone: 'person' },
  form: { icon: ListChecks, word: 'inbox.kind_form', tone: 'person' },
  elicitation: { icon: MessageSquareText, word: 'inbox.kind_elicitation', tone: 'person' },
  recovery: { icon: History, word: 'inbox.kind_recovery', tone: 'waiting' },
  mismatch: { icon: History, word: 'inbox.kind_mismatch', tone: 'waiting' },
  budget: { icon: Coins, word: 'inbox.kind_budget', tone: 'person' },
  server: { icon: Server, word: 'inbox.kind_server', tone: 'person' },
  client: { icon: AppWindow, word: 'inbox.kind_client', tone: 'waiting' },
}

const FAILURE: Kind = { icon: CircleAlert, word: 'inbox.kind_failure', tone: 'waiting' }

type KindAndCause = Pick<Interaction, 'kind'> & { readonly cause?: Interaction['cause'] | undefined }

/** Whether it is asked because Patchbay itself failed at the step. */
export const ofFailure = (question: KindAndCause) =>
  question.kind === 'recovery' && question.cause === 'failure'

export function kindOf(question: KindAndCause): Kind {
  return ofFailure(question) ? FAILURE : (KINDS[question.kind] ?? KINDS.form)
}

interface KindIconProps {
  readonly question: KindAndCause
  /** In place of its kind's. */
  readonly tone?: Tone | undefined
  readonly className?: string
}

export function KindIcon({ question, tone, className }: KindIconProps) {
  const kind = kindOf(question)
  return (
    <span data-tone={tone ?? kind.tone} className={cx('flex', className)}>
      <kind.icon aria-hidden className="size-4" />
    </span>
  )
}

/** `server/tool`, as far as a question is about one. */
export function toolName(tool: unknown): string {
  if (typeof tool === 'string') return visible(tool)
  if (typeof tool !== 'object' || tool === null) return ''
  const { server, name } = tool as { server?: unknown; name?: unknown }
  return visible([server, name].filter((part) => typeof part === 'string' && part !== '').join('/'))
}

/** How a question is called: by the call it is about, else by its own title. */
export function headingOf(
  question: Pick<Interaction, 'kind' | 'title' | 'tool' | 'schema' | 'cause'> & {
    readonly node?: string | null
    readonly node_title?: string | null
  },
  t: Translate,
): string {
  const tool = toolName(question.tool)
  if (question.kind === 'params')
    return t('inbox.values_missing', { n: fieldCount(question.schema), what: visible(question.title) })
  if (question.kind === 'approval' && tool) return t('inbox.allow', { tool })
  if (question.kind === 'mismatch') return t('inbox.mismatch_heading', { step: stepOf(question) })
  if (question.kind === 'server') return t('inbox.sign_in_heading', { server: visible(question.title) })
  if (ofFailure(question)) return t('inbox.failed_at', { step: stepOf(question) })
  if (question.kind === 'recovery' && tool) return t('inbox.may_have_happened', { tool })
  return visible(question.title) || t(kindOf(question).word)
}

/** What the step that asks is called. */
const stepOf = (question: Pick<Interaction, 'title'> & Partial<Pick<Interaction, 'node' | 'node_title'>>) =>
  visible(question.node_title ?? question.node ?? question.title)

/** Where a question comes from; one of a run that another run started names the outermost workflow first. */
export function placeOf(question: Interaction): string {
  const root = question.root_run === question.run ? null : question.root_workflow_name
  return [root, question.workflow_name, question.node_title ?? question.node]
    .filter(Boolean)
    .map((name) => visible(name ?? ''))
    .join(' · ')
}

/** How many values a form asks for. */
function fieldCount(schema: unknown): number {
  const { properties } = (schema ?? {}) as { properties?: unknown }
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).length : 1
}

/** A reason as a sentence; the log holds `{code, params}` where the API has not put it into words. */
export function reasonText(reason: unknown): string {
  if (typeof reason === 'string') return reason
  if (typeof reason !== 'object' || reason === null) return String(reason)
  const { text, message, code } = reason as { text?: unknown; message?: unknown; code?: unknown }
  return [text, message, code].find((entry): entry is string => typeof entry === 'string') ?? ''
}

/** When a question expires, epoch ms; null = never. */
export function expiryOf(question: Pick<Interaction, 'expires_at'>): number | null {
  const place = question.expires_at
  if (place === null || place === undefined) return null
  return typeof place === 'number' ? place * 1000 : Date.parse(place)
}
