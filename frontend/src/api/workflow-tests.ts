/** Saved tests of a workflow over HTTP. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { send } from './client'
import type { Page } from './run-types'

export type TestStatus = 'same' | 'differs' | 'missing' | 'unreached' | 'new'

/** What became of a node: its output, the code it failed with, or that it was passed over. */
export interface Outcome {
  readonly output?: unknown
  readonly error?: string
  readonly skipped?: boolean
}

/** What a step asked for; `recorded` = the arguments for which the same call was answered then. */
export interface MissingAnswer {
  readonly target: string
  readonly arguments: unknown
  readonly recorded: unknown
}

export interface TestedNode {
  readonly node: string
  readonly title: string
  readonly type: string
  readonly status: TestStatus
  readonly expected: Outcome | null
  readonly got: Outcome | null
  readonly missing: readonly MissingAnswer[]
}

export interface TestResult {
  readonly ok: boolean
  readonly version: number | null
  readonly at: string
  readonly ms: number
  readonly nodes: readonly TestedNode[]
}

export interface WorkflowTest {
  readonly id: string
  readonly name: string
  readonly run: string | null
  readonly created_by: string | null
  readonly created_at: string
  readonly result: TestResult | null
}

const place = (workflow: string) => `/api/workflows/${workflow}/tests`

export const testsQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['workflow-test', workflow],
    queryFn: async () => (await send<Page<WorkflowTest>>('GET', `${place(workflow)}?limit=200`)).results,
  })

export const useTests = (workflow: string) => useQuery(testsQuery(workflow))

/** What changes the list, and reads it anew. */
function useChange<V, R>(workflow: string, change: (what: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: ['workflow-test', workflow] }),
  })
}

export const useSaveTest = (workflow: string) =>
  useChange(workflow, (what: { run: string; name: string }) =>
    send<WorkflowTest>('POST', place(workflow), what),
  )

/** Play a test with the draft, or with a version. */
export const runTest = (workflow: string, test: string, version?: number): Promise<TestResult> =>
  send('POST', `${place(workflow)}/${test}/run`, version === undefined ? {} : { version })

export const useRunTest = (workflow: string) => useChange(workflow, (test: string) => runTest(workflow, test))

export const useDeleteTest = (workflow: string) =>
  useChange(workflow, (test: string) => send<void>('DELETE', `${place(workflow)}/${test}`))
