/**
 * Runs as the server tells them (contract "Shapes", "States", "Events"): rows, events, questions and answers.
 * Their shapes are those of the generated description of the API, and only read here. Payloads of events are JSON whose
 * inner shape belongs to tools and workflows, so they stay `unknown`; `DataOf` names what stands beside them.
 */

import type { components } from './schema'

type Schemas = components['schemas']

/** The same, read only at every depth. */
type Narrowed<T> = T extends readonly (infer Item)[]
  ? readonly Narrowed<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Narrowed<T[Key]> }
    : T

/** The same with these members absent where nobody says them. */
type Maybe<T, Keys extends keyof T> = Narrowed<Omit<T, Keys>> & Partial<Narrowed<Pick<T, Keys>>>

export type RunState = Schemas['RunStateEnum']

export type StepState =
  | 'INIT'
  | 'RUNNING'
  | 'WAITING'
  | 'PARAM'
  | 'SUCCESS'
  | 'ERROR'
  | 'CANCELLED'
  | 'SKIPPED'

/** A frame around a step: which round of which iteration or loop. */
export type Frame = Narrowed<Schemas['Frame']>

export type RunEvent = Narrowed<Schemas['Event']>

type MembersOf<T> = T extends unknown ? keyof T : never

/** The data of an event of this type: its members as the server describes them, their values not trusted. */
export type DataOf<Type extends keyof Schemas['EventData']> = {
  readonly [Key in MembersOf<Schemas['EventData'][Type]>]?: unknown
}

/** Streamed text that is not stored yet; laid over TEXT_ADD by its offset in code points. */
export type TextPreview = Maybe<Schemas['TextPreview'], 'call' | 'attempt' | 'channel'>

/** What a run waits for. */
export type Waiting = Narrowed<Schemas['Waiting']>

/** What a round or a run used; only rounds tell what was cached or thought, and whether it is estimated. */
export type Usage = Maybe<
  Omit<Schemas['LlmUsage'], 'estimated'> & { estimated: boolean },
  'cached_tokens' | 'reasoning_tokens' | 'estimated'
>

/** An error; the one of an event has `params` and may lack what is said in words. */
export type RunError = Maybe<Omit<Schemas['RunError'], 'hint'>, 'node' | 'detail'> & {
  readonly hint?: string | null
  readonly params?: Readonly<Record<string, unknown>>
}

export type RiskLevel = Schemas['RiskLevelEnum']

export type Risk = Narrowed<Schemas['RiskText']>

export type InteractionKind = Schemas['InteractionKindEnum']

export type InteractionState = Schemas['InteractionStateEnum']

/** A run as listed and as opened (contract "run"); `graph`, `children_count`, `trace_url` only when opened. */
export type Run = Maybe<
  Omit<Schemas['RunDetail'], 'children' | 'children_next' | 'error' | 'usage'>,
  | 'workflow_name'
  | 'draft_revision'
  | 'conversation'
  | 'caller'
  | 'root_run'
  | 'origin_node'
  | 'copied_seq'
  | 'graph'
  | 'children_count'
  | 'trace'
  | 'trace_url'
> & { readonly error: RunError | null; readonly usage: Usage }

/** A call that a run's log holds. */
export type RecordedCall = Narrowed<Schemas['Record']>

export type Mismatch = Narrowed<Schemas['Mismatch']>

/** How a tool's definition differs from the accepted one (`-…`, `+…`, `@` where lines are left out), and what was read. */
export type Evidence = Narrowed<Schemas['Evidence']>

/** A question as the inbox has it (contract "interaction"); events of a run that goes on do not say all of it. */
export type Interaction = Maybe<
  Omit<Schemas['Interaction'], 'answer'>,
  | 'workflow'
  | 'workflow_name'
  | 'root_workflow_name'
  | 'node_title'
  | 'cause'
  | 'called_at'
  | 'mismatch'
  | 'started'
  | 'evidence'
  | 'sign_in'
  | 'approval'
> & { readonly answer?: Partial<Answer> | null }

export type Approvers = Schemas['ApproversEnum']

/** Who must approve, and who did. */
export type Approval = Narrowed<Schemas['Agreement']>

export type AnswerAction = Schemas['AnswerActionEnum']

export type Remember = Schemas['RememberEnum']

export type Answer = Narrowed<Schemas['Answer']>

/** One page of a list. */
export interface Page<T> {
  readonly results: readonly T[]
  readonly next: string | null
}

/** A payload that is stored once elsewhere (contract "Events"). */
export interface Ref {
  readonly $ref: string
  readonly size: number
  readonly preview: unknown
}

/** Whether a value is a reference to a stored payload instead of the payload. */
export function isRef(value: unknown): value is Ref {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { $ref?: unknown }).$ref === 'string' &&
    'preview' in value
  )
}

export const TERMINAL: ReadonlySet<RunState> = new Set(['SUCCESS', 'ERROR', 'CANCELLED'])
