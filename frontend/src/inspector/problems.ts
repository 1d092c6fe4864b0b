/** The problems of a node at its fields. */
import { type FieldErrors, fromPointer, toPointer } from '@/forms'
import type { Problem } from '@/graph/types'

/** The pointer inside the node: the server's pointers begin at the document (`/nodes/3/config/url`). */
function pointerInNode(path: string | undefined): string {
  return (path ?? '').replace(/^\/nodes\/\d+(?=\/|$)/, '')
}

export interface Placed {
  /** Sentences by pointer below `prefix`. */
  fields: FieldErrors
  /** Problems that belong to no field there. */
  rest: Problem[]
}

/** Problems under `prefix` (`/config/arguments`) by field, the others apart. */
export function place(problems: readonly Problem[], prefix: string): Placed {
  const fields: Record<string, string[]> = {}
  const rest: Problem[] = []
  for (const problem of problems) {
    const pointer = pointerInNode(problem.path)
    if (pointer !== prefix && !pointer.startsWith(`${prefix}/`)) {
      rest.push(problem)
      continue
    }
    const time = toPointer(fromPointer(pointer.slice(prefix.length)))
    fields[time] = [...(fields[time] ?? []), problem.message]
  }
  return { fields, rest }
}

/** Two sources of sentences at the same fields; what is said twice is said once. */
export function together(a: FieldErrors, b: FieldErrors): FieldErrors {
  const all: Record<string, readonly string[]> = { ...a }
  for (const [pointer, sentences] of Object.entries(b)) {
    // The server has spoken of this field; its sentence is the better one.
    if (!all[pointer]) all[pointer] = sentences
  }
  return all
}

/** The sentences of a field and of everything below it, for editors that are no schema form. */
export function below(fields: FieldErrors, pointer: string): readonly string[] {
  return Object.entries(fields)
    .filter(([key]) => key === pointer || key.startsWith(`${pointer}/`))
    .flatMap(([, sentences]) => sentences)
}
