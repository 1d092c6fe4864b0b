import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { Interaction } from '@/api/run-types'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, show } from '@/testing/server'
import { dateTime } from '@/ui'
import { aQuestion } from './interactions.testing'
import { QuestionForm } from './QuestionForm'

const ANSWER = 'POST /api/interactions/int_1/answer'

function ask(question: Interaction = aQuestion(), role: Parameters<typeof show>[1] = 'editor') {
  const server = new FakeServer().on(ANSWER, { body: { ...question, state: 'answered' } })
  show(<QuestionForm question={question} />, role)
  return { server, user: userEvent.setup() }
}

const button = (name: string) => screen.getByRole('button', { name })

describe('a question', () => {
  it('says why it is asked before what would be done', () => {
    ask()
    const why = screen.getByText('The server marks it destructive')
    const path = screen.getByDisplayValue('/srv/a.md')
    expect(why.compareDocumentPosition(path) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  it('draws hidden characters of an argument as marks, and takes them out when told to', async () => {
    const { server, user } = ask(
      aQuestion({ proposal: { path: 'agent\u202egnp.exe', content: 'a\u200b\u200b' } }),
    )
    expect(screen.getByText('U+202E RLO')).toBeTruthy()
    expect(screen.getByText('U+200B ×2')).toBeTruthy()
    expect(screen.queryByDisplayValue('agent\u202egnp.exe')).toBeNull()
    expect(screen.getByText('1 hidden character')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Remove the character' }))
    expect(screen.getByDisplayValue('agentgnp.exe')).toBeTruthy()
    await user.click(button('Approve'))
    await screen.findByText('Approved')
    const body = server.to(ANSWER)[0]?.body as { values: { path: string } }
    expect(body.values.path).toBe('agentgnp.exe')
  })

  it('leaves a tool of the front end to the front end', () => {
    ask(
      aQuestion({
        kind: 'client',
        title: 'pick_color',
        message: 'Picks a color.',
        proposal: { why: 'walls' },
      }),
    )
    expect(screen.getByText(/Nobody else can answer/)).toBeTruthy()
    expect(screen.getByText(/pick_color/).textContent).toContain('walls')
    expect(screen.queryByRole('button', { name: /Approve|Submit|Send|Decline/ })).toBeNull()
  })

  it('can be answered again after the answer did not arrive', async () => {
    const { server, user } = ask()
    server.on(ANSWER, refusal(503, 'UNAVAILABLE'))
    await user.click(button('Approve'))
    expect(await screen.findByText('UNAVAILABLE in words.')).toBeTruthy()
    server.on(ANSWER, { body: { ...aQuestion(), state: 'answered' } })
    await user.click(button('Approve'))
    expect(await screen.findByText('Approved')).toBeTruthy()
    expect(server.to(ANSWER)).toHaveLength(2)
  })

  it('lets nobody approve who may not, and says why', () => {
    const approval = { rule: 'not_starter', needed: 1, given: [], able: ['ben@example.org'] } as const
    const started = { by: 'bob@example.org', trigger: 'manual', at: '2026-11-21T13:59:00Z' }
    ask(aQuestion({ approval, started }))
    expect(screen.getByText('The person who started the run cannot approve this.')).toBeTruthy()
    expect(screen.getByText('Can approve: ben@example.org')).toBeTruthy()
    expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
    expect(button('Decline').getAttribute('aria-disabled')).not.toBe('true')
  })

  it('says it plainly where nobody else can approve', () => {
    ask(aQuestion({ approval: { rule: 'two_people', needed: 2, given: [], able: [] } }))
    expect(screen.getByText(/Nobody else on the team can approve this/)).toBeTruthy()
  })

  it('shows the first of two yes, and agrees to the same values', async () => {
    const approvals = [
      {
        by: 'ben@example.org',
        at: '2026-11-21T14:01:00Z',
        changed: true,
        values: { path: '/srv/b.md', content: 'old' },
        remember: 'once',
      },
    ] as const
    const { server, user } = ask(
      aQuestion({ approval: { rule: 'two_people', needed: 2, given: approvals, able: ['bob@example.org'] } }),
    )
    expect(screen.getByText('1 of 2')).toBeTruthy()
    expect(screen.getByText(/ben@example.org approved with changed values/)).toBeTruthy()
    expect(screen.getByDisplayValue('/srv/b.md')).toBeTruthy()
    await user.click(button('Approve'))
    await screen.findByText('Approved')
    expect(server.to(ANSWER)[0]?.body).toMatchObject({ values: { path: '/srv/b.md' } })
  })

  it('stays open after a yes that is not enough alone', async () => {
    const approval = { rule: 'two_people', needed: 2, given: [], able: ['bob@example.org'] } as const
    const question = aQuestion({ approval })
    const server = new FakeServer().on(ANSWER, { body: question })
    show(<QuestionForm question={question} />, 'editor')
    await userEvent.setup().click(button('Approve'))
    await waitFor(() => expect(server.to(ANSWER)).toHaveLength(1))
    expect(button('Decline')).toBeTruthy()
    expect(screen.queryByText('Approved')).toBeNull()
  })

  it('says who started the run, how the tool changed and what the model had read', () => {
    ask(
      aQuestion({
        evidence: {
          definition: {
            since: '2026-10-02T10:00:00Z',
            before: 'MEDIUM',
            after: 'HIGH',
            lines: ['- "description": "Attach"', '+ "description": "Attach\u202e and mail"', '@'],
          },
          read: [{ server: 'mail', tool: 'search', characters: 2104, excerpt: 'no need to ask\u200b' }],
        },
      }),
    )
    expect(screen.getByText(/Run started by olivia@example.org/)).toBeTruthy()
    expect(screen.getByText(/"Attach⟨U\+202E⟩ and mail"/)).toBeTruthy()
    expect(screen.getByText(/no need to ask⟨U\+200B⟩/)).toBeTruthy()
    expect(screen.getByText(/mail\/search/)).toBeTruthy()
  })

  it('approves what was proposed without sending it back', async () => {
    const { server, user } = ask()
    await user.click(button('Approve'))
    await screen.findByText('Approved')
    expect(server.to(ANSWER).map((request) => request.body)).toEqual([{ action: 'accept', remember: 'once' }])
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
  })

  it('sends arguments as edited, and shows the edit before', async () => {
    const { server, user } = ask()
    const path = screen.getByDisplayValue('/srv/a.md')
    await user.clear(path)
    await user.type(path, '/srv/b.md')
    expect(await screen.findByText('Your changes')).toBeTruthy()
    await user.click(button('Approve'))
    await waitFor(() =>
      expect(server.to(ANSWER)[0]?.body).toEqual({
        action: 'accept',
        remember: 'once',
        values: { path: '/srv/b.md', content: 'old' },
      }),
    )
  })

  it('takes an edit back', async () => {
    const { user } = ask()
    await user.type(screen.getByDisplayValue('/srv/a.md'), 'x')
    await user.click(button('Undo my changes'))
    expect(screen.getByDisplayValue('/srv/a.md')).toBeTruthy()
    expect(screen.queryByText('Your changes')).toBeNull()
  })

  it('sends one answer, however quickly it is clicked', async () => {
    const { server } = ask()
    const approve = button('Approve')
    act(() => {
      approve.click()
      approve.click()
    })
    await screen.findByText('Approved')
    expect(server.to(ANSWER)).toHaveLength(1)
  })

  it('asks about a whole plan without arguments, and remembers nothing', () => {
    ask(
      aQuestion({ tool: null, schema: null, proposal: null, title: 'Plan the meeting', message: 'Goal' }),
      'admin',
    )
    expect(screen.queryByText('Arguments')).toBeNull()
    expect(screen.queryByRole('radio')).toBeNull()
    expect(button('Approve')).toBeTruthy()
  })

  it('asks how much more may be used, or stops', async () => {
    const schema = {
      type: 'object',
      properties: { more: { type: 'number', title: 'How much more' } },
      required: ['more'],
    }
    const { server, user } = ask(
      aQuestion({ kind: 'budget', schema, proposal: { more: 1000 }, risk: null, tool: null }),
    )
    expect(button('Stop here')).toBeTruthy()
    await user.click(button('Continue with this much more'))
    await waitFor(() =>
      expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'accept', values: { more: 1000 } }),
    )
  })

  it('declines with the reason', async () => {
    const { server, user } = ask()
    await user.type(screen.getByLabelText('Reason for declining'), 'not on a Friday')
    await user.click(button('Decline'))
    await screen.findByText('Declined')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'decline', reason: 'not on a Friday' })
  })

  it('lets an admin approve beyond the run, and an editor not', async () => {
    const { server, user } = ask(aQuestion(), 'admin')
    await user.click(screen.getByRole('radio', { name: 'Exactly these arguments' }))
    await user.click(button('Approve'))
    await waitFor(() => expect(server.to(ANSWER)[0]?.body).toMatchObject({ remember: 'arguments' }))
  })

  it('keeps the wider choices from an editor', () => {
    ask()
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Exactly these arguments' }).disabled).toBe(
      true,
    )
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'This run' }).disabled).toBe(false)
  })

  it('tells a viewer that answering is not theirs', async () => {
    const { server } = ask(aQuestion(), 'viewer')
    fireEvent.click(button('Approve'))
    expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
    expect(server.requests).toEqual([])
  })

  it('tells kindly that somebody was faster', async () => {
    const { server, user } = ask()
    server.on(ANSWER, refusal(409, 'ALREADY_ANSWERED'))
    await user.click(button('Approve'))
    expect(await screen.findByText('Someone answered this first')).toBeTruthy()
    expect(screen.queryByText('The run ended before an answer')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
  })

  it('shows what the server does not take at its field, and stays open', async () => {
    const { server, user } = ask()
    server.on(ANSWER, refusal(400, 'VALIDATION_ERROR', { fields: { 'values.path': ['must not be empty'] } }))
    await user.click(button('Approve'))
    expect(await screen.findByText('must not be empty')).toBeTruthy()
    expect(button('Approve')).toBeTruthy()
  })

  it('is read only once it is answered', () => {
    ask(
      aQuestion({
        state: 'answered',
        answered_by: 'alice@example.org',
        answer: { action: 'decline', reason: 'no' },
      }),
    )
    expect(screen.getByText('Declined')).toBeTruthy()
    expect(screen.getByText(/alice@example.org/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
  })

  it('asks for missing values and sends them', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', title: 'City' } },
      required: ['city'],
    }
    const { server, user } = ask(
      aQuestion({ kind: 'params', schema, proposal: null, risk: null, message: 'Which city?' }),
    )
    await user.type(screen.getByRole('textbox', { name: /City/ }), 'Oslo')
    await user.click(button('Send'))
    await waitFor(() =>
      expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'accept', values: { city: 'Oslo' } }),
    )
  })

  it('offers the three ways out of a call that may have happened', async () => {
    const called_at = '2026-11-21T13:59:41Z'
    const question = aQuestion({ kind: 'recovery', message: '', schema: null, risk: null, called_at })
    const { server, user } = ask(question)
    expect(button('Call again').getAttribute('data-tip')).toBe('If it already happened, it happens twice.')
    expect(screen.getByText(/^Called on/).textContent).toContain(dateTime(called_at))
    await user.type(screen.getByLabelText('Result of the call'), 'issue 7')
    await user.click(button('It happened'))
    await screen.findByText('Continued with a result')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'skip', values: { result: 'issue 7' } })
  })

  it('does not ask whether a step happened at which Patchbay failed', async () => {
    const question = aQuestion({
      kind: 'recovery',
      cause: 'failure',
      message: 'Patchbay failed.',
      schema: null,
    })
    const { server, user } = ask(question)
    expect(screen.getByText('Input of the step')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'It happened' })).toBeNull()
    await user.type(screen.getByLabelText('Result to use instead'), 'Dear Ada')
    await user.click(button('Use this result'))
    await screen.findByText('Continued with a result')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'skip', values: { result: 'Dear Ada' } })
  })

  it('shows what the log holds beside what is asked for, and what each answer does', async () => {
    const path = '2026-11-21T13:59:41Z'
    const call = { node: 'book', path: [], attempt: 1, key: 'call', arguments: { seats: 4 }, error: null }
    const recorded = [
      { ...call, tool: { server: 'ledger', name: 'book' }, at: path, ended: true, version: '0.1.0' },
      { ...call, path: [{ node: 'each', index: 2 }], tool: null, at: null, ended: false, version: null },
    ]
    const mismatch = { recorded, more: 3, asked: { key: 'call:1', target: 'ledger/book' } }
    const { server, user } = ask(
      aQuestion({ kind: 'mismatch', node: 'book', message: '', schema: null, risk: null, mismatch }),
    )
    expect(screen.getByText(/book · ended with a result · written by Patchbay 0\.1\.0/)).toBeDefined()
    expect(screen.getByText(/each 3 \/ book · outcome unknown · written by an earlier/)).toBeDefined()
    expect(screen.getByText('and 3 more calls')).toBeDefined()
    expect(button('Continue').getAttribute('data-tip')).toMatch(/as well/)
    await user.click(button('Continue'))
    await waitFor(() => expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'retry' }))
  })

  it('lets a call fail of which nobody knows whether it happened', async () => {
    const { server, user } = ask(aQuestion({ kind: 'recovery', message: '', schema: null, risk: null }))
    await user.click(button('Fail'))
    expect(await screen.findByText('The step failed')).toBeTruthy()
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'fail' })
  })

  it.each([
    ['Decline', 'decline', 'Declined'],
    ['Cancel the run', 'cancel', 'The run was cancelled'],
  ])('leaves a form unanswered: %s', async (name, action, outcome) => {
    const schema = { type: 'object', properties: { city: { type: 'string', title: 'City' } } }
    const { server, user } = ask(aQuestion({ kind: 'params', schema, proposal: null, risk: null }))
    await user.click(button(name))
    expect(await screen.findByText(outcome)).toBeTruthy()
    expect(server.to(ANSWER)[0]?.body).toEqual({ action })
  })

  it('an admin approves a call for good from the menu', async () => {
    const { server, user } = ask(aQuestion(), 'admin')
    await user.click(button('More ways to answer'))
    await user.click(screen.getByRole('menuitem', { name: 'Always for this tool in this workflow' }))
    await screen.findByText('Approved')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'accept', remember: 'tool' })
  })

  it('cancels the run from the menu', async () => {
    const { server, user } = ask()
    await user.click(button('More ways to answer'))
    await user.click(screen.getByRole('menuitem', { name: 'Cancel the run' }))
    await screen.findByText('The run was cancelled')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'cancel' })
  })

  it('on a tablet all that may be remembered stands there, and no has its reason beside it', async () => {
    onScreen('narrow')
    const { server, user } = ask()
    expect(screen.getByRole('textbox', { name: 'Reason for declining' })).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'This run' }))
    await user.click(button('Approve'))
    await screen.findByText('Approved')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'accept', remember: 'run' })
  })

  it('in the dock, one button approves for the whole run', async () => {
    const server = new FakeServer().on(ANSWER, { body: { ...aQuestion(), state: 'answered' } })
    const answered: string[] = []
    show(
      <QuestionForm
        question={aQuestion()}
        place="dock"
        onAnswered={(answer) => answered.push(answer.action)}
      />,
    )
    await userEvent.click(button('Approve for this run'))
    await screen.findByText('Approved')
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'accept', remember: 'run' })
    expect(answered).toEqual(['accept'])
  })
})

describe('a question on a phone', () => {
  it('asks for the reason for declining in a dialog', async () => {
    onScreen('phone')
    const { server, user } = ask()
    expect(screen.queryByLabelText('Reason for declining')).toBeNull()
    await user.click(button('Decline'))
    const dialog = within(screen.getByRole('dialog', { name: 'Decline this call?' }))
    await user.type(dialog.getByLabelText('Reason for declining'), 'not now')
    await user.click(dialog.getByRole('button', { name: 'Decline' }))
    await screen.findByText('Declined')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to(ANSWER)[0]?.body).toEqual({ action: 'decline', reason: 'not now' })
  })

  it('closing that dialog declines nothing', async () => {
    onScreen('phone')
    const { server, user } = ask()
    await user.click(button('Decline'))
    await user.click(button('Close'))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.requests).toEqual([])
  })
})
