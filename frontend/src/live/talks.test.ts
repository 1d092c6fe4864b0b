import { describe, expect, it } from 'vitest'
import type { RunEvent, TextPreview } from '@/api/run-types'
import { fc } from '@/testing/properties'
import { emptyFold, fold, messagesOf, toolsOf, usageWithin } from './fold'
import { type Line, logOf } from './fold.testing'
import { RunFeed, RunView } from './run-view'
import { anAgent, aPlanner, QUERY, SYSTEM } from './talks.testing'

const folded = (log: readonly RunEvent[]) => fold(emptyFold('r'), log).state

function still() {
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  const view = new RunView(feed)
  view.attach()
  return { feed, view, frame }
}

describe('rounds with a model', () => {
  const agent = () => folded(anAgent()).steps.get('step_agent')

  it('puts the messages together that a request goes on from', () => {
    const step = agent()
    const last = step?.llmCalls.at(-1)
    const messages = step && last ? messagesOf(step, last) : []
    expect(messages.map((message) => (message as { role: string }).role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
      'tool',
      'tool',
      'user',
    ])
    expect(messages.slice(0, 2)).toEqual([SYSTEM, QUERY])
    expect(step && last ? toolsOf(step, last) : null).toHaveLength(1)
  })

  it('takes the base as far as it counts, and cuts nothing behind a list that is stored elsewhere', () => {
    const stored = { $ref: 'blob_1', size: 20_000, preview: '[{"role"' }
    const base = (call: string, messages: number) => ({ call, messages, tools: false })
    const step = folded(
      logOf([
        [0, 'a', 'LLM_REQUEST', { call: '1', messages: ['x', 'y', 'z'] }],
        [1, 'a', 'LLM_REQUEST', { call: '2', messages: ['w'], base: base('1', 2) }],
        [2, 'a', 'LLM_REQUEST', { call: '3', messages: stored }],
        [3, 'a', 'LLM_REQUEST', { call: '4', messages: ['v'], base: base('3', 7) }],
      ]),
    ).steps.get('step_a')
    const all = step?.llmCalls.map((call) => messagesOf(step, call))
    expect(all).toEqual([['x', 'y', 'z'], ['x', 'y', 'w'], [stored], [stored, 'v']])
  })

  it('keeps a round that is asked again apart from a step that begins again', () => {
    const step = agent()
    expect(step?.attempts).toHaveLength(1)
    expect(step?.retries).toMatchObject([
      { call: 'round:1', attempt: 2, delayMs: 1000, code: 'LLM_RATE_LIMITED' },
    ])
    expect(step?.llmCalls.map((call) => [call.call, call.error?.code ?? null])).toEqual([
      ['round:1', 'LLM_RATE_LIMITED'],
      ['round:1', null],
      ['round:2', null],
      ['round:3', null],
    ])
  })

  it('counts tokens and cost once, per round, step and run', () => {
    const state = folded(anAgent())
    expect(state.usage).toMatchObject({ input_tokens: 450, output_tokens: 90 })
    expect(state.usage.cost).toBeCloseTo(0.006)
    expect(state.steps.get('step_agent')?.usage.cost).toBeCloseTo(0.006)
    expect(state.steps.get('step_agent')?.llmCalls[1]?.usage).toMatchObject({ input_tokens: 100 })
  })

  it('knows which call a question was about, and why it was declined', () => {
    const { questions } = folded(anAgent())
    expect(questions.get('int_c')).toMatchObject({ call: 'round:2/call:1', action: 'accept' })
    expect(questions.get('int_d')).toMatchObject({ call: 'round:2/call:2', reason: 'keep it' })
  })

  it('remembers a budget that was reached', () => {
    expect(agent()?.budgets).toMatchObject([{ budget: 'tokens', limit: 250, used: 300 }])
  })

  it('knows the runs that were started, by a call or by a line of the log', () => {
    const step = folded(
      logOf([
        [0, 'w', 'STEP_LOG', { level: 'info', text: 'started', run: 'run_2' }],
        [
          1,
          'w',
          'TOOL_REQUEST',
          { call: 'c', server: 'workflow', tool: 'digest', arguments: {}, run: 'run_3' },
        ],
        [2, 'w', 'TOOL_RESPONSE', { call: 'c', content: [], run: 'run_3' }],
      ]),
    ).steps.get('step_w')
    expect(step?.runs).toEqual(['run_2', 'run_3'])
    expect(step?.toolCalls[0]?.run).toBe('run_3')
  })
})

describe('a plan', () => {
  it('has its steps inside it, with their names, and is no more than a step to its node', () => {
    const { view, feed, frame } = still()
    feed.take(aPlanner().slice(0, 15))
    frame()
    expect(view.nodeRun('plan')).toMatchObject({
      status: 'person',
      total: 1,
      interaction: 'int_p',
      planName: 'Meeting',
      planRisk: 'MEDIUM',
      plan: [
        { name: 'Find the people', status: 'succeeded' },
        { name: 'Make the event', status: 'person' },
      ],
    })
  })

  it('ends with its own events, not with those of its steps', () => {
    const state = folded(aPlanner())
    expect(state.steps.get('step_plan')).toMatchObject({ state: 'SUCCESS', plan: { state: 'SUCCESS' } })
    expect(state.steps.get('sub_3')).toMatchObject({ state: 'ERROR', parent: 'step_plan' })
    expect(state.state).toBe('SUCCESS')
  })

  it('costs what its steps cost', () => {
    const state = folded(aPlanner())
    const plan = state.steps.get('step_plan')
    expect(plan && usageWithin(state, plan)).toMatchObject({ input_tokens: 37, output_tokens: 17 })
    expect(state.usage.input_tokens).toBe(37)
  })
})

/** What a model says in one round, and how the log and the previews tell it. */
interface Spoken {
  readonly lines: readonly Line[]
  /** The texts of its tries. */
  readonly tries: readonly string[]
  /** Pieces as they went out, each with the number of lines written before it. */
  readonly pieces: readonly { readonly after: number; readonly preview: TextPreview }[]
}

const speech = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀'), minLength: 1, maxLength: 6 }),
  {
    minLength: 1,
    maxLength: 8,
  },
)

/** Each try in signs of its own, so that a mix of two shows. */
const SIGNS = ['ab 😀', 'cd-🎈', 'ef.🌍']
const inSigns = (words: readonly string[], number: number) =>
  words.map((word) =>
    [...word].map((sign) => [...(SIGNS[number] ?? '')][[...(SIGNS[0] ?? '')].indexOf(sign)]).join(''),
  )

/** A round: some words, stored now and then; at `crash` the worker dies and the round begins again with other words. */
function spoken(call: string, tries: readonly (readonly string[])[], every: number): Spoken {
  const lines: Line[] = [[0, 'a', 'LLM_REQUEST', { call, model: 'm', messages: [QUERY] }]]
  const pieces: { after: number; preview: TextPreview }[] = []
  const texts = tries.map(inSigns)
  texts.forEach((words, number) => {
    let stored = 0
    let reply = ''
    const length = (text: string) => [...text].length
    words.forEach((word, index) => {
      const preview = {
        step: 'step_a',
        call,
        attempt: 1,
        channel: 'text',
        offset: length(reply),
        delta: word,
      }
      pieces.push({ after: lines.length, preview })
      reply += word
      const last = number === texts.length - 1 && index === words.length - 1
      if ((index + 1) % every !== 0 && !last) return
      const text = [...reply].slice(stored).join('')
      lines.push([0, 'a', 'TEXT_ADD', { call, text, offset: stored, channel: 'text' }])
      stored = length(reply)
    })
  })
  const text = texts.at(-1)?.join('') ?? ''
  lines.push([0, 'a', 'LLM_RESPONSE', { call, text, tool_calls: [], usage: {}, ms: 1 }])
  return { lines, pieces, tries: texts.map((words) => words.join('')) }
}

const rounds = fc.array(
  fc.tuple(fc.array(speech, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 4 })),
  { minLength: 1, maxLength: 3 },
)

describe('a run that streams', () => {
  it('is the same live, after a reload at any event, and in history, whatever previews come when', () => {
    fc.assert(
      fc.property(
        rounds,
        fc.nat(),
        fc.infiniteStream(fc.constantFrom('drop', 'now', 'late', 'early')),
        (talk, split, luck) => {
          const all = talk.map(([tries, every], index) => spoken(`round:${index + 1}`, tries, every))
          const lines: Line[] = [[0, 'a', 'STEP_INIT', { attempt: 1 }]]
          const pieces: { after: number; preview: TextPreview }[] = []
          for (const spoken of all) {
            for (const piece of spoken.pieces) pieces.push({ ...piece, after: piece.after + lines.length })
            lines.push(...spoken.lines)
          }
          const log = logOf(lines)
          const from = split % (log.length + 1)
          const { feed, view, frame } = still()
          feed.take(log.slice(0, from))
          frame()
          const due: TextPreview[][] = log.map(() => [])
          due.push([])
          let before = 0
          for (const { after, preview } of pieces) {
            const how = luck.next().value
            // late or early against the log, but one after the other; the beginning of a try is heard or all before it is not
            const when = Math.max(before, after + (how === 'late' ? 2 : how === 'early' ? -1 : 0))
            before = when
            if ((how === 'drop' && preview.offset > 0) || when < from) continue
            due[Math.min(when, log.length)]?.push(preview)
          }
          for (let index = from; index <= log.length; index++) {
            feed.preview(due[index] ?? [])
            frame()
            const step = view.state.steps.get('step_a')
            for (const call of step?.llmCalls ?? []) {
              const shown = step ? view.textOf(step, call) : ''
              // never less than what is stored, and never with a hole or a mix of two tries
              expect(shown.startsWith(call.text)).toBe(true)
              const tries = all[Number(call.call.slice(6)) - 1]?.tries ?? []
              expect(tries.some((text) => text.startsWith(shown))).toBe(true)
            }
            feed.take(log.slice(index, index + 1))
            frame()
          }
          const whole = folded(log)
          expect(view.state).toEqual(whole)
          const step = view.state.steps.get('step_a')
          for (const call of step?.llmCalls ?? []) expect(step && view.textOf(step, call)).toBe(call.text)
          const reloaded = still()
          reloaded.feed.take(log)
          reloaded.frame()
          expect(reloaded.view.nodeRun('a')).toEqual(view.nodeRun('a'))
          view.scrubTo(from)
          expect(view.state).toEqual(folded(log.slice(0, from)))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('goes on smoothly where the page was opened in the middle', () => {
    const { feed, view, frame } = still()
    const log = logOf([
      [0, 'a', 'STEP_INIT', { attempt: 1 }],
      [1, 'a', 'LLM_REQUEST', { call: 'c', messages: [] }],
      [2, 'a', 'TEXT_ADD', { call: 'c', text: 'Once ', offset: 0, channel: 'text' }],
      [3, 'a', 'TEXT_ADD', { call: 'c', text: 'upon ', offset: 5, channel: 'text' }],
    ])
    const piece = (offset: number, delta: string) => ({
      step: 'step_a',
      call: 'c',
      attempt: 1,
      offset,
      delta,
    })
    feed.take(log.slice(0, 3))
    feed.preview([piece(8, 'n '), piece(10, 'a '), piece(12, 'time')])
    frame()
    expect(view.nodeRun('a')?.text).toBe('Once ')
    feed.take(log.slice(3))
    frame()
    expect(view.nodeRun('a')?.text).toBe('Once upon a time')
  })

  it('tells what it thinks until it speaks, and what it calls', () => {
    const { feed, view, frame } = still()
    const log = anAgent()
    feed.take(log.slice(0, 7))
    feed.preview([
      { step: 'step_agent', call: 'round:1', attempt: 1, offset: 0, delta: 'Hmm', channel: 'reasoning' },
    ])
    frame()
    expect(view.nodeRun('agent')).toMatchObject({ talks: true, text: null, thinking: 'Hmm' })
    feed.take(log.slice(7, 12))
    frame()
    expect(view.nodeRun('agent')).toMatchObject({
      calling: 'git/git_show',
      calls: 2,
      tokens: 120,
      cost: 0.001,
    })
    feed.take(log.slice(12))
    frame()
    expect(view.nodeRun('agent')).toMatchObject({ status: 'succeeded', calling: null, calls: 0, tokens: 540 })
  })
})
