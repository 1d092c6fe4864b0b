/** The request that starts a workflow, in the languages that people write. */
import { readGraph } from '@/graph/read'

export const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'javascript', label: 'JavaScript' },
] as const
export type Language = (typeof LANGUAGES)[number]['value']

/** Seconds that a request waits for the run to end. */
const WAIT = 60

/** A value for each input of the start node: its default, else an empty one of its type. */
export function exampleInputs(document: unknown): Readonly<Record<string, unknown>> {
  const schema = readGraph(document).nodes.find(({ type }) => type === 'start')?.config.inputs
  const { properties } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> }
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, field]) => [name, exampleOf(field)]))
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
}

function exampleOf(field: unknown): unknown {
  if (typeof field !== 'object' || field === null) return null
  const {
    type,
    default: preset,
    enum: choices,
  } = field as {
    readonly type?: string
    readonly default?: unknown
    readonly enum?: readonly unknown[]
  }
  if (preset !== undefined) return preset
  return choices?.[0] ?? EMPTY[type ?? ''] ?? null
}

/** `document` = the graph whose inputs are sent. */
export function requestOf(language: Language, url: string, token: string, document: unknown): string {
  const body = { inputs: exampleInputs(document), wait: WAIT }
  const text = JSON.stringify(body, null, 2)
  switch (language) {
    case 'curl':
      return [
        `curl ${url} \\`,
        `  -H "Authorization: Bearer ${token}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${text.replaceAll("'", "'\\''")}'`,
      ].join('\n')
    case 'python':
      return [
        'import json',
        'from urllib.request import Request, urlopen',
        '',
        `body = json.loads(r"""${text}""")`,
        'request = Request(',
        `    "${url}",`,
        '    json.dumps(body).encode(),',
        `    {"Authorization": "Bearer ${token}", "Content-Type": "application/json"},`,
        ')',
        'run = json.load(urlopen(request))',
        'print(run["state"], run["outputs"])',
      ].join('\n')
    case 'javascript':
      return [
        `const response = await fetch('${url}', {`,
        "  method: 'POST',",
        `  headers: { Authorization: 'Bearer ${token}', 'Content-Type': 'application/json' },`,
        `  body: JSON.stringify(${text.replaceAll('\n', '\n  ')}),`,
        '})',
        'const run = await response.json()',
        'console.log(run.state, run.outputs)',
      ].join('\n')
  }
}
