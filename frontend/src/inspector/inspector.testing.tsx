/** The inspector over a graph with its real store; the registry has the server `git` with two tools, and `web` with none. */
import { screen, waitFor } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { Role } from '@/api/queries'
import { GraphProvider, useGraph } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { createGraphStore, type GraphStore } from '@/graph/store'
import type { Graph, GraphNode, NodeType, Selection } from '@/graph/types'
import { RunViewProvider } from '@/live/run-store'
import type { RunView } from '@/live/run-view'
import { FakeServer, show } from '@/testing/server'
import { Inspector, type InspectorProps } from './Inspector'

export const TOOL = {
  server: 'git',
  name: 'git_log',
  title: 'Log',
  description: 'Shows the commit logs',
  input_schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      max: { type: 'integer', default: 10, minimum: 1 },
      kind: { const: 'log' },
    },
    required: ['path', 'kind'],
  },
  output_schema: null,
  annotations: {},
  effect: 'read',
  policy: 'auto',
  risk: { level: 'LOW', reasons: ['readOnlyHint'] },
  overrides: {},
  changed: false,
  gone: false,
  pinned: null,
  pinned_at: '2026-10-02T10:00:00Z',
  listed_at: null,
}
const OTHER = {
  ...TOOL,
  name: 'git_push',
  effect: 'write',
  policy: 'ask',
  risk: { level: 'HIGH', reasons: ['destructive'] },
}

/** The tool as a list to choose from has it. */
const nameOf = ({ input_schema, ...tool }: typeof TOOL) => ({
  ...tool,
  parameters: Object.keys(input_schema.properties).length,
  tokens: 120,
})

/** A node type with these fields in its configuration. */
export const typeOf = (name: string, properties: Record<string, unknown>): NodeType =>
  ({
    type: name,
    v: 1,
    group: 'ai',
    title: name,
    description: '',
    config_schema: { type: 'object', properties },
    output_schema: {},
    ports: { in: ['in'], out: ['out'] },
  }) as NodeType

/** The inspector with the problems that the store has. */
function Watching(props: Partial<InspectorProps>) {
  const problems = useGraph((state) => state.problems)
  return <Inspector problems={problems} {...props} />
}

export interface Options extends Partial<InspectorProps> {
  graph?: Graph
  select?: Partial<Selection>
  view?: RunView
  types?: readonly NodeType[]
  role?: Role
  /** What the server answers besides. */
  serve?: (server: FakeServer) => void
}

export interface Opened {
  readonly server: FakeServer
  readonly store: GraphStore
  readonly user: UserEvent
  /** A node as the document has it now. */
  readonly at: (id: string) => GraphNode
}

/** The inspector over a graph, with something selected. */
export function open({
  graph = sample(),
  select = { nodes: ['log'] },
  view,
  types = [],
  role,
  serve,
  ...props
}: Options = {}): Opened {
  const server = new FakeServer()
    .on('GET /api/mcp/servers', {
      body: {
        results: [
          { id: 'srv_1', slug: 'git', name: 'Git' },
          { id: 'srv_2', slug: 'web', name: 'Web' },
        ],
        next: null,
      },
    })
    .on('GET /api/mcp/servers/web/tool-names', { body: { results: [], next: null } })
    .on('GET /api/mcp/tool-names', {
      body: {
        results: [
          { id: 'srv_1', slug: 'git', results: [TOOL, OTHER].map(nameOf) },
          { id: 'srv_2', slug: 'web', results: [] },
        ],
        next: null,
      },
    })
    .on('GET /api/mcp/servers/git/tool-names', { body: { results: [TOOL, OTHER].map(nameOf), next: null } })
    .on('GET /api/mcp/servers/git/tools', { body: { results: [TOOL, OTHER], next: null } })
    .on('GET /api/mcp/servers/git/tools/git_log', { body: TOOL })
    .on('GET /api/mcp/servers/git/tools/git_push', { body: OTHER })
  serve?.(server)
  const store = createGraphStore(graph, () => 0)
  store.getState().setTypes(new Map(types.map((type) => [type.type, type])))
  store.getState().select(select)
  show(
    <RunViewProvider view={view ?? null}>
      <GraphProvider store={store}>
        <Watching {...props} />
      </GraphProvider>
    </RunViewProvider>,
    role,
  )
  const at = (id: string): GraphNode => {
    const match = store.getState().graph.nodes.find((node) => node.id === id)
    if (!match) throw new Error(`no node ${id}`)
    return match
  }
  return { server, store, at, user: userEvent.setup() }
}

/** The sample with one more node, behind its log. */
export function withNode(node: GraphNode): Graph {
  const edge = { id: 'e9', source: 'log', source_port: 'out', target: node.id, target_port: 'in' }
  return { ...sample(), nodes: [...sample().nodes, node], edges: [...sample().edges, edge] }
}

/** The inspector with this node, which the sample has besides, selected. */
export function openNode(node: GraphNode, options: Options = {}): Opened {
  return open({ graph: withNode(node), select: { nodes: [node.id] }, ...options })
}

/** Put a text into a field of expressions in place of what is there, as people paste. */
export async function fill(user: UserEvent, name: string, text: string): Promise<void> {
  await user.click(screen.getByRole('textbox', { name }))
  await waitFor(() => {
    if (!screen.getByRole('textbox', { name }).matches('.cm-content')) throw new Error('no editor yet')
  })
  await replace(user, text)
}

/** Paste over all that the field with the caret holds. */
export async function replace(user: UserEvent, text: string): Promise<void> {
  await user.keyboard('{Control>}a{/Control}')
  await user.paste(text)
}
