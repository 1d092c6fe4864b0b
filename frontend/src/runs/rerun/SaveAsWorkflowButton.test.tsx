import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import { RunViewProvider, useRunFold } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { aPlanner } from '@/live/talks.testing'
import { StepDetail } from '@/runs/step/StepDetail'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'

function Shown({ id }: { id: string }) {
  const fold = useRunFold()
  const step = fold?.steps.get(id)
  return fold && step ? <StepDetail step={step} fold={fold} title="The step" /> : null
}

function open({ until, role = 'editor' }: { until?: string; role?: Role } = {}) {
  const server = new FakeServer().on('GET /api/interactions', { body: { results: [], next: null } })
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const view = new RunView(feed)
  view.attach()
  const events = aPlanner()
  const end = until === undefined ? events.length : events.findIndex((event) => event.type === until)
  feed.take(events.slice(0, end))
  for (const flush of due.splice(0)) flush()
  show(
    <RunViewProvider view={view}>
      <Shown id="step_plan" />
      <Toasts />
    </RunViewProvider>,
    role,
  )
  return { server, user: userEvent.setup() }
}

const button = () => screen.queryByRole('button', { name: 'Save as workflow' })

describe('keeping a step as a workflow', () => {
  it('makes it and offers to open it', async () => {
    const { server, user } = open()
    server.on('POST /api/runs/r/keep', { status: 201, body: { id: 'wf_1', name: 'Meetings: Plan' } })
    await user.click(button() as HTMLElement)
    expect(await screen.findByText('“Meetings: Plan” was created from this run.')).toBeTruthy()
    expect(server.to('POST /api/runs/r/keep')[0]?.body).toEqual({ node: 'plan' })
    await user.click(screen.getByRole('button', { name: 'Open it' }))
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_1'))
  })

  it('says why it cannot', async () => {
    const { server, user } = open()
    server.on('POST /api/runs/r/keep', refusal(409, 'CONFLICT'))
    await user.click(button() as HTMLElement)
    const toast = (await screen.findByText('CONFLICT in words.')).closest<HTMLElement>('.toast')
    // taken away: it would stand on the next page, too
    await user.click(within(toast as HTMLElement).getByRole('button', { name: 'Dismiss' }))
    await waitFor(() => expect(screen.queryByText('CONFLICT in words.')).toBeNull())
  })

  it('is offered once the step has succeeded, and to those who may edit', () => {
    open({ until: 'FLOW_SUCCESS' })
    expect(button()).toBeNull()
  })

  it('is not offered to those who only look', () => {
    open({ role: 'viewer' })
    expect(button()).toBeNull()
  })
})
