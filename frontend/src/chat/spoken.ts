/** What a run says in its conversation while it goes on: answers so far, and the text that is being written. Pure. */
import type { RunFold, Step } from '@/live/fold'

export interface LiveCall {
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly arguments: string
  readonly ms: number | null
  readonly failed: boolean
  readonly going: boolean
}

export interface Spoken {
  /** What answer nodes said, in order. */
  readonly answers: readonly string[]
  /** What a model writes for one of them; empty where none does. */
  readonly writing: string
  readonly calls: readonly LiveCall[]
}

/** Which nodes of a document speak, and whose text they say. */
export interface Speakers {
  readonly answers: ReadonlySet<string>
  readonly models: ReadonlySet<string>
}

const NOBODY: Speakers = { answers: new Set(), models: new Set() }
const SHOWN = 200

interface Document {
  readonly nodes?: readonly { readonly id?: unknown; readonly type?: unknown; readonly config?: unknown }[]
}

/** Read from a run's document; what else it holds is not looked at. */
export function speakersOf(document: unknown): Speakers {
  const { nodes } = (document ?? {}) as Document
  if (!Array.isArray(nodes)) return NOBODY
  const answers = nodes.filter(({ type }) => type === 'answer')
  const speaking = answers.length > 0 ? answers : nodes.filter(({ type }) => type === 'end')
  const configs = JSON.stringify(speaking.map(({ config }) => config ?? null))
  const named = (id: string) => new RegExp(`\\{\\{[^}]*\\b${id}\\b[^}]*\\}\\}`).test(configs)
  const ids = (list: typeof nodes) => new Set(list.map(({ id }) => id).filter((id) => typeof id === 'string'))
  return {
    answers: ids(answers),
    models: new Set([...ids(nodes)].filter((id) => /^\w+$/.test(id) && named(id))),
  }
}

/** The text of a step's newest round as far as it is known. */
export type TextOf = (step: Step) => string

export function spokenBy(fold: RunFold, speakers: Speakers, textOf: TextOf): Spoken {
  const steps = [...fold.steps.values()]
  const ended = steps
    .filter(
      ({ node, endedAt, state }) => speakers.answers.has(node) && endedAt !== null && state === 'SUCCESS',
    )
    .sort((step, other) => (step.endedAt ?? 0) - (other.endedAt ?? 0))
  const lastEnd = ended.at(-1)?.endedAt ?? 0
  const writer = steps.findLast(
    (step) =>
      step.parent === null &&
      speakers.models.has(step.node) &&
      (step.endedAt === null || step.endedAt > lastEnd),
  )
  return {
    answers: ended.map(({ output }) => textIn(output)).filter(Boolean),
    writing: writer ? textOf(writer) : '',
    calls: steps.flatMap(callsOf),
  }
}

function textIn(output: unknown): string {
  const text = typeof output === 'object' && output !== null ? (output as { text?: unknown }).text : null
  if (typeof text === 'string') return text
  const preview = typeof text === 'object' && text !== null ? (text as { preview?: unknown }).preview : null
  return typeof preview === 'string' ? `${preview}…` : ''
}

function callsOf(step: Step): readonly LiveCall[] {
  return step.toolCalls.map((call, index) => ({
    id: `${step.id} ${index}`,
    server: call.server,
    tool: call.tool,
    arguments: (JSON.stringify(call.arguments) ?? '').slice(0, SHOWN),
    ms: call.to === null ? null : call.to - call.from,
    failed: call.error !== null && call.error !== undefined,
    going: call.to === null && step.endedAt === null,
  }))
}
