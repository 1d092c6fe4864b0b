import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import { GraphProvider } from '@/graph/context'
import { patchNode } from '@/graph/edit/edits'
import { sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { HistoryDialog } from './HistoryDialog'
import { PublishDialog } from './PublishDialog'

const AT = '/api/workflows/wf_1'
const version = (number: number, note = '') => ({
  version: number,
  note,
  published_at: '2026-11-20T09:00:00Z',
  published_by: 'alice@example.org',
})
const revision = (number: number, current = false) => ({
  revision: number,
  by: current ? null : 'bob@example.org',
  at: '2026-11-21T09:00:00Z',
  current,
})

function history(role: Role = 'editor', versions = [version(2), version(1, 'The first.')]) {
  const server = new FakeServer()
    .on(`GET ${AT}/versions`, { body: { results: versions, next: null } })
    .on(`GET ${AT}/drafts`, { body: { results: [revision(5, true), revision(4)], next: null } })
  const done: string[] = []
  show(
    <>
      <HistoryDialog
        workflow="wf_1"
        published={2}
        onPublished={(number) => done.push(`published ${number}`)}
        onCompare={(address) => done.push(`compare ${address}`)}
        onShow={(number) => done.push(`show ${number}`)}
        onClose={() => done.push('close')}
      />
      <Toasts />
    </>,
    role,
  )
  return { server, done, user: userEvent.setup() }
}

describe('versions and drafts', () => {
  it('says who published which and when, and compares one with the draft', async () => {
    const { done, user } = history()
    const list = await screen.findByRole('list', { name: 'Versions' })
    const [second, first] = within(list).getAllByRole('listitem')
    expect(second?.textContent).toContain('published')
    expect(first?.textContent).toContain('alice@example.org · The first.')
    screen.getByRole('button', { name: 'Compare v2 with the draft' }).focus()
    await user.keyboard('{ArrowDown}{Enter}')
    expect(done).toEqual(['close', 'compare 1..draft'])
  })

  it('opens a version, and publishes an earlier one again', async () => {
    const { server, done, user } = history()
    await user.click(await screen.findByRole('button', { name: 'Open v1' }))
    expect(done).toEqual(['close', 'show 1'])
    server.on(`POST ${AT}/publish`, { status: 201, body: version(1) })
    expect(screen.queryByRole('button', { name: 'Publish v2 again' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Publish v1 again' }))
    await waitFor(() => expect(done).toContain('published 1'))
  })

  it('lists the drafts, of which the present one is compared with nothing', async () => {
    const { done, user } = history()
    await user.click(screen.getByRole('radio', { name: 'Drafts' }))
    const list = await screen.findByRole('list', { name: 'Drafts' })
    const [now, before] = within(list).getAllByRole('button')
    expect(now).toHaveProperty('disabled', true)
    expect(before?.textContent).toContain('bob@example.org')
    await user.click(before as HTMLElement)
    expect(done).toEqual(['close', 'compare r4..draft'])
  })

  it('is closed by its button', async () => {
    const { done, user } = history()
    await user.click(await screen.findByRole('button', { name: 'Close' }))
    expect(done).toEqual(['close'])
  })

  it('lets those who only look publish nothing', async () => {
    history('viewer')
    await screen.findByRole('list', { name: 'Versions' })
    expect(screen.queryByRole('button', { name: /Publish/ })).toBeNull()
  })

  it('says that there is none, and why they could not be read', async () => {
    const { server, user } = history('editor', [])
    expect(await screen.findByText('Nothing is published yet.')).toBeTruthy()
    server.on(`GET ${AT}/drafts`, refusal(500, 'INTERNAL'))
    await user.click(screen.getByRole('radio', { name: 'Drafts' }))
    const again = await screen.findByRole('button', { name: 'Try again' })
    expect(screen.getByText('This could not be loaded.')).toBeTruthy()
    server.on(`GET ${AT}/drafts`, { body: { results: [], next: null } })
    await user.click(again)
    expect(await screen.findByText('No draft is kept yet.')).toBeTruthy()
  })
})

const RESULT = { ok: true, version: null, at: '2026-11-22T01:00:00Z', ms: 4, nodes: [] }
const FAILED = {
  ...RESULT,
  ok: false,
  nodes: [{ node: 'say', title: 'Say', status: 'differs', missing: [] }],
}
const TEST = {
  id: 't1',
  name: 'Greets',
  run: 'r',
  created_by: null,
  created_at: '2026-11-22T01:00:00Z',
  result: null,
}

function publishing({
  tests = [TEST],
  result = RESULT as object,
  demanded = false,
  published = 2 as number | null,
  problems = 0,
} = {}) {
  const server = new FakeServer()
    .on(`GET ${AT}/versions`, { body: { results: [version(3), version(2)], next: null } })
    .on(`GET ${AT}/versions/2`, { body: { ...version(2), graph: sample() } })
    .on(`GET ${AT}/tests`, { body: { results: tests, next: null } })
    .on(`POST ${AT}/tests/t1/run`, { body: result })
    .on(`POST ${AT}/publish`, { status: 201, body: version(4) })
  const store = createGraphStore(patchNode(sample(), 'log', { title: 'Commits' }))
  const warning = { code: 'x', severity: 'warning', message: 'Mind this.' } as const
  store.getState().setProblems(Array.from({ length: problems }, () => warning))
  const done: string[] = []
  const saves: number[] = []
  show(
    <GraphProvider store={store}>
      <PublishDialog
        workflow="wf_1"
        published={published}
        demanded={demanded}
        onDemanded={(next) => done.push(`demanded ${next}`)}
        save={async () => saves.push(1)}
        onPublished={(number) => done.push(`published ${number}`)}
        onCompare={(address) => done.push(`compare ${address}`)}
        onShowProblems={() => done.push('problems')}
        onClose={() => done.push('close')}
      />
      <Toasts />
    </GraphProvider>,
  )
  return { server, done, saves, user: userEvent.setup() }
}

const button = () => screen.getByRole('button', { name: 'Publish' })

describe('publishing', () => {
  it('saves, plays the tests, says what differs, and publishes with a note', async () => {
    const { server, done, saves, user } = publishing()
    expect(await screen.findByText('1 of 1 passes')).toBeTruthy()
    expect(saves).toHaveLength(1)
    expect(screen.getByText(/becomes version 4/)).toBeTruthy()
    expect(screen.getByText('0 nodes added, 0 removed, 1 changed; 0 other changes.')).toBeTruthy()
    await user.type(screen.getByRole('textbox', { name: 'What changed (optional)' }), ' Titles ')
    await user.click(button())
    await waitFor(() => expect(done).toEqual(['close', 'published 4']))
    expect(server.to(`POST ${AT}/publish`)[0]?.body).toEqual({ note: 'Titles' })
  })

  it('is closed without publishing by its button', async () => {
    const { server, done, user } = publishing()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(done).toEqual(['close'])
    expect(server.to(`POST ${AT}/publish`)).toEqual([])
  })

  it('names the test that fails and its nodes, and lets one publish all the same', async () => {
    const { done, user } = publishing({ result: FAILED })
    expect(await screen.findByText('0 of 1 pass')).toBeTruthy()
    expect(await screen.findByText('1 node differs: Say')).toBeTruthy()
    await user.click(button())
    await waitFor(() => expect(done).toContain('published 4'))
  })

  it('waits for the tests where they are demanded, and is blocked by one that fails', async () => {
    const { server, user } = publishing({ result: FAILED, demanded: true })
    await waitFor(() => expect(button().dataset.tip).toBe('The saved tests must pass first'))
    fireEvent.click(button())
    expect(server.to(`POST ${AT}/publish`)).toEqual([])
    server.on(`POST ${AT}/tests/t1/run`, { body: RESULT })
    await user.click(screen.getByRole('button', { name: 'Play the tests again' }))
    await waitFor(() => expect(button().dataset.tip).toBeUndefined())
  })

  it('demands the tests, and says why that did not work', async () => {
    const { server, done, user } = publishing({ tests: [] })
    expect(await screen.findByText('none saved')).toBeTruthy()
    server.on(`PATCH ${AT}`, refusal(403, 'FORBIDDEN'))
    const box = screen.getByRole('checkbox', { name: /Saved tests must pass/ })
    await user.click(box)
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
    expect(done).toEqual([])
    server.on(`PATCH ${AT}`, { body: {} })
    await user.click(box)
    await waitFor(() => expect(done).toEqual(['demanded true']))
    expect(server.to(`PATCH ${AT}`).at(-1)?.body).toEqual({ tests_required: true })
  })

  it('leads to the comparison and to the problems', async () => {
    const { done, user } = publishing({ problems: 2 })
    expect(screen.getByText('2 warnings')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Compare' }))
    await user.click(screen.getByRole('button', { name: 'Show' }))
    expect(done).toEqual(['close', 'compare 2..draft', 'close', 'problems'])
  })

  it('says of the first version that it is the first', async () => {
    publishing({ published: null, tests: [] })
    expect(await screen.findByText('This is the first version.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Compare' })).toBeNull()
  })

  it('says why it was not published, and stays', async () => {
    const { server, done, user } = publishing({ tests: [] })
    await screen.findByText('none saved')
    server.on(`POST ${AT}/publish`, refusal(409, 'TESTS_FAILED'))
    await user.click(button())
    expect(await screen.findByText('TESTS_FAILED in words.')).toBeTruthy()
    expect(done).toEqual([])
  })
})
