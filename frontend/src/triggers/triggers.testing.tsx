/** The pages of the triggers over an API that answers by what it is asked. */
import userEvent from '@testing-library/user-event'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Role } from '@/api/queries'
import type { Delivery, NewTrigger, Trigger } from '@/api/triggers'
import { FakeServer, show } from '@/testing/server'
import { Toasts } from '@/ui'
import TriggersPage from './TriggersPage'

const WEBHOOK = {
  methods: ['POST'],
  verify: { kind: 'none' },
  inputs: null,
  key: null,
  answer: { mode: 'accepted' },
}

export const SCHEDULE = {
  cron: '30 8 * * 1-5',
  every_s: null,
  at: null,
  timezone: 'Europe/Oslo',
  overlap: 'skip',
  missed: 'last',
  inputs: {},
}

export function aTrigger(change: Partial<Trigger> = {}): Trigger {
  return {
    id: 'trg_1',
    workflow: 'wf_1',
    workflow_name: 'Support triage',
    kind: 'webhook',
    name: 'GitHub issues',
    enabled: true,
    config: WEBHOOK,
    acts_as: 'owner@example.org',
    off_reason: null,
    off_at: null,
    address_end: '4xWc',
    next_at: null,
    next: [],
    last: null,
    created_by: 'owner@example.org',
    created_at: '2026-11-20T08:00:00Z',
    updated_at: '2026-11-20T08:00:00Z',
    ...change,
  }
}

export const aSchedule = (change: Partial<Trigger> = {}): Trigger =>
  aTrigger({ kind: 'schedule', name: 'Weekday sweep', config: SCHEDULE, address_end: null, ...change })

export const addressed = (change: Partial<NewTrigger> = {}): NewTrigger => ({
  ...aTrigger(),
  url: 'https://patchbay.example.org/hooks/token4xWc',
  ...change,
})

export function aDelivery(change: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1',
    at: '2026-11-25T08:30:00Z',
    slot: null,
    outcome: 'started',
    status: 202,
    error: null,
    run: 'run_abcdef',
    run_state: 'SUCCESS',
    waits_for_person: false,
    waits_for_client: false,
    replay_of: null,
    request: { method: 'POST', body: { action: 'opened' } },
    size: null,
    ...change,
  }
}

/** A page at an address, with what the API has. */
export function atPage(path: string, triggers: readonly Trigger[], role: Role = 'admin') {
  const workflows = [
    { id: 'wf_1', name: 'Support triage' },
    { id: 'wf_2', name: 'Nightly audit' },
  ]
  const server = new FakeServer()
    .on('GET /api/triggers', { body: { results: triggers, next: null } })
    .on('GET /api/workflows/wf_1/triggers', { body: { results: triggers, next: null } })
    .on('GET /api/workflows', { body: { results: workflows, next: null } })
    .on('GET /api/workflows/wf_1', { body: { id: 'wf_1', draft: { revision: 1, graph: graphOf('issue') } } })
    .on('GET /api/secrets', { body: { results: [{ name: 'github_hook', hint: '…', hosts: [] }] } })
  for (const trigger of triggers) {
    server
      .on(`GET /api/triggers/${trigger.id}`, { body: trigger })
      .on(`GET /api/triggers/${trigger.id}/deliveries`, { body: { results: [], next: null } })
  }
  const location = memoryLocation({ path, record: true })
  show(
    <Router hook={location.hook} searchHook={location.searchHook}>
      <Route path="/triggers/:id?" component={TriggersPage} />
      <Toasts />
    </Router>,
    role,
  )
  return { server, user: userEvent.setup(), place: () => location.history.at(-1) }
}

const graphOf = (input: string) => ({
  nodes: [
    { id: 'start', type: 'start', config: { inputs: { properties: { [input]: { type: 'string' } } } } },
  ],
  edges: [],
})
