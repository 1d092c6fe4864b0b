/** The words that a model is told: read, replaced from the built-in ones, and taken back. */
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { node, sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import type { NodeType } from '@/graph/types'
import { RunViewProvider } from '@/live/run-store'
import { FakeServer, show } from '@/testing/server'
import { Inspector } from './Inspector'

const own = (title: string, en: string, zh: string) => ({
  type: 'string',
  title,
  'x-widget': 'prompt',
  'x-texts': { en, zh },
  'x-expression': true,
  'x-multiline': true,
})
const TYPE = {
  type: 'agent',
  v: 1,
  group: 'ai',
  title: 'Agent',
  description: '',
  config_schema: {
    type: 'object',
    $defs: {
      P: {
        type: 'object',
        properties: {
          final_json: own('Request for JSON', 'Answer by {schema}.', '按 {schema} 回答。'),
          last_answer: own('At last', 'Answer now.', '现在回答。'),
        },
      },
    },
    properties: {
      prompts: { $ref: '#/$defs/P', title: 'Prompts', 'x-widget': 'prompts', 'x-advanced': true },
    },
  },
  output_schema: {},
  ports: { in: ['in'], out: ['out'] },
  dynamic_ports: false,
  effect: 'tool',
} as unknown as NodeType

async function open(language: string) {
  new FakeServer()
  const graph = { ...sample(), language, nodes: [...sample().nodes, node('ask', 'agent', { config: {} })] }
  const store = createGraphStore(graph, () => 0)
  store.getState().setTypes(new Map([[TYPE.type, TYPE]]))
  store.getState().select({ nodes: ['ask'] })
  show(
    <GraphProvider store={store}>
      <RunViewProvider view={null}>
        <Inspector problems={[]} />
      </RunViewProvider>
    </GraphProvider>,
  )
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'More settings' }))
  const config = () => store.getState().graph.nodes.find((node) => node.id === 'ask')?.config
  return { user, config }
}

it('starts from the built-in text, and goes back to it', async () => {
  const { user, config } = await open('en')
  await user.click(screen.getByRole('button', { name: /^Request for JSON/ }))
  expect(screen.getByText('Answer by {schema}.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Start from the built-in text' }))
  expect(config()).toEqual({ prompts: { final_json: 'Answer by {schema}.' } })
  expect(screen.getByText('custom')).toBeTruthy()
  expect(screen.getByText('Filled in at run time: {schema}')).toBeTruthy()
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Request for JSON' })).toBeTruthy())
  await user.click(screen.getByRole('button', { name: 'Back to the built-in text' }))
  expect(config()).toEqual({})
})

it('shows the words of the language of the workflow', async () => {
  const { user } = await open('zh')
  await user.click(screen.getByRole('button', { name: /^At last/ }))
  expect(screen.getByText('现在回答。')).toBeTruthy()
})
