/** The widgets of nodes that use models and tools: what people choose and write stands in the configuration. */
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { node } from '@/graph/graph.testing'
import { fill, openNode, typeOf } from '@/inspector/inspector.testing'
import type { FakeServer } from '@/testing/server'

/** A node whose configuration has these fields. */
function openFields(
  properties: Record<string, unknown>,
  config: Record<string, unknown> = {},
  answers: Record<string, unknown> = {},
) {
  const serve = (server: FakeServer) => {
    for (const [route, body] of Object.entries(answers)) server.on(route, { body })
  }
  const opened = openNode(node('ask', 'llm', { config }), { types: [typeOf('llm', properties)], serve })
  return { ...opened, config: () => opened.at('ask').config }
}

const PAYING = {
  results: [{ slug: 'pay', id: 'wf_1', name: 'Paying', published_version: 2 }],
  next: null,
}

describe('classes', () => {
  const FIELD = { classes: { type: 'array', title: 'Classes', 'x-widget': 'classes' } }
  const BILL = { id: 'bill', description: 'Money' }
  const OTHER = { id: 'other', description: '' }

  it('are added, each with a port of its own', async () => {
    const { config, user } = openFields(FIELD, { classes: [BILL] })
    await user.click(await screen.findByRole('button', { name: 'Add class' }))
    expect(config()).toEqual({ classes: [BILL, { id: 'class_2', description: '' }] })
  })

  it('are renamed, described and removed', async () => {
    const { config, user } = openFields(FIELD, { classes: [BILL, OTHER] })
    await user.type(await screen.findByLabelText('Port of class 2'), 's')
    await user.type(screen.getByLabelText('What belongs to class 2'), 'All else')
    expect(config()).toEqual({ classes: [BILL, { id: 'others', description: 'All else' }] })
    await user.click(screen.getByRole('button', { name: 'Remove class 1' }))
    expect(config()).toEqual({ classes: [{ id: 'others', description: 'All else' }] })
  })
})

describe('messages', () => {
  const FIELD = { messages: { type: 'array', title: 'Messages', 'x-widget': 'messages' } }
  const RULES = { role: 'system', content: 'Be brief.' }
  const QUESTION = { role: 'user', content: 'Why?' }

  it('begin with one of the system', async () => {
    const { config, user } = openFields(FIELD)
    await user.click(await screen.findByRole('button', { name: 'Add message' }))
    expect(config()).toEqual({ messages: [{ role: 'system', content: '' }] })
  })

  it('are written for who says them', async () => {
    const { config, user } = openFields(FIELD, { messages: [RULES, QUESTION] })
    await user.selectOptions(await screen.findByLabelText('Role of message 2'), 'Assistant')
    await fill(user, 'Text of message 2', 'See {{ log.result }}')
    expect(config()).toEqual({ messages: [RULES, { role: 'assistant', content: 'See {{ log.result }}' }] })
  })

  it('are moved up and removed', async () => {
    const { config, user } = openFields(FIELD, { messages: [QUESTION, RULES] })
    await user.click(await screen.findByRole('button', { name: 'Move message 2 up' }))
    expect(config()).toEqual({ messages: [RULES, QUESTION] })
    await user.click(screen.getByRole('button', { name: 'Remove message 2' }))
    expect(config()).toEqual({ messages: [RULES] })
  })
})

describe('a model', () => {
  const FIELDS = {
    provider: { type: 'string', 'x-widget': 'provider' },
    model: { type: 'string', 'x-widget': 'model' },
  }

  it('that the list does not have is named, and one of the list taken again', async () => {
    const house = { id: 'pro_1', slug: 'house', name: 'House', models: [{ id: 'small' }, { id: 'large' }] }
    const { config, user } = openFields(
      FIELDS,
      { provider: 'house', model: 'small' },
      { 'GET /api/providers': { results: [house], next: null } },
    )
    await screen.findByRole('option', { name: 'Another model…' })
    await user.selectOptions(screen.getByLabelText('Model'), 'Another model…')
    await user.type(screen.getByRole('textbox', { name: 'Model' }), '-2')
    expect(config()).toEqual({ provider: 'house', model: 'small-2' })
    await user.click(screen.getByRole('button', { name: 'From the list' }))
    expect(config()).toEqual({ provider: 'house', model: 'small' })
    expect(screen.getByRole('combobox', { name: 'Model' })).toHaveProperty('value', 'small')
  })
})

describe('parameters', () => {
  it('are numbers for the model, and gone when they are emptied', async () => {
    const { config, user } = openFields({
      params: { type: 'object', title: 'Parameters', 'x-widget': 'params' },
    })
    await user.type(await screen.findByLabelText('temperature'), '0.7')
    expect(config()).toEqual({ params: { temperature: 0.7 } })
    await user.clear(screen.getByLabelText('temperature'))
    expect(config()).toEqual({})
  })
})

describe('a prompt', () => {
  it('is written in place of the built-in one', async () => {
    const text = { type: 'string', title: 'Summary', 'x-widget': 'prompt', 'x-texts': { en: 'Sum it up.' } }
    const { config, user } = openFields({ summary: text }, { summary: 'Sum it up.' })
    await user.click(await screen.findByRole('button', { name: /^Summary/ }))
    await fill(user, 'Summary', 'In one line.')
    expect(config()).toEqual({ summary: 'In one line.' })
  })
})

describe('the shape of an answer', () => {
  const FIELD = { shape: { type: 'object', title: 'Answer', 'x-widget': 'json-schema' } }
  const ANSWER = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

  it('is defined', async () => {
    const { config, user } = openFields(FIELD)
    await user.click(await screen.findByRole('button', { name: 'Define fields' }))
    expect(config()).toEqual({ shape: ANSWER })
  })

  it('is changed, and given up', async () => {
    const { config, user } = openFields(FIELD, { shape: ANSWER })
    await user.click(await screen.findByRole('button', { name: 'Add input' }))
    expect(config()).toEqual({
      shape: { ...ANSWER, properties: { ...ANSWER.properties, input: { type: 'string' } } },
    })
    await user.click(screen.getByRole('button', { name: 'Remove Answer' }))
    expect(config()).toEqual({})
  })
})

describe('a field without a widget', () => {
  it('is drawn from its schema, beside those that have one', async () => {
    const { config, user } = openFields({
      messages: { type: 'array', 'x-widget': 'messages' },
      rounds: { type: 'integer', title: 'Max rounds' },
    })
    await user.type(await screen.findByLabelText('Max rounds'), '4')
    expect(config()).toEqual({ rounds: 4 })
  })
})

describe('the workflow that a node runs', () => {
  it('is given what it asks for', async () => {
    const inputs = { type: 'object', properties: { bill: { type: 'string' } } }
    const start = { id: 'start', type: 'start', config: { inputs } }
    const { config, user } = openFields(
      {
        workflow: { type: 'string', 'x-widget': 'workflow' },
        inputs: { type: 'object', title: 'Inputs', 'x-widget': 'arguments' },
      },
      { workflow: 'pay' },
      {
        'GET /api/workflows/pay': PAYING.results[0],
        'GET /api/workflows/wf_1/versions/2': { version: 2, graph: { nodes: [start] } },
      },
    )
    await user.type(await screen.findByLabelText('bill'), 'No. 7')
    expect(config()).toEqual({ workflow: 'pay', inputs: { bill: 'No. 7' } })
  })
})

describe('how tools are offered', () => {
  const offer = (tools: number, tokens: number) => ({
    tools: { type: 'object', title: 'Tools', 'x-widget': 'tools', properties: {} },
    tool_search: {
      enum: ['automatic', 'all', 'search'],
      default: 'automatic',
      title: 'Offer tools',
      'x-widget': 'tool-search',
      'x-enum-titles': ['Automatic', 'All at once', 'Search'],
      'x-limits': { tools, tokens, offered: 128 },
    },
  })
  const GIT = { tools: { servers: [{ server: 'git' }] } }

  it('shows their number and what they cost', async () => {
    openFields(offer(40, 10_000), GIT)
    expect(
      await screen.findByText('2 tools, about 240 tokens. All of them go to the model with every request.'),
    ).toBeTruthy()
  })

  it('counts the chosen ones alone, and says where more are not known', async () => {
    const servers = [{ server: 'git', include: ['git_log'] }, { server: 'web' }]
    openFields(offer(40, 10_000), { tools: { servers } })
    expect(await screen.findByText(/^At least 1 tool and about 120 tokens\./)).toBeTruthy()
  })

  it.each([
    [1, 10_000],
    [40, 200],
  ])('says that many are searched: beyond %d tools or %d tokens', async (tools, tokens) => {
    openFields(offer(tools, tokens), GIT)
    expect(await screen.findByText(/The model searches them and loads those it needs\.$/)).toBeTruthy()
  })

  it('is chosen, and the choice taken back', async () => {
    const { config, user } = openFields(offer(40, 10_000), GIT)
    await user.click(await screen.findByRole('radio', { name: 'Search' }))
    expect(config()).toEqual({ ...GIT, tool_search: 'search' })
    expect(await screen.findByText(/The model searches them/)).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Automatic' }))
    expect(config()).toEqual(GIT)
  })

  it('is not asked where there are none', async () => {
    openFields(offer(40, 10_000))
    expect(await screen.findByRole('button', { name: 'Add tools' })).toBeTruthy()
    expect(screen.queryByText('Offer tools')).toBeNull()
  })
})

describe('tools', () => {
  const FIELD = {
    tools: {
      type: 'object',
      title: 'Tools',
      'x-widget': 'tools',
      properties: {
        workflows: { type: 'array' },
        local: { type: 'array', items: { enum: ['now', 'sum'] } },
      },
    },
  }
  const openTools = (tools?: Record<string, unknown>) => {
    const opened = openFields(FIELD, tools ? { tools } : {}, { 'GET /api/workflows': PAYING })
    return { ...opened, tools: () => opened.config().tools }
  }
  const openGit = async (more: Record<string, unknown>) => {
    const opened = openTools({ servers: [{ server: 'git', ...more }] })
    await opened.user.click(await screen.findByRole('button', { name: /^Git/ }))
    return opened
  }
  const add = async ({ user }: ReturnType<typeof openTools>, name: string) => {
    await user.click(await screen.findByRole('button', { name: 'Add tools' }))
    await user.click(await screen.findByRole('option', { name }))
  }

  it('of a server are added', async () => {
    const opened = openTools()
    await add(opened, 'Git')
    expect(opened.tools()).toEqual({ servers: [{ server: 'git' }] })
  })

  it('may be workflows', async () => {
    const opened = openTools()
    await add(opened, 'Paying')
    expect(opened.tools()).toEqual({ workflows: ['pay'] })
  })

  it('are looked for by what is typed: workflows by the server, and none is read before', async () => {
    const opened = openTools()
    await opened.user.click(await screen.findByRole('button', { name: 'Add tools' }))
    await opened.user.keyboard('pay')
    await waitFor(() => expect(opened.server.to('GET /api/workflows').at(-1)?.path).toContain('q=pay'))
    expect(screen.queryByRole('option', { name: 'Git' })).toBeNull()
    await screen.findByRole('option', { name: 'Paying' })
    expect(opened.server.to('GET /api/workflows').every(({ path }) => path.includes('limit=50'))).toBe(true)
    await opened.user.keyboard('{Enter}')
    expect(opened.tools()).toEqual({ workflows: ['pay'] })
  })

  it('may be functions, each once', async () => {
    const opened = openTools({ local: ['now'] })
    await opened.user.click(await screen.findByRole('button', { name: 'Add tools' }))
    expect(screen.queryByRole('option', { name: 'now' })).toBeNull()
    await opened.user.click(screen.getByRole('option', { name: 'sum' }))
    expect(opened.tools()).toEqual({ local: ['now', 'sum'] })
  })

  it('are taken away again', async () => {
    const { tools, user } = openTools({ servers: [{ server: 'git' }], workflows: ['pay'], local: ['now'] })
    await user.click(await screen.findByRole('button', { name: 'Remove the tools of Git' }))
    await user.click(await screen.findByRole('button', { name: 'Remove Paying' }))
    expect(tools()).toEqual({ servers: [], local: ['now'] })
    await user.click(screen.getByRole('button', { name: 'Remove now' }))
    expect(tools()).toEqual({ servers: [] })
  })

  it('of a server are all of them, or those that are ticked', async () => {
    const { tools, user } = await openGit({})
    await screen.findByText('git_push')
    await user.click(screen.getByRole('radio', { name: 'Selected' }))
    expect(tools()).toEqual({ servers: [{ server: 'git', include: ['git_log', 'git_push'] }] })
    await user.click(screen.getByRole('radio', { name: 'All tools' }))
    expect(tools()).toEqual({ servers: [{ server: 'git' }] })
  })

  it('of a server are ticked one by one', async () => {
    const { tools, user } = await openGit({ include: ['git_push'] })
    await user.click(await screen.findByRole('checkbox', { name: 'git_log' }))
    expect(tools()).toEqual({ servers: [{ server: 'git', include: ['git_log', 'git_push'] }] })
    await user.click(screen.getByRole('checkbox', { name: 'git_push' }))
    expect(tools()).toEqual({ servers: [{ server: 'git', include: ['git_log'] }] })
  })

  it('are called with a parameter that the model does not choose', async () => {
    const { tools, user } = await openGit({ include: ['git_log'] })
    await user.click(await screen.findByRole('button', { name: 'Fix parameters of git_log' }))
    const parameter = await screen.findByLabelText('Fix a parameter of git_log')
    await user.selectOptions(parameter, 'path')
    await fill(user, 'Value of path', '/srv')
    const entry = { server: 'git', include: ['git_log'] }
    expect(tools()).toEqual({ servers: [{ ...entry, fixed: { git_log: { path: '/srv' } } }] })
    await user.click(screen.getByRole('button', { name: 'Let the model choose path' }))
    expect(tools()).toEqual({ servers: [entry] })
  })
})
