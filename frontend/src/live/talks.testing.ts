/** Recorded runs with models, for tests: an agent with everything that can happen to its calls, and a planner. */

import type { RunEvent } from '@/api/run-types'
import { type Line, logOf } from './fold.testing'

const usage = (input: number, output: number, cost: number) => ({
  input_tokens: input,
  output_tokens: output,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost,
})

const TOOLS = [{ name: 'git_log', description: 'Commits', parameters: { type: 'object' } }]

/** What the agent is told first, and what it asks for in its rounds. */
export const SYSTEM = { role: 'system', content: 'You keep the changelog.' }
export const QUERY = { role: 'user', content: 'Add the commits since Monday.' }

/**
 * Round 1 fails once, then asks for two tools, one with an error; round 2 asks for a write, which a person approves
 * with other arguments, and for one that a person declines; round 3 answers.
 */
export const AGENT: readonly Line[] = [
  [0, null, 'FLOW_START', { inputs: {} }],
  [10, 'agent', 'STEP_INIT', { attempt: 1 }],
  [11, 'agent', 'STEP_INPUT', { input: { query: QUERY.content } }],
  [
    20,
    'agent',
    'LLM_REQUEST',
    { call: 'round:1', provider: 'p', model: 'm', messages: [SYSTEM, QUERY], tools: TOOLS, base: null },
  ],
  [
    120,
    'agent',
    'LLM_RESPONSE',
    { call: 'round:1', ms: 100, error: { code: 'LLM_RATE_LIMITED', params: { retry_after: 1 } } },
  ],
  [121, 'agent', 'STEP_RETRY', { attempt: 2, delay_ms: 1000, code: 'LLM_RATE_LIMITED', call: 'round:1' }],
  [
    1121,
    'agent',
    'LLM_REQUEST',
    { call: 'round:1', provider: 'p', model: 'm', messages: [SYSTEM, QUERY], tools: TOOLS, base: null },
  ],
  [1300, 'agent', 'TEXT_ADD', { call: 'round:1', text: 'First I ', offset: 0, channel: 'text' }],
  [1400, 'agent', 'TEXT_ADD', { call: 'round:1', text: 'look.', offset: 8, channel: 'text' }],
  [
    1500,
    'agent',
    'LLM_RESPONSE',
    {
      call: 'round:1',
      text: 'First I look.',
      reasoning: 'Two commits.',
      tool_calls: [
        { id: 'a', name: 'git__git_log', arguments: '{"n": 2}' },
        { id: 'b', name: 'git__git_show', arguments: '{"rev": "nope"}' },
      ],
      usage: usage(100, 20, 0.001),
      finish: 'tool_calls',
      ms: 379,
    },
  ],
  [
    1501,
    'agent',
    'TOOL_REQUEST',
    { call: 'round:1/call:1', server: 'git', tool: 'git_log', arguments: { n: 2 } },
  ],
  [
    1502,
    'agent',
    'TOOL_REQUEST',
    { call: 'round:1/call:2', server: 'git', tool: 'git_show', arguments: { rev: 'nope' } },
  ],
  [
    1560,
    'agent',
    'TOOL_RESPONSE',
    { call: 'round:1/call:1', content: [{ type: 'text', text: 'two commits' }], is_error: false, ms: 58 },
  ],
  [
    1563,
    'agent',
    'TOOL_RESPONSE',
    { call: 'round:1/call:2', content: [{ type: 'text', text: 'no such revision' }], is_error: true, ms: 61 },
  ],
  [
    1600,
    'agent',
    'LLM_REQUEST',
    {
      call: 'round:2',
      provider: 'p',
      model: 'm',
      base: { call: 'round:1', messages: 2, tools: true },
      tools: null,
      messages: [
        { role: 'assistant', content: 'First I look.', tool_calls: [{ id: 'a' }, { id: 'b' }] },
        { role: 'tool', tool_call_id: 'a', content: 'two commits' },
        { role: 'tool', tool_call_id: 'b', content: 'no such revision' },
      ],
    },
  ],
  [
    2000,
    'agent',
    'LLM_RESPONSE',
    {
      call: 'round:2',
      text: '',
      reasoning: '',
      tool_calls: [
        { id: 'c', name: 'fs__edit_file', arguments: '{"path": "a.md"}' },
        { id: 'd', name: 'fs__delete', arguments: '{"path": "b.md"}' },
        { id: 'e', name: 'fs__fly', arguments: '{broken' },
      ],
      usage: usage(150, 30, 0.002),
      finish: 'tool_calls',
      ms: 400,
    },
  ],
  [
    2001,
    'agent',
    'STEP_WAITING_FOR_START',
    {
      interaction: 'int_c',
      key: 'round:2/call:1/ask',
      tool: { server: 'fs', name: 'edit_file' },
      arguments: { path: 'a.md' },
      risk: { level: 'HIGH', reasons: ['destructive'] },
    },
  ],
  [2002, null, 'FLOW_STOP', { waiting: [{ kind: 'person', interaction: 'int_c' }] }],
  [9000, null, 'FLOW_RESUME'],
  [9001, 'agent', 'STEP_ANSWERED', { interaction: 'int_c', action: 'accept', by: 'bob@example.org' }],
  [
    9002,
    'agent',
    'TOOL_REQUEST',
    { call: 'round:2/call:1', server: 'fs', tool: 'edit_file', arguments: { path: 'c.md' } },
  ],
  [
    9010,
    'agent',
    'TOOL_RESPONSE',
    { call: 'round:2/call:1', content: [{ type: 'text', text: 'written' }], is_error: false, ms: 8 },
  ],
  [
    9011,
    'agent',
    'STEP_WAITING_FOR_START',
    {
      interaction: 'int_d',
      key: 'round:2/call:2/ask',
      tool: { server: 'fs', name: 'delete' },
      arguments: { path: 'b.md' },
      risk: { level: 'HIGH', reasons: ['destructive'] },
    },
  ],
  [
    9500,
    'agent',
    'STEP_ANSWERED',
    { interaction: 'int_d', action: 'decline', by: 'bob@example.org', reason: 'keep it' },
  ],
  [9501, 'agent', 'BUDGET_EXCEEDED', { budget: 'tokens', limit: 250, used: 300 }],
  [
    9600,
    'agent',
    'LLM_REQUEST',
    {
      call: 'round:3',
      provider: 'p',
      model: 'm',
      base: { call: 'round:2', messages: 5, tools: true },
      tools: null,
      messages: [
        { role: 'assistant', content: '', tool_calls: [{ id: 'c' }, { id: 'd' }, { id: 'e' }] },
        { role: 'tool', tool_call_id: 'c', content: 'written' },
        { role: 'tool', tool_call_id: 'd', content: 'A person declined: keep it' },
        { role: 'tool', tool_call_id: 'e', content: 'The arguments are not JSON.' },
        { role: 'user', content: 'Answer now.' },
      ],
    },
  ],
  [9700, 'agent', 'TEXT_ADD', { call: 'round:3', text: 'I added two lines.', offset: 0, channel: 'text' }],
  [
    9800,
    'agent',
    'LLM_RESPONSE',
    {
      call: 'round:3',
      text: 'I added two lines.',
      reasoning: '',
      tool_calls: [],
      usage: usage(200, 40, 0.003),
      finish: 'stop',
      ms: 200,
    },
  ],
  [9801, 'agent', 'STEP_OUTPUT', { output: { text: 'I added two lines.', iterations: 2 } }],
  [9802, null, 'FLOW_SUCCESS', { outputs: {} }],
]

export const anAgent = (): RunEvent[] => logOf(AGENT)

const inside = (ms: number, step: string, type: string, data: Record<string, unknown> = {}): Line => [
  ms,
  'plan',
  type,
  { ...data, parent: 'step_plan' },
  undefined,
  step,
]

/** A plan of three steps: one that works, one that lacks a parameter, one that fails; then the summary. */
export const PLANNER: readonly Line[] = [
  [0, null, 'FLOW_START', { inputs: {} }],
  [10, 'plan', 'STEP_INIT', { attempt: 1 }],
  [11, 'plan', 'STEP_INPUT', { input: { goal: 'Plan a meeting' } }],
  [20, 'plan', 'LLM_REQUEST', { call: 'name/json:1', provider: 'p', model: 'm', messages: [QUERY] }],
  [
    90,
    'plan',
    'LLM_RESPONSE',
    { call: 'name/json:1', text: '{"name": "Meeting"}', usage: usage(10, 5, 0.001), ms: 70 },
  ],
  [100, 'plan', 'FLOW_START', { name: 'Meeting', risk: 'MEDIUM', reason: 'It writes to a calendar.' }],
  inside(110, 'sub_1', 'STEP_INIT', {
    attempt: 1,
    name: 'Find the people',
    server: 'people',
    tool: 'find',
    description: 'Who is in the team',
  }),
  inside(111, 'sub_1', 'STEP_INPUT', { input: { team: 'ops' } }),
  inside(112, 'sub_1', 'TOOL_REQUEST', {
    call: 'call',
    server: 'people',
    tool: 'find',
    arguments: { team: 'ops' },
  }),
  inside(150, 'sub_1', 'TOOL_RESPONSE', {
    call: 'call',
    content: [{ type: 'text', text: 'Ann' }],
    is_error: false,
    ms: 38,
  }),
  inside(151, 'sub_1', 'STEP_OUTPUT', { output: { result: 'Ann' } }),
  inside(160, 'sub_2', 'STEP_INIT', { attempt: 1, name: 'Make the event' }),
  inside(161, 'sub_2', 'LLM_REQUEST', {
    call: 'params/json:1',
    provider: 'p',
    model: 'm',
    messages: [QUERY],
  }),
  inside(180, 'sub_2', 'LLM_RESPONSE', {
    call: 'params/json:1',
    text: '{}',
    usage: usage(7, 3, 0.002),
    ms: 19,
  }),
  inside(190, 'sub_2', 'STEP_WAITING_FOR_PARAM', {
    interaction: 'int_p',
    message: 'When does it begin?',
    schema: { type: 'object', properties: { start: { type: 'string' } } },
    params: { start: null },
  }),
  [191, null, 'FLOW_STOP', { waiting: [{ kind: 'person', interaction: 'int_p' }] }],
  [5000, null, 'FLOW_RESUME'],
  inside(5001, 'sub_2', 'STEP_ANSWERED', { interaction: 'int_p', action: 'accept', by: 'bob@example.org' }),
  inside(5002, 'sub_2', 'TOOL_REQUEST', {
    call: 'call',
    server: 'cal',
    tool: 'create',
    arguments: { start: '10:00' },
  }),
  inside(5040, 'sub_2', 'TOOL_RESPONSE', { call: 'call', content: [], is_error: false, ms: 38 }),
  inside(5041, 'sub_2', 'STEP_OUTPUT', { output: { result: '' } }),
  inside(5050, 'sub_3', 'STEP_INIT', { attempt: 1, name: 'Tell everyone' }),
  inside(5060, 'sub_3', 'STEP_ERROR', { code: 'MCP_UNREACHABLE', message: 'No answer.' }),
  [5070, 'plan', 'LLM_REQUEST', { call: 'summary', provider: 'p', model: 'm', messages: [QUERY] }],
  [5080, 'plan', 'TEXT_ADD', { call: 'summary', text: 'The meeting is made', offset: 0, channel: 'text' }],
  [
    5090,
    'plan',
    'LLM_RESPONSE',
    { call: 'summary', text: 'The meeting is made.', usage: usage(20, 9, 0.004), ms: 20 },
  ],
  [5091, 'plan', 'FLOW_SUCCESS', {}],
  [5092, 'plan', 'STEP_OUTPUT', { output: { text: 'The meeting is made.' } }],
  [5100, null, 'FLOW_SUCCESS', { outputs: {} }],
]

export const aPlanner = (): RunEvent[] => logOf(PLANNER)
