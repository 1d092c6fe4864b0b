import { act, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { aQuestion } from '@/interactions/interactions.testing'
import { logOf } from '@/live/fold.testing'
import { RunsProvider, type RunsSource, RunViewProvider, useRunFold } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { anAgent, aPlanner } from '@/live/talks.testing'
import { StepDetail } from '@/runs/step/StepDetail'
import { FakeServer, show } from '@/testing/server'

function Shown({ id }: { id: string }) {
  const fold = useRunFold()
  const step = fold?.steps.get(id)
  return fold && step ? <StepDetail step={step} fold={fold} title="The step" /> : null
}

function open(events: readonly RunEvent[], id = 'step_agent') {
  const server = new FakeServer().on('GET /api/interactions', {
    body: { results: [aQuestion({ id: 'int_c', answered_by: 'bob@example.org' })], next: null },
  })
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  const view = new RunView(feed)
  view.attach()
  feed.take(events)
  frame()
  show(
    <RunViewProvider view={view}>
      <Shown id={id} />
    </RunViewProvider>,
  )
  return { server, feed, frame: () => act(frame), user: userEvent.setup() }
}

const step = () => screen.getByRole('region', { name: 'The step' })

describe("an agent's step", () => {
  // jsdom lays nothing out, so the list is told how high it is.
  beforeEach(() => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(4000)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('unfolds into what was said and called, with time, tokens and cost', () => {
    open(anAgent())
    const rows = within(screen.getByRole('region', { name: 'Messages and calls' })).getAllByRole('listitem')
    const text = rows.map((row) => row.textContent ?? '')
    expect(text[0]).toContain('You keep the changelog.')
    expect(text[2]).toContain('Round 1379 ms120 tokens$0.0010')
    expect(text[2]).toContain('Attempt 1 failed: LLM_RATE_LIMITED, retried after 1.0 s')
    expect(text.at(-2)).toContain('I added two lines.')
    expect(within(step()).getByText(/450 in, 90 out · \$0.0060/)).toBeTruthy()
  })

  it('folds the reasoning away', async () => {
    const { user } = open(anAgent())
    expect(screen.queryByText('Two commits.')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Reasoning' }))
    expect(screen.getByText('Two commits.')).toBeTruthy()
  })

  it('tells of a call who let it, what was changed and what came out', async () => {
    const { user } = open(anAgent())
    await user.click(screen.getByRole('button', { name: /fs\/edit_file/ }))
    expect(await screen.findByText('Approved by bob@example.org with other arguments')).toBeTruthy()
    expect(screen.getByText('written')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /fs\/delete/ }))
    expect(screen.getByText('“keep it”')).toBeTruthy()
  })

  it('says why a call was not made', async () => {
    const { user } = open(anAgent())
    await user.click(screen.getByRole('button', { name: /fs__fly/ }))
    expect(screen.getByText('It was not called. The model was told:')).toBeTruthy()
    expect(screen.getByText('The arguments are not JSON.')).toBeTruthy()
  })

  it('streams text and thoughts', () => {
    const { feed, frame } = open(anAgent().slice(0, 7))
    const piece = { step: 'step_agent', call: 'round:1', attempt: 1, offset: 0 }
    feed.preview([{ ...piece, delta: 'Let me see', channel: 'reasoning' }])
    frame()
    expect(screen.getByText('Let me see')).toBeTruthy()
    feed.preview([{ ...piece, delta: 'First **I** lo' }])
    frame()
    expect(screen.getByText('I').tagName).toBe('STRONG')
    expect(screen.queryByText('Let me see')).toBeNull()
  })

  it('renders what a model says without a picture, a script or a tag of it', () => {
    const evil =
      '<img src=x onerror=alert(1)> ![p](https://a.example/p.png) [go](javascript:alert(1)) [ok](https://b.example)'
    open(
      logOf([
        [0, 'agent', 'STEP_INIT', { attempt: 1 }],
        [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [] }],
        [2, 'agent', 'LLM_RESPONSE', { call: 'round:1', text: evil, tool_calls: [] }],
      ]),
    )
    expect(step().querySelector('img, script, iframe')).toBeNull()
    const links = within(step()).getAllByRole<HTMLAnchorElement>('link')
    expect(links.map((link) => [link.textContent, link.rel])).toEqual([
      ['p (a.example)', 'noopener noreferrer nofollow'],
      ['ok (b.example)', 'noopener noreferrer nofollow'],
    ])
  })

  it('shows what a text hides, and lays nothing of it over the page', () => {
    const evil =
      'Pay \u202Eecila <div style="position:fixed;inset:0">Sign in again</div><form action="//a.example">'
    open(
      logOf([
        [0, 'agent', 'STEP_INIT', { attempt: 1 }],
        [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [] }],
        [2, 'agent', 'LLM_RESPONSE', { call: 'round:1', text: evil, tool_calls: [] }],
      ]),
    )
    expect(step().textContent).toContain('Pay ⟨U+202E⟩ecila <div style="position:fixed;inset:0">')
    expect(step().querySelector('form, [style*="fixed"]')).toBeNull()
  })
})

it('says of a step that failed before it had one that there is no input', () => {
  open(
    logOf([
      [0, 'text', 'STEP_INIT', { attempt: 1 }],
      [1, 'text', 'STEP_ERROR', { code: 'TEMPLATE_ERROR', message: 'An expression has no value.' }],
    ]),
    'step_text',
  )
  expect(step().textContent).toContain('The step ended before its input was complete.')
  expect(screen.queryByText('not yet')).toBeNull()
})

describe('a long conversation', () => {
  beforeEach(() => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(4000)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const spoken = (text: string): RunEvent[] =>
    logOf([
      [0, 'agent', 'STEP_INIT', { attempt: 1 }],
      [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [{ role: 'user', content: text }] }],
      [2, 'agent', 'LLM_RESPONSE', { call: 'round:1', text: 'Yes.', tool_calls: [] }],
    ])

  it('is expanded and collapsed as a whole', async () => {
    const { user } = open(anAgent())
    expect(screen.queryByText('Two commits.')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Expand all' }))
    expect(screen.getByText('Two commits.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Collapse all' }))
    expect(screen.queryByText('Two commits.')).toBeNull()
  })

  it('offers the way to its end once it is scrolled away from it', async () => {
    vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(9000)
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(40)
    const { user } = open(anAgent())
    const list = screen.getByRole('region', { name: 'Messages and calls' })
    list.scrollTo = (to?: ScrollToOptions | number) => {
      list.scrollTop = typeof to === 'object' ? (to.top ?? 0) : 0
    }
    expect(screen.queryByRole('button', { name: 'Go to the end' })).toBeNull()
    list.scrollTop = 0
    fireEvent.scroll(list)
    await user.click(screen.getByRole('button', { name: 'Go to the end' }))
    expect(list.scrollTop).toBeGreaterThan(0)
  })

  it('shows the whole of a long message on demand', async () => {
    const { user } = open(spoken(`Look at this. ${'word '.repeat(60)}`))
    await user.click(screen.getByRole('button', { name: 'Show all' }))
    await user.click(screen.getByRole('button', { name: 'Show less' }))
    expect(screen.getByRole('button', { name: 'Show all' })).toBeTruthy()
  })

  it('shows messages that are stored elsewhere on demand', async () => {
    const messages = { $ref: 'blob_1', size: 3000, preview: '[' }
    const { server, user } = open(
      logOf([
        [0, 'agent', 'STEP_INIT', { attempt: 1 }],
        [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages }],
      ]),
    )
    server.on('GET /api/files/blob_1', { body: [{ role: 'user', content: 'Stored words' }] })
    await user.click(screen.getByRole('button', { name: /^Sent to the model/ }))
    expect(await screen.findByText(/Stored words/)).toBeTruthy()
  })

  it('shows twenty calls of a round, and the others on demand', async () => {
    const calls = Array.from({ length: 22 }, (_, n) => ({
      id: `${n}`,
      name: `fs__read_${n}`,
      arguments: '{}',
    }))
    const { user } = open(
      logOf([
        [0, 'agent', 'STEP_INIT', { attempt: 1 }],
        [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [] }],
        [2, 'agent', 'LLM_RESPONSE', { call: 'round:1', text: '', tool_calls: calls }],
      ]),
    )
    expect(screen.queryByRole('button', { name: /fs__read_21/ })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show 2 more calls' }))
    expect(screen.getByRole('button', { name: /fs__read_21/ })).toBeTruthy()
  })

  it('repeats the output below itself on demand, as a tree or as JSON', async () => {
    const { user } = open(anAgent())
    await user.click(screen.getByRole('button', { name: 'Output' }))
    await user.click(screen.getByRole('radio', { name: 'JSON' }))
    expect(screen.getByText(/"iterations": 2/)).toBeTruthy()
  })

  it('is shown as the events it is made of', async () => {
    const { user } = open(anAgent())
    await user.click(screen.getByRole('radio', { name: 'Raw' }))
    expect(screen.queryByRole('region', { name: 'Messages and calls' })).toBeNull()
    expect(screen.getByText(/"type": "STEP_INIT"/)).toBeTruthy()
  })
})

describe('a step that started a run', () => {
  beforeEach(() => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(600)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it("unfolds that run's steps in place", async () => {
    const server = new FakeServer().on('GET /api/runs/run_2', {
      body: { id: 'run_2', graph: { nodes: [{ id: 'agent', title: 'The inner agent' }] } },
    })
    server.on('GET /api/interactions', { body: { results: [], next: null } })
    const views = new Map(
      Object.entries({
        r: logOf([
          [0, 'ask', 'STEP_INIT', { attempt: 1 }],
          [1, 'ask', 'STEP_LOG', { level: 'info', text: 'started', run: 'run_2' }],
        ]),
        run_2: anAgent(),
      }).map(([run, events]) => {
        const feed = new RunFeed(run, null, (flush) => flush())
        feed.take(events)
        return [run, new RunView(feed)]
      }),
    )
    const find = (run: string) => views.get(run) as RunView
    const source: RunsSource = { open: find, load: () => Promise.resolve(find) }
    show(
      <RunsProvider source={source}>
        <RunViewProvider view={find('r')}>
          <Shown id="step_ask" />
        </RunViewProvider>
      </RunsProvider>,
    )
    const user = userEvent.setup()
    expect(screen.getByRole('link', { name: 'Open the run it started' }).getAttribute('href')).toBe(
      '/runs/run_2',
    )
    await user.click(screen.getByRole('button', { name: 'Its steps' }))
    await user.click(await screen.findByRole('treeitem', { name: /^The inner agent/ }))
    expect(screen.getByRole('region', { name: 'The inner agent' })).toBeTruthy()
    expect(screen.getByText('You keep the changelog.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Close the step' }))
    expect(screen.queryByRole('region', { name: 'The inner agent' })).toBeNull()
  })
})

describe("a planner's step", () => {
  it('shows the plan: its risk, its steps with their states, its summary', async () => {
    const { user } = open(aPlanner(), 'step_plan')
    expect(screen.getByRole('heading', { name: 'Meeting' })).toBeTruthy()
    expect(screen.getByText('It writes to a calendar.')).toBeTruthy()
    const steps = within(screen.getByRole('list', { name: 'Steps of the plan' })).getAllByRole('listitem')
    expect(steps.map((step) => within(step).getAllByRole('button')[0]?.textContent)).toEqual([
      '1Who is in the teampeople/findSucceeded41 ms',
      '2Make the eventcreateSucceeded4.9 s',
      '3Tell everyoneFailed10 ms',
    ])
    expect(screen.getByText('The meeting is made.')).toBeTruthy()
    await user.click(within(steps[0] as HTMLElement).getByRole('button'))
    expect(within(steps[0] as HTMLElement).getByText('Ann')).toBeTruthy()
  })

  it('shows what the planner learned, and not as lines of its log', () => {
    const events = aPlanner()
    const position = events.findIndex((event) => event.node === 'plan' && event.type === 'FLOW_START')
    const begun = events[position] as RunEvent
    const data = { level: 'info', text: 'Ann is in; room 5', facts: ['Ann is in', 'room 5'] }
    const fact = { ...begun, type: 'STEP_LOG', data } as RunEvent
    const log = [...events.slice(0, position + 1), fact, ...events.slice(position + 1)]
    open(
      log.map((event, index) => ({ ...event, seq: index + 1 })),
      'step_plan',
    )
    const shown = screen.getByRole('heading', { name: 'Facts' }).closest('section') as HTMLElement
    expect(
      within(shown)
        .getAllByRole('listitem')
        .map((element) => element.textContent),
    ).toEqual(['Ann is in', 'room 5'])
    expect(screen.queryByText('Ann is in; room 5')).toBeNull()
  })

  it('opens the step that needs a person', () => {
    const events = aPlanner()
    open(
      events.slice(
        0,
        events.findIndex((event) => event.type === 'FLOW_STOP'),
      ),
      'step_plan',
    )
    expect(screen.getByText('Needs values')).toBeTruthy()
    expect(screen.getByText('When does it begin?')).toBeTruthy()
  })

  it('shows what the model was asked about the plan as a whole', async () => {
    const { user } = open(aPlanner(), 'step_plan')
    expect(screen.queryByText('Name')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Requests to the model · 1 round' }))
    expect(screen.getByText('Name')).toBeTruthy()
  })

  it('shows what the model was asked about one step', async () => {
    const ask = { call: 'step:1/json:1', provider: 'p', model: 'm' }
    const events = aPlanner()
    const [begun] = events
    const at = events.findIndex((event) => event.data.call === 'name/json:1') + 2
    const lines = (type: string, data: Record<string, unknown>) =>
      ({ ...begun, type, node: 'plan', step: 'step_plan', data: { ...ask, ...data } }) as RunEvent
    const log = [
      ...events.slice(0, at),
      lines('LLM_REQUEST', { messages: [] }),
      lines('LLM_RESPONSE', { text: 'Find them first.', tool_calls: [] }),
      ...events.slice(at),
    ]
    const { user } = open(
      log.map((event, index) => ({ ...event, seq: index + 1 })),
      'step_plan',
    )
    const [first] = within(screen.getByRole('list', { name: 'Steps of the plan' })).getAllByRole('listitem')
    await user.click(within(first as HTMLElement).getByRole('button', { name: /Who is in the team/ }))
    expect(screen.queryByText('Find them first.')).toBeNull()
    await user.click(within(first as HTMLElement).getByRole('button', { name: /^Requests to the model/ }))
    expect(screen.getByText('Find them first.')).toBeTruthy()
  })
})
