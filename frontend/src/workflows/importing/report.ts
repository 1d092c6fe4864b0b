/** The report about a file that is to be imported, what is chosen for it, and the import itself. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import type { components } from '@/api/schema'

export type Report = components['schemas']['ImportReport']
export type Line = Report['lines'][number]
export type LineState = Line['state']
export type ToolWant = Report['wants']['tools'][number]
export type Candidate = ToolWant['candidates'][number]
export type Choices = components['schemas']['ImportChoicesRequest']
type Tools = NonNullable<Choices['tools']>
type Models = NonNullable<Choices['models']>

/** What was chosen to be imported. */
export interface ImportSource {
  readonly text: string
  /** Name of the file, without its ending; "" of a pasted text. */
  readonly name: string
  readonly file: string
}

const bodyOf = ({ text, name }: ImportSource) => ({ text, ...(name ? { name } : {}) })

/** What would become of a text: nothing is made. */
export async function reportOf(source: ImportSource, choices: Choices = {}): Promise<Report> {
  const body = { ...bodyOf(source), dry_run: true, ...(Object.keys(choices).length > 0 ? { choices } : {}) }
  const answer = await api.post('/api/workflows/import', { body })
  return answer.report
}

/** Whether a report has nothing to ask and nothing to say: the document is taken as it is. */
export function isComplete({ kind, counts, wants }: Report): boolean {
  return (
    kind === 'patchbay' &&
    counts.choose + counts.left + counts.changed === 0 &&
    [...wants.secrets, ...wants.servers].every((want) => want.match !== '')
  )
}

export interface Choosing {
  readonly choices: Choices
  tool: (key: string, tool: Tools[string]) => void
  model: (name: string, model: Models[string]) => void
  server: (name: string, slug: string) => void
}

export function useChoosing(): Choosing {
  const [choices, setChoices] = useState<Choices>({})
  const put = <K extends keyof Choices>(kind: K, name: string, value: unknown) =>
    setChoices((before) => ({ ...before, [kind]: { ...before[kind], [name]: value } }))
  return {
    choices,
    tool: (key, tool) => put('tools', key, tool),
    model: (name, model) => put('models', name, model),
    server: (name, slug) => put('servers', name, slug),
  }
}

/** The report with what is chosen so far; the one before it stays until it is there. */
export function useReport(source: ImportSource, first: Report, choices: Choices) {
  const untouched = Object.keys(choices).length === 0
  return useQuery({
    queryKey: ['import-report', source.text, choices],
    queryFn: () => reportOf(source, choices),
    ...(untouched ? { initialData: first } : {}),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Makes the workflow and opens it. */
export function useImport(onClose: () => void) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: async ({ source, choices }: { source: ImportSource; choices: Choices }) => {
      const answer = await api.post('/api/workflows/import', { body: { ...bodyOf(source), choices } })
      if (!('workflow' in answer)) throw new Error('The import made no workflow.')
      return answer.workflow
    },
    onSuccess: (workflow) => {
      for (const kind of ['workflow', 'workflow-list']) {
        void client.invalidateQueries({ queryKey: [kind] })
      }
      onClose()
      navigate(`/workflows/${workflow.id}`)
    },
  })
}

/** A row of the table: one line, or several that are answered together. */
export interface Row {
  readonly key: string
  readonly line: Line
  readonly lines: readonly Line[]
  readonly want: ToolWant | undefined
}

/**
 * The lines of a state as rows: those alike that came to the same stand in one. The first of those alike keeps its key
 * when it is answered, so that the focus stays on it.
 */
export function rowsOf({ lines, wants }: Report, shown: LineState | 'all'): readonly Row[] {
  const rows = new Map<string, Line[]>()
  const begun = new Map<string, LineState>()
  for (const line of lines) {
    if (shown !== 'all' && line.state !== shown) continue
    if (line.group && !begun.has(line.group)) begun.set(line.group, line.state)
    const first = begun.get(line.group) === line.state
    const key = !line.group ? line.origin : first ? line.group : `${line.group} ${line.state}`
    rows.set(key, [...(rows.get(key) ?? []), line])
  }
  return [...rows].flatMap(([key, together]) => {
    const line = together[0]
    if (!line) return []
    const want = wants.tools.find((tool) => tool.key === line.group)
    return [{ key, line, lines: together, want }]
  })
}

/** The report as a text to keep. */
export function textOf(report: Report, file: string): string {
  const { wants } = report
  const lines = report.lines.map((line) =>
    [line.state, line.title, line.type, line.becomes, line.why].join('\t'),
  )
  const needs = [
    ...wants.models.map((want) => `model\t${want.name}\t${want.match?.model ?? '-'}`),
    ...wants.secrets.map((want) => `secret\t${want.name}\t${want.match || '-'}`),
    ...wants.servers.map((want) => `server\t${want.name}\t${want.match || '-'}`),
    ...wants.hosts.map((want) => `host\t${want.host}\t${want.fixed ? 'fixed' : 'expression'}`),
    ...wants.code.map((want) => `python\t${want.title}\t${want.missing.join(', ') || '-'}`),
  ]
  return [`${report.name || file}\t${report.kind} ${report.version}`, '', ...lines, '', ...needs, ''].join(
    '\n',
  )
}
