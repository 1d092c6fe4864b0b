import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Run } from '@/api/run-types'
import { RunOrigin } from './run-origin'

const RUN: Run = {
  id: 'run_1',
  workflow: 'wf_1',
  version: 1,
  state: 'SUCCESS',
  inputs: {},
  outputs: {},
  error: null,
  usage: { input_tokens: 0, output_tokens: 0, cost: 0 },
  waiting: [],
  trigger: 'mcp',
  trigger_id: null,
  started_by: 'alice@example.org',
  parent_run: null,
  origin_run: null,
  origin_step: null,
  queued_at: '2026-11-22T01:54:26.543Z',
  started_at: '2026-11-22T01:54:26.563Z',
  finished_at: '2026-11-22T01:54:26.566Z',
  last_seq: 4,
}
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

describe('where a run comes from', () => {
  it('names who started it and the door they came through', () => {
    render(<RunOrigin run={RUN} />)
    expect(screen.getByText(/run_1 · started by alice@example.org via MCP/)).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('names the token and what the client calls itself', () => {
    const caller = { kind: 'token', name: 'Nightly CI', program: 'claude-code' } as const
    render(<RunOrigin run={{ ...RUN, caller }} />)
    expect(screen.getByText(/by alice@example.org via MCP \(Nightly CI · claude-code\) \d{4}/)).toBeTruthy()
  })

  it('says a name once where token and client have the same, and without a door where there is none', () => {
    const caller = { kind: 'oauth', name: 'Claude', program: 'Claude' } as const
    render(<RunOrigin run={{ ...RUN, trigger: 'retry', caller }} />)
    expect(screen.getByText(/by alice@example.org via Claude \d{4}/)).toBeTruthy()
  })

  it('names no door where a person started it on the page', () => {
    render(<RunOrigin run={{ ...RUN, trigger: 'manual' }} />)
    expect(screen.getByText(/started by alice@example.org \d{4}/)).toBeTruthy()
  })

  it('leads to its trace in a new tab', () => {
    const url = `https://traces.example.org/trace/${TRACE}`
    render(<RunOrigin run={{ ...RUN, trace: TRACE, trace_url: url }} />)
    const link = screen.getByRole('link', { name: 'Trace' })
    expect(link.getAttribute('href')).toBe(url)
    expect(link.getAttribute('target')).toBe('_blank')
  })
})
