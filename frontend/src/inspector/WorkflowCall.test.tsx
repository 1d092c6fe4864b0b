/** A workflow node: chosen from the published ones, given what its start asks for; what is rarely set is folded. */
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

const ADVANCED = { expires_s: { type: 'number', title: 'Answer within', 'x-advanced': true } }
const type = (name: string, properties: object) =>
  ({
    type: name,
    v: 1,
    group: 'flow',
    title: name,
    description: '',
    config_schema: { type: 'object', properties },
    output_schema: {},
    ports: { in: ['in'], out: ['out'] },
    dynamic_ports: false,
    effect: 'pure',
  }) as unknown as NodeType

const TYPES = [
  type('workflow', {
    workflow: { type: 'string', title: 'Workflow', 'x-widget': 'workflow' },
    version: { type: 'integer', title: 'Version' },
    inputs: { type: 'object', title: 'Inputs', 'x-widget': 'arguments' },
  }),
  type('form', { title: { type: 'string' }, ...ADVANCED }),
]
const GRAPH = {
  nodes: [
    {
      id: 'start',
      type: 'start',
      config: { inputs: { type: 'object', properties: { bill: { type: 'string', title: 'Bill' } } } },
    },
  ],
}

function open(kind: string, config: Record<string, unknown>, published = true) {
  const entry = { slug: 'pay', id: 'wf_1', name: 'Paying', published_version: 2 }
  const server = new FakeServer()
    .on('GET /api/workflows', ({ path }) => {
      const early = { ...entry, slug: 'early', id: 'wf_2', name: 'Early', published_version: null }
      const listed = published ? [entry] : []
      const all = path.includes('published=true') ? listed : [...listed, early]
      return { body: { results: path.includes('q=nothing') ? [] : all, next: null } }
    })
    .on('GET /api/workflows/pay', { body: entry })
    .on('GET /api/workflows/wf_1/versions/2', { body: { version: 2, graph: GRAPH } })
  const graph = { ...sample(), nodes: [...sample().nodes, node('call', kind, { config })] }
  const store = createGraphStore(graph, () => 0)
  store.getState().setTypes(new Map(TYPES.map((nodeType) => [nodeType.type, nodeType])))
  store.getState().select({ nodes: ['call'] })
  show(
    <RunViewProvider view={null}>
      <GraphProvider store={store}>
        <Inspector problems={[]} />
      </GraphProvider>
    </RunViewProvider>,
  )
  const call = () => store.getState().graph.nodes.find((each) => each.id === 'call')?.config
  return { server, call, user: userEvent.setup() }
}

it('is chosen from those that are published, and its inputs have their own form', async () => {
  const { call, user } = open('workflow', {})
  await user.click(await screen.findByRole('button', { name: 'Workflow: Choose a workflow' }))
  await screen.findByRole('option', { name: 'Paying' })
  expect(screen.queryByRole('option', { name: 'Early' })).toBeNull()
  await user.keyboard('nothing')
  expect(await screen.findByText('Nothing matches.')).toBeTruthy()
  await user.clear(screen.getByRole('combobox', { name: 'Search' }))
  await screen.findByRole('option', { name: 'Paying' })
  await user.keyboard('{ArrowDown}{Enter}')
  expect(call()).toEqual({ workflow: 'pay' })
  expect(await screen.findByRole('button', { name: 'Workflow: Paying' })).toBeTruthy()
  expect(await screen.findByLabelText('bill')).toBeTruthy()
})

it('says that none is published, but not over the list that is open', async () => {
  const { user } = open('workflow', {}, false)
  expect(await screen.findByText('No workflow is published yet.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Workflow: Choose a workflow' }))
  expect(await screen.findByRole('combobox', { name: 'Search' })).toBeTruthy()
  expect(screen.queryByText('No workflow is published yet.')).toBeNull()
})

it('folds what is rarely set away, for nodes with an editor of their own too', async () => {
  const { user } = open('form', { title: 'Which?' })
  await user.click(await screen.findByRole('button', { name: /More settings/ }))
  expect(await screen.findByText('Answer within')).toBeTruthy()
})
