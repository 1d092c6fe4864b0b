/** How a test went, node by node: what differs, and what it asked for that was not recorded. */

import type { Outcome, TestedNode, TestResult, TestStatus } from '@/api/workflow-tests'
import { type Key, useT } from '@/i18n'
import { ValueView } from '@/results'
import { Chip, Diff, type Tone } from '@/ui'

const WORDS: Readonly<Record<TestStatus, readonly [Key, Tone]>> = {
  same: ['tests.node_same', 'ok'],
  differs: ['tests.node_differs', 'failed'],
  missing: ['tests.node_missing', 'failed'],
  unreached: ['tests.node_unreached', 'waiting'],
  new: ['tests.node_new', 'idle'],
}
const AROUND = 3

export interface ResultProps {
  readonly result: TestResult
  readonly titleOf: (node: string) => string
  readonly onShowNode: (node: string) => void
}

export function Result({ result, titleOf, onShowNode }: ResultProps) {
  const t = useT()
  const same = result.nodes.filter((node) => node.status === 'same')
  const others = result.nodes.filter((node) => node.status !== 'same')
  return (
    <div className="test-result">
      {others.map((other) => (
        <OneNode
          key={other.node}
          one={other}
          name={other.title || titleOf(other.node)}
          onShowNode={onShowNode}
        />
      ))}
      <p className="text-xs text-muted">
        {t('tests.nodes_same', { n: same.length, all: result.nodes.length })} {t('tests.offline')}
      </p>
    </div>
  )
}

interface OneNodeProps {
  readonly one: TestedNode
  readonly name: string
  readonly onShowNode: (node: string) => void
}

function OneNode({ one, name, onShowNode }: OneNodeProps) {
  const t = useT()
  const [word, tone] = WORDS[one.status]
  return (
    <section className="test-node" aria-label={name}>
      <div className="flex items-center gap-2">
        <button type="button" className="link font-medium" onClick={() => onShowNode(one.node)}>
          {name}
        </button>
        <Chip tone={tone}>{(t as (key: Key) => string)(word)}</Chip>
      </div>
      {one.missing.map((missing) => (
        <div key={`${missing.target} ${JSON.stringify(missing.arguments)}`} className="grid gap-1">
          <p className="text-sm">{t('tests.no_answer', { target: missing.target })}</p>
          {missing.arguments === null ? null : missing.recorded !== null ? (
            <Diff
              before={JSON.stringify(missing.recorded, null, 2)}
              after={JSON.stringify(missing.arguments, null, 2)}
              around={AROUND}
            />
          ) : (
            <ValueView value={missing.arguments} shape="json" label={missing.target} maxHeight={160} />
          )}
        </div>
      ))}
      {one.status === 'differs' ? (
        <Diff before={textOf(one.expected)} after={textOf(one.got)} around={AROUND} />
      ) : null}
    </section>
  )
}

/** An outcome as lines to compare. */
function textOf(outcome: Outcome | null): string {
  const value = outcome && 'output' in outcome ? outcome.output : outcome
  return JSON.stringify(value, null, 2)
}
