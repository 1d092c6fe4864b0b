/** The team's budget: an admin sets it, others see it, and what is no amount is not sent. */
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadRest } from '@/i18n'
import { FakeServer, refusal, show, unwatched } from '@/testing/server'
import { TeamBudget } from './TeamBudget'

beforeAll(loadRest)

const TEAM = {
  id: 'team_1',
  name: 'Platform',
  slug: 'platform',
  role: 'admin',
  budget: { tokens_per_day: 1000 },
}

describe('the budget of a team', () => {
  it('is set by an admin; an empty field takes the limit away', async () => {
    const server = new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('PATCH /api/teams/current', { body: { ...TEAM, budget: { cost_per_day: 2.5 } } })
    show(<TeamBudget />, 'admin')
    const tokens = await screen.findByLabelText('Tokens per day')
    fireEvent.change(tokens, { target: { value: 'many' } })
    expect(screen.getByText('Enter a whole number, or leave it empty.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
    fireEvent.change(tokens, { target: { value: '' } })
    fireEvent.change(screen.getByLabelText('Cost per day'), { target: { value: '2.5' } })
    fireEvent.change(screen.getByLabelText('Cost of a page per day'), { target: { value: '0.5' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(server.to('PATCH /api/teams/current')).toHaveLength(1))
    expect(server.to('PATCH /api/teams/current')[0]?.body).toEqual({
      budget: { tokens_per_day: null, cost_per_day: 2.5, page_cost_per_day: 0.5 },
    })
    await waitFor(() => expect(screen.getByLabelText('Cost per day')).toHaveProperty('value', '2.5'))
  })

  it('has nothing left to save once the server has it', async () => {
    const kept = { ...TEAM, budget: { tokens_per_day: 5 } }
    new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('PATCH /api/teams/current', { body: kept })
    show(<TeamBudget />, 'admin')
    fireEvent.change(await screen.findByLabelText('Tokens per day'), { target: { value: '5' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true))
    expect(screen.getByLabelText('Tokens per day')).toHaveProperty('value', '5')
  })

  it('shows what is used of it, and the models that a cost budget cannot see', async () => {
    const budgets = [
      { name: 'tokens', used: 820, limit: 1000, share: 0.82, state: 'near' },
      { name: 'cost', used: 1.5, limit: 2, share: 0.75, state: 'ok' },
    ]
    const unpriced = [{ provider: 'local', model: 'qwen3:8b', tokens: 700 }]
    const until = new Date(Date.now() + 3_600_000).toISOString()
    new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('GET /api/spending', { body: { day: '2026-11-22', until, state: 'near', budgets, unpriced } })
    show(<TeamBudget />, 'viewer')
    expect(await screen.findByText('820 of 1,000')).toBeTruthy()
    expect(screen.getByText('82%')).toBeTruthy()
    expect(screen.getByText(/Most of today’s budget is used/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'local/qwen3:8b' }).getAttribute('href')).toBe(
      '/settings/providers/local',
    )
    expect(screen.getByText('700 tokens today')).toBeTruthy()
  })

  it.each(['GET /api/teams/current', 'GET /api/spending'])('is asked for again: %s', async (route) => {
    unwatched()
    const server = new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('GET /api/spending', { body: { budgets: [], unpriced: [], state: 'ok', until: '' } })
      .on(route, refusal(500, 'INTERNAL'))
    show(<TeamBudget />, 'admin')
    const again = await screen.findByRole('button', { name: 'Try again' })
    const before = server.to(route).length
    fireEvent.click(again)
    await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
  })

  it('is only shown to others', async () => {
    new FakeServer().on('GET /api/teams/current', { body: TEAM })
    show(<TeamBudget />, 'editor')
    expect(await screen.findByLabelText('Tokens per day')).toHaveProperty('disabled', true)
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  })
})
