import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { giveLayout } from '@/canvas/canvas.testing'
import { sample } from '@/graph/graph.testing'
import { onScreen } from '@/testing/screen'
import { refusal } from '@/testing/server'
import { chosen, draftNow, open, row, VERSION } from './compare.testing'

describe('comparing', () => {
  beforeEach(giveLayout)

  it('goes through the changes by J and K, swaps by X and leaves by Escape', async () => {
    const { addresses, user } = open()
    await row(/^Commits changed 3 fields/)
    await user.keyboard('j')
    expect(chosen()).toContain('answer')
    await user.keyboard('j')
    expect(chosen()).toContain('Commits')
    const detail = screen.getByRole('complementary', { name: 'Chosen change' })
    expect(within(detail).getByText('git_log')).toBeTruthy()
    expect(within(detail).getByText('git_show')).toBeTruthy()
    expect(screen.getByText('2 of 4: Commits, changed')).toBeTruthy()
    await user.keyboard('kk')
    expect(chosen()).toContain('Run budgets')
    await user.keyboard('x')
    expect(addresses).toEqual(['draft..1'])
    await row(/^answer added/)
    await user.keyboard('{Escape}')
    expect(screen.getByText('The editor')).toBeTruthy()
  })

  it('lists by arrow keys, and says what differs of an edge', async () => {
    const { user } = open()
    const first = await row(/^answer removed/)
    first.focus()
    await user.keyboard('{End}{ArrowUp}{Enter}')
    const detail = screen.getByRole('complementary', { name: 'Chosen change' })
    expect(within(detail).getByText('Removed: from new / true to say.')).toBeTruthy()
    await user.click(within(detail).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('complementary', { name: 'Chosen change' })).toBeNull()
  })

  it('shows both, or one alone', async () => {
    const { user } = open()
    await row(/^answer removed/)
    expect(screen.getByText('− removed')).toBeTruthy()
    await user.keyboard('b')
    expect(screen.getByRole('radio', { name: 'Only v1' })).toHaveProperty('checked', true)
    expect(screen.queryByText('− removed')).toBeNull()
    await user.keyboard('bb')
    expect(screen.getByRole('radio', { name: 'Both' })).toHaveProperty('checked', true)
  })

  it('restores the whole in one undo step, which the message offers to take back', async () => {
    const { store, user } = open()
    await user.click(await row(/^Restore v1/))
    expect(screen.getByText('The editor')).toBeTruthy()
    expect(store.getState().graph).toEqual(sample())
    expect(store.getState().past).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(store.getState().graph).toEqual(draftNow())
  })

  it('takes one node, and the rest of the draft stays', async () => {
    const { store, user } = open('r3..draft')
    await user.click(await row(/^Commits changed/))
    await user.click(screen.getByRole('button', { name: 'Take from revision 3' }))
    const { graph, past } = store.getState()
    expect(graph.nodes.find(({ id }) => id === 'log')).toEqual(sample().nodes.find(({ id }) => id === 'log'))
    expect(graph.budgets).toEqual({ tokens: 100 })
    expect(past).toHaveLength(1)
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Commits/ })).toBeNull())
  })

  it('compares with the draft first where neither side is it', async () => {
    const { addresses, store, user } = open('1..2')
    await user.click(await row(/^Restore v1/))
    expect(addresses).toEqual(['1..draft'])
    expect(store.getState().past).toEqual([])
  })

  it('publishes an earlier version again, and says why it was refused', async () => {
    const { server, released, user } = open('1..2')
    server.on('POST /api/workflows/wf_1/publish', refusal(409, 'TESTS_FAILED'))
    await user.click(await row(/^Publish v1 again/))
    expect(await screen.findByText('TESTS_FAILED in words.')).toBeTruthy()
    server.on('POST /api/workflows/wf_1/publish', { status: 201, body: VERSION })
    await user.click(screen.getByRole('button', { name: 'Publish v1 again' }))
    expect(await screen.findByText('Version 1 is published again')).toBeTruthy()
    expect(released).toEqual([1])
    expect(server.to('POST /api/workflows/wf_1/publish').at(-1)?.body).toEqual({ version: 1 })
  })

  it('lets those who only look compare, and nothing else', async () => {
    open('1..draft', 'viewer')
    await row(/^Commits changed/)
    expect(screen.queryByRole('button', { name: /^Restore|^Publish/ })).toBeNull()
  })

  it('chooses other sides, in any order', async () => {
    const { addresses, user } = open()
    await row(/^Commits changed/)
    await waitFor(() => expect(screen.getAllByRole('option', { name: /^v2/ })).toHaveLength(2))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Compare from' }), '2')
    expect(addresses).toEqual(['2..draft'])
    expect(await screen.findByText('Nothing differs')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Swap sides' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Compare to' }), '1')
    expect(addresses).toEqual(['2..draft', 'draft..2', 'draft..1'])
  })

  it('without room for a canvas the list holds the fields', async () => {
    onScreen('phone')
    const { user } = open()
    await row(/^Commits changed/)
    expect(screen.queryByRole('application')).toBeNull()
    expect(screen.getByText('git_show')).toBeTruthy()
    await user.click(screen.getAllByRole('button', { name: 'Take from v1' })[0] as HTMLElement)
    expect(await screen.findByText(/The node is as in v1/)).toBeTruthy()
  })

  it.each(['1..9', 'r7..draft', 'run_1..draft', 'latest', '1..2..3'])(
    'says of a stale link what is gone: %s',
    async (address) => {
      const { addresses, user } = open(address)
      expect(await screen.findByText(/^There is no|does not say what/)).toBeTruthy()
      await user.click(screen.getByRole('button', { name: 'Back to the draft' }))
      expect(addresses).toEqual([null])
    },
  )

  it('says of a run of another workflow that it is none of this one', async () => {
    const { server } = open('run_1..draft')
    server.on('GET /api/runs/run_1', { body: { id: 'run_1', workflow: 'wf_2', graph: sample() } })
    expect(await screen.findByText(/belongs to another workflow/)).toBeTruthy()
  })

  it('tries again what could not be loaded', async () => {
    const { server, user } = open('2..draft')
    await screen.findByText('Nothing differs')
    server.on('GET /api/workflows/wf_1/versions/1', refusal(500, 'INTERNAL'))
    await waitFor(() => expect(screen.getAllByRole('option', { name: /^v1/ })).toHaveLength(2))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Compare from' }), '1')
    const again = await screen.findByRole('button', { name: 'Try again' })
    server.on('GET /api/workflows/wf_1/versions/1', { body: { ...VERSION, graph: sample() } })
    await user.click(again)
    await row(/^Commits changed/)
  })

  it('plays the saved tests with both, and says which fails with which', async () => {
    const { server, user } = open('1..2')
    const test = { id: 't1', name: 'Greets', result: null }
    server.on('GET /api/workflows/wf_1/tests', { body: { results: [test], next: null } })
    const result = { ok: true, version: 1, at: '2026-11-22T01:00:00Z', ms: 4, nodes: [] }
    const failed = { ...result, ok: false, nodes: [{ node: 'log', title: 'Commits', status: 'differs' }] }
    server.on('POST /api/workflows/wf_1/tests/t1/run', ({ body }) => ({
      body: (body as { version: number }).version === 1 ? result : failed,
    }))
    await user.click(await screen.findByRole('button', { name: 'Play with both' }))
    const cells = await screen.findAllByRole('cell')
    await waitFor(() =>
      expect(cells.map((cell) => cell.textContent).slice(0, 2)).toEqual(['passes', 'fails']),
    )
    expect(screen.getByText('1 node differs: Commits')).toBeTruthy()
  })
})
