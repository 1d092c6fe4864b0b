/** Problems of the open graph: the server's, and those that the page can see at once while it cannot ask. */
import type { Graph, NodeTypes, Problem } from '@/graph/types'
import { checkLocally, type LocalCode, type LocalProblem } from '@/graph/validate'
import type { Key, Translate } from '@/i18n'

const MESSAGES: Readonly<Record<LocalCode, Key>> = {
  no_start: 'editor.problem_no_start',
  two_starts: 'editor.problem_two_starts',
  unreachable: 'editor.problem_unreachable',
  unknown_type: 'editor.problem_unknown_type',
  unknown_port: 'editor.problem_unknown_port',
  not_upstream: 'editor.problem_not_upstream',
  unknown_reference: 'editor.problem_unknown_reference',
  dangling_edge: 'editor.problem_dangling_edge',
}
const HINTS: Readonly<Record<LocalCode, Key>> = {
  no_start: 'editor.problem_hint_no_start',
  two_starts: 'editor.problem_hint_two_starts',
  unreachable: 'editor.problem_hint_unreachable',
  unknown_type: 'editor.problem_hint_unknown_type',
  unknown_port: 'editor.problem_hint_unknown_port',
  not_upstream: 'editor.problem_hint_not_upstream',
  unknown_reference: 'editor.problem_hint_unknown_reference',
  dangling_edge: 'editor.problem_hint_dangling_edge',
}

type Say = (key: Key, params?: Readonly<Record<string, string>>) => string

function worded(problem: LocalProblem, t: Translate): Problem {
  const say = t as unknown as Say
  return {
    code: problem.code,
    severity: problem.severity,
    ...(problem.node === undefined ? {} : { node: problem.node }),
    ...(problem.edge === undefined ? {} : { edge: problem.edge }),
    message: say(MESSAGES[problem.code], problem.params),
    hint: say(HINTS[problem.code], problem.params),
  }
}

/** What the page can say without the server, in words. */
export function localProblems(graph: Graph, types: NodeTypes, t: Translate): Problem[] {
  return checkLocally(graph, types).map((problem) => worded(problem, t))
}
