/** The model that is asked where the first one does not answer: chosen, changed with its provider, taken back. */
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { node, sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import type { NodeType } from '@/graph/types'
import { RunViewProvider } from '@/live/run-store'
import { FakeServer, show } from '@/testing/server'
import { Inspector } from './Inspector'

const FIELD = { type: 'object', title: 'Fallback model', 'x-widget': 'fallback', 'x-advanced': true }
const TYPE = {
  type: 'agent',
  v: 1,
  group: 'ai',
  title: 'Agent',
  description: '',
  config_schema: { type: 'object', properties: { fallback: FIELD } },
  output_schema: {},
  ports: { in: ['in'], out: ['out'] },
  dynamic_ports: false,
  effect: 'tool',
} as unknown as NodeType

const provider = (slug: string, ...models: string[]) => ({
  id: `prv_${slug}`,
  slug,
  name: slug.toUpperCase(),
  models: models.map((id) => ({ id, context: null, input_price: null, output_price: null, features: null })),
})

it('chooses a fallback model and takes it back', async () => {
  const results = [provider('one', 'a', 'b'), provider('two', 'c')]
  new FakeServer().on('GET /api/providers', { body: { results, next: null } })
  const graph = { ...sample(), nodes: [...sample().nodes, node('ask', 'agent', { config: {} })] }
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
  const config = () => store.getState().graph.nodes.find((node) => node.id === 'ask')?.config
  const choose = async (label: string, option: string) =>
    user.selectOptions(await screen.findByRole('combobox', { name: label }), option)
  await user.click(await screen.findByRole('button', { name: 'More settings' }))
  expect(screen.queryByRole('combobox', { name: 'Model' })).toBeNull()
  await screen.findByRole('option', { name: 'ONE' })
  await choose('Provider', 'one')
  expect(config()).toEqual({ fallback: { provider: 'one', model: 'a' } })
  await choose('Model', 'b')
  expect(config()).toEqual({ fallback: { provider: 'one', model: 'b' } })
  await choose('Provider', 'two')
  expect(config()).toEqual({ fallback: { provider: 'two', model: 'c' } })
  await choose('Provider', '')
  expect(config()).toEqual({})
})
