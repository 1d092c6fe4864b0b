import { describe, expect, it } from 'vitest'
import type { RunFold, Step } from '@/live/fold'
import { speakersOf, spokenBy } from './spoken'

const DOCUMENT = {
  nodes: [
    { id: 'start', type: 'start', config: {} },
    { id: 'think', type: 'llm', config: { prompt: '{{ start.text }}' } },
    { id: 'aside', type: 'llm', config: {} },
    { id: 'say', type: 'answer', config: { text: 'It is {{ think.text | trim }}.' } },
  ],
}

const step = (node: string, part: Partial<Step>): Step =>
  ({ id: `s-${node}`, node, parent: null, state: 'RUNNING', endedAt: null, toolCalls: [], ...part }) as Step

const fold = (...steps: Step[]): RunFold =>
  ({ steps: new Map(steps.map((item, index) => [`${index}`, item])) }) as unknown as RunFold

const write = ({ node }: Step) => `${node} writes`

describe('what a run says', () => {
  it('is by answer nodes, and by the models that they quote', () => {
    const { answers, models } = speakersOf(DOCUMENT)
    expect([...answers]).toEqual(['say'])
    expect([...models]).toEqual(['think'])
  })

  it('is by the ends where no answer node is', () => {
    const nodes = [
      ...DOCUMENT.nodes.slice(0, 3),
      { id: 'end', type: 'end', config: { outputs: { a: '{{ aside.text }}' } } },
    ]
    expect([...speakersOf({ nodes }).models]).toEqual(['aside'])
    expect([...speakersOf(null).models]).toEqual([])
  })

  it('is written until it is said', () => {
    const speakers = speakersOf(DOCUMENT)
    const writing = spokenBy(fold(step('aside', {}), step('think', {})), speakers, write)
    expect([writing.answers, writing.writing]).toEqual([[], 'think writes'])
    const done = { state: 'SUCCESS', endedAt: 5 } as const
    const ended = step('say', { ...done, endedAt: 6, output: { text: 'It is so.' } })
    const after = spokenBy(fold(step('think', done), ended), speakers, write)
    expect([after.answers, after.writing]).toEqual([['It is so.'], ''])
  })

  it('comes in the order in which it was said', () => {
    const at = (endedAt: number, text: unknown) =>
      step('say', { state: 'SUCCESS', endedAt, output: { text } })
    const { answers } = spokenBy(
      fold(at(9, 'b'), at(3, 'a'), at(4, { preview: 'long' })),
      speakersOf(DOCUMENT),
      write,
    )
    expect(answers).toEqual(['a', 'long…', 'b'])
  })
})
