/**
 * Runs as the server tells them (contract "Shapes", "States", "Events"): rows, events, questions and answers.
 * Payloads of events are JSON whose inner shape belongs to tools and workflows, so they stay `unknown`.
 */

export type RunState = 'QUEUED' | 'RUNNING' | 'WAITING' | 'PAUSED' | 'SUCCESS' | 'ERROR' | 'CANCELLED'

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
export interface Frame {
  readonly node: string
  readonly index: number
}

export interface RunEvent {
  readonly run: string
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly ts: string
  readonly type: string
  readonly node: string | null
  readonly path: readonly Frame[]
  readonly step: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** Streamed text that is not stored yet; laid over TEXT_ADD by its offset in code points. */
export interface TextPreview {
  readonly step: string
  readonly call?: string
  readonly attempt?: number
  readonly offset: number
  readonly delta: string
  readonly channel?: string
}

/** What a run waits for; `until` is a time (ISO or epoch seconds). */
export interface Waiting {
  readonly kind: 'person' | 'timer' | 'child' | 'pause'
  readonly interaction?: string
  readonly until?: string | number | null
  /** With `pause`: the backup that the run was restored from and has not gone on since. */
  readonly restored_from?: string
}

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** Of the input, what the endpoint had already; of the output, what was thought and not said. */
  readonly cached_tokens?: number
  readonly reasoning_tokens?: number
  readonly cost: number
  /** The endpoint said nothing, or not of all: the numbers are estimated. */
  readonly estimated?: boolean
}

export interface RunError {
  readonly code: string
  readonly message: string
  readonly hint?: string | null
  readonly node?: string | null
  readonly detail?: unknown
  readonly params?: Readonly<Record<string, unknown>>
}

export type RiskLevel = 'LOW' | 'MEDIUM' | 'HIGH'

export interface Risk {
  readonly level: RiskLevel
  readonly reasons: readonly string[]
}

export type InteractionKind =
  | 'approval'
  | 'params'
  | 'form'
  | 'elicitation'
  | 'recovery'
  | 'budget'
  | 'server'
  | 'mismatch'

export type InteractionState = 'open' | 'answered' | 'expired' | 'cancelled'

/** A run as listed and as opened (contract "run"); `graph` and `children_count` only when opened. */
export interface Run {
  readonly id: string
  readonly workflow: string
  readonly workflow_name?: string
  readonly version: number | null
  /** The revision of the draft that it executes; null where it executes a version. */
  readonly draft_revision?: number | null
  readonly state: RunState
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>>
  readonly error: RunError | null
  readonly usage: Usage
  readonly waiting: readonly Waiting[]
  readonly trigger: string
  readonly started_by: string | null
  readonly parent_run: string | null
  readonly origin_run: string | null
  readonly origin_step: string | null
  readonly origin_node?: string | null
  readonly copied_seq?: number
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly last_seq: number
  readonly graph?: unknown
  readonly children_count?: number
}

/** A call that a run's log holds. */
export interface RecordedCall {
  readonly node: string
  readonly path: readonly { readonly node: string; readonly index: number }[]
  readonly attempt: number
  readonly key: string
  readonly tool: unknown
  readonly arguments: unknown
  readonly at: string | null
  readonly ended: boolean
  readonly error: string | null
  readonly version: string | null
}

export interface Mismatch {
  readonly recorded: readonly RecordedCall[]
  readonly more: number
  readonly asked: { readonly key: string; readonly target: string } | null
}

/** How a tool's definition differs from the accepted one (`-…`, `+…`, `@` where lines are left out), and what was read. */
export interface Evidence {
  readonly definition: {
    readonly since: string
    readonly before: 'LOW' | 'MEDIUM' | 'HIGH'
    readonly after: 'LOW' | 'MEDIUM' | 'HIGH'
    readonly lines: readonly string[]
  } | null
  readonly read: readonly {
    readonly server: string
    readonly tool: string
    readonly characters: number
    readonly excerpt: string
  }[]
}

/** A question as the inbox has it (contract "interaction"). */
export interface Interaction {
  readonly id: string
  readonly run: string
  readonly root_run: string
  readonly workflow?: string | null
  readonly workflow_name?: string
  readonly root_workflow_name?: string
  readonly node: string | null
  readonly node_title?: string | null
  readonly step: string | null
  readonly kind: InteractionKind
  readonly title: string
  /** Of a recovery: nobody knows how the call ended, or Patchbay itself failed at the step. */
  readonly cause?: 'outcome' | 'failure' | null
  readonly message: string
  readonly tool: unknown
  readonly risk: Risk | null
  readonly schema: unknown
  readonly proposal: unknown
  /** Of a recovery or mismatch: when the call began whose outcome nobody knows. */
  readonly called_at?: string | null
  /** Of a mismatch: what the log holds, and what is asked for instead (null: the same name, called otherwise). */
  readonly mismatch?: Mismatch | null
  /** Who started the outermost run; events of a run that goes on do not say it. */
  readonly started?: { readonly by: string | null; readonly trigger: string; readonly at: string }
  /** What to know of a call besides its arguments. */
  readonly evidence?: Evidence
  /** Who must approve, and who did; events of a run that goes on do not say it. */
  readonly approval?: Approval
  readonly assignees: readonly string[]
  readonly expires_at: string | number | null
  readonly on_expire: 'decline' | 'fail' | null
  readonly state: InteractionState
  readonly answered_by: string | null
  readonly answered_at: string | null
  readonly created_at: string
  readonly answer?: Partial<Answer> | null
}

export type Approvers = 'anyone' | 'not_starter' | 'two_people' | 'two_others'

export interface Approval {
  /** The stricter of tool, node and workflow. */
  readonly rule: Approvers
  /** How many people must say yes. */
  readonly needed: number
  readonly given: readonly {
    readonly by: string | null
    readonly at: string
    readonly changed: boolean
    readonly values?: unknown
    readonly remember: Remember
  }[]
  /** Whose yes can still count, by e-mail. */
  readonly able: readonly string[]
}

export type AnswerAction = 'accept' | 'decline' | 'cancel' | 'retry' | 'skip' | 'fail'

export type Remember = 'once' | 'run' | 'tool' | 'arguments'

export interface Answer {
  readonly action: AnswerAction
  readonly values?: unknown
  readonly reason?: string
  readonly remember?: Remember
}

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
