/** Parts of a node's input that say how the engine waits, and nothing of what the node was given. */

const PLUMBING: ReadonlySet<string> = new Set(['expires_s', 'on_expire'])
const ASKING: ReadonlySet<string> = new Set(['approval', 'form', 'agent', 'llm', 'planner', 'tool'])

/** The input as a person looks at it; the raw view shows it whole. */
export function shownInput(type: string | undefined, input: unknown): unknown {
  if (type === undefined || !ASKING.has(type)) return input
  if (input === null || typeof input !== 'object' || Array.isArray(input) || '$ref' in input) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !PLUMBING.has(key)))
}
