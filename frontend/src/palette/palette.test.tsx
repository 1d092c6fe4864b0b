import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { type Server, serversQuery, type ToolName, toolNamesQuery } from '@/api/servers'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import type { NodeTemplate } from '@/graph/nodes/templates'
import { createGraphStore } from '@/graph/store'
import type { NodeType } from '@/graph/types'
import { FakeServer } from '@/testing/server'
import { filterEntries } from './catalog'
import { PalettePanel, type PalettePanelProps } from './PalettePanel'
import { QuickAdd } from './QuickAdd'

const server = (id: string, name: string, state: 'ok' | 'error' | 'unknown'): Server =>
  ({
    id,
    name,
    slug: name.toLowerCase(),
    enabled: true,
    status: { state, message: 'it is down', latency_ms: 6, tool_count: 2 },
  }) as Server
const tool = (name: string, level: 'LOW' | 'HIGH', gone = false): ToolName =>
  ({
    name,
    title: name,
    description: `does ${name}`,
    risk: { level, reasons: [] },
    gone,
  }) as unknown as ToolName
const type = (name: string, group: string, title: string): NodeType => ({
  type: name,
  v: 1,
  group,
  title,
  description: '',
  config_schema: {},
  output_schema: {},
  ports: { in: ['in'], out: ['out'] },
})

const ASKS_MODEL = {
  properties: { provider: { 'x-widget': 'provider' }, model: { 'x-widget': 'model' } },
}

function everything(children: ReactNode, prepare: (client: QueryClient) => void = () => {}) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  })
  client.setQueryData(serversQuery.queryKey, [server('srv_1', 'Git', 'ok'), server('srv_2', 'Web', 'error')])
  client.setQueryData(toolNamesQuery('srv_1').queryKey, [
    tool('git_log', 'LOW'),
    tool('git_reset', 'HIGH'),
    tool('old', 'LOW', true),
  ])
  client.setQueryData(toolNamesQuery('srv_2').queryKey, [])
  prepare(client)
  const store = createGraphStore(sample())
  const types = [
    type('start', 'flow', 'Start'),
    type('if', 'flow', 'If'),
    { ...type('llm', 'AI', 'LLM'), config_schema: ASKS_MODEL },
    type('tool', 'MCP', 'Tool'),
  ]
  store.getState().setTypes(new Map(types.map((type) => [type.type, type])))
  return render(
    <QueryClientProvider client={client}>
      <GraphProvider store={store}>{children}</GraphProvider>
    </QueryClientProvider>,
  )
}

function showPalette(
  readOnly = false,
  more: Partial<PalettePanelProps> = {},
  prepare: (client: QueryClient) => void = () => {},
) {
  const inserted: NodeTemplate[] = []
  everything(
    <PalettePanel
      readOnly={readOnly}
      onHide={() => {}}
      onLift={() => {}}
      onInsert={(template) => {
        inserted.push(template)
      }}
      {...more}
    />,
    prepare,
  )
  return inserted
}

describe('palette', () => {
  it('shows servers with their health, and their tools when unfolded', async () => {
    showPalette()
    expect(screen.getByRole('img', { name: 'ok, 6 ms' })).toBeTruthy()
    expect(screen.getByText('failed')).toBeTruthy()
    expect(screen.queryByText('git_log')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /Git/ }))
    expect(screen.getByText('git_log')).toBeTruthy()
    expect(screen.queryByText('old')).toBeNull()
    expect(within(screen.getByTestId('tool-git-git_reset')).getByText('HIGH')).toBeTruthy()
  })

  it('Enter on a tool inserts it configured', async () => {
    const inserted = showPalette()
    await userEvent.click(screen.getByRole('button', { name: /Git/ }))
    screen.getByTestId('tool-git-git_log').focus()
    await userEvent.keyboard('{Enter}')
    expect(inserted.map((template) => template.config)).toEqual([
      { server: 'git', tool: 'git_log', arguments: {} },
    ])
  })

  it('a viewer can look but not insert', async () => {
    const inserted = showPalette(true)
    screen.getByTestId('type-if').focus()
    await userEvent.keyboard('{Enter}')
    expect(inserted).toEqual([])
  })

  it('arrow keys walk through the rows', async () => {
    showPalette()
    screen.getByTestId('server-git').focus()
    await userEvent.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(screen.getByTestId('server-web'))
  })

  it('a search finds tools in folded servers and nodes in groups', async () => {
    showPalette()
    await userEvent.type(screen.getByRole('textbox', { name: 'Search tools and nodes' }), 'reset')
    expect(screen.getByTestId('tool-git-git_reset')).toBeTruthy()
    expect(screen.queryByTestId('tool-git-git_log')).toBeNull()
    expect(screen.queryByTestId('type-if')).toBeNull()
  })

  it('a server whose tools nobody has read offers to read them', async () => {
    showPalette()
    await userEvent.click(screen.getByRole('button', { name: /Web/ }))
    expect(screen.getByRole('button', { name: 'Connect and read its tools' })).toBeTruthy()
  })

  it('asks the server when a person wants its tools read, and shows what it gave', async () => {
    const answers = new FakeServer()
      .on('GET /api/mcp/servers', { body: { results: [server('srv_2', 'Web', 'ok')], next: null } })
      .on('GET /api/mcp/servers/srv_2/tools', {})
      .on('GET /api/mcp/servers/srv_2/tool-names', {
        body: { results: [tool('web_get', 'LOW')], next: null },
      })
    showPalette()
    await userEvent.click(screen.getByRole('button', { name: /Web/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Connect and read its tools' }))
    expect(await screen.findByText('web_get')).toBeTruthy()
    const [request] = answers.to('GET /api/mcp/servers/srv_2/tools')
    expect(request?.path).toBe('/api/mcp/servers/srv_2/tools?refresh=1&limit=1')
  })

  it('a row is lifted by a press, and inserted by a double click', async () => {
    const lifted: string[] = []
    const inserted = showPalette(false, { onLift: (template) => lifted.push(template.title) })
    await userEvent.pointer({ keys: '[MouseLeft>]', target: screen.getByTestId('type-if') })
    expect(lifted).toEqual(['If'])
    expect(inserted).toEqual([])
    await userEvent.dblClick(screen.getByTestId('type-if'))
    expect(inserted.map((template) => template.title)).toEqual(['If'])
  })

  it('over the canvas, one click inserts', async () => {
    const inserted = showPalette(false, { drawer: true })
    await userEvent.click(screen.getByTestId('type-if'))
    expect(inserted.map((template) => template.title)).toEqual(['If'])
  })

  it('a group is folded and unfolded, and the panel hidden', async () => {
    let hidden = 0
    showPalette(false, { onHide: () => hidden++ })
    await userEvent.click(screen.getByRole('button', { name: 'Flow' }))
    expect(screen.queryByTestId('type-if')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /^Flow/ }))
    expect(screen.getByTestId('type-if')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Hide the panel' }))
    expect(hidden).toBe(1)
  })

  it('a long list of tools shows its rest on demand', async () => {
    showPalette(false, {}, (client) =>
      client.setQueryData(
        toolNamesQuery('srv_1').queryKey,
        Array.from({ length: 15 }, (_, n) => tool(`tool_${n}`, 'LOW')),
      ),
    )
    await userEvent.click(screen.getByRole('button', { name: /Git/ }))
    expect(screen.queryByText('tool_14')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /3 more/ }))
    expect(screen.getByText('tool_14')).toBeTruthy()
  })

  it('what could not be read is asked for again', async () => {
    const answers = new FakeServer()
    showPalette(false, {}, (client) => {
      client.removeQueries({ queryKey: serversQuery.queryKey })
    })
    await screen.findByRole('button', { name: 'Try again' })
    answers.on('GET /api/mcp/servers', { body: { results: [server('srv_3', 'Mail', 'ok')], next: null } })
    await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
    await userEvent.click(await screen.findByRole('button', { name: /Mail/ }))
    const again = await screen.findByRole('button', { name: 'Try again' })
    answers.on('GET /api/mcp/servers/srv_3/tool-names', {
      body: { results: [tool('send', 'LOW')], next: null },
    })
    await userEvent.click(again)
    expect(await screen.findByText('send')).toBeTruthy()
  })
})

describe('quick add', () => {
  it('finds by typing, moves by arrows, picks by Enter', async () => {
    const picked: NodeTemplate[] = []
    everything(
      <QuickAdd at={{ x: 0, y: 0 }} onClose={() => {}} onPick={(template) => picked.push(template)} />,
    )
    await userEvent.keyboard('git_')
    const options = screen.getAllByRole('option')
    expect(options.map((option) => option.textContent)).toEqual(['git_loggit', 'git_resetgit'])
    await userEvent.keyboard('{ArrowDown}{Enter}')
    expect(picked.map((template) => template.title)).toEqual(['git_reset'])
  })

  it('has tools only for a model, stays open for more of them, and says what was added', async () => {
    const picked: NodeTemplate[] = []
    everything(
      <QuickAdd at={{ x: 0, y: 0 }} tools onClose={() => {}} onPick={(template) => picked.push(template)} />,
    )
    expect(screen.getByRole('dialog', { name: 'Add tools' })).toBeTruthy()
    expect(screen.getAllByRole('option')).toHaveLength(2)
    await userEvent.keyboard('reset{Enter}')
    await waitFor(() => expect(screen.getByRole('combobox')).toHaveProperty('value', ''))
    await userEvent.keyboard('log{Enter}')
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Added: git_reset, git_log'))
    expect(picked.map((template) => template.title)).toEqual(['git_reset', 'git_log'])
  })

  it('offers what asks a model once the providers are known, with the model there is', async () => {
    let answer: (response: Response) => void = () => {}
    const answered = new Promise<Response>((resolve) => {
      answer = resolve
    })
    vi.stubGlobal('fetch', () => answered)
    const picked: NodeTemplate[] = []
    everything(
      <QuickAdd at={{ x: 0, y: 0 }} onClose={() => {}} onPick={(template) => picked.push(template)} />,
    )
    await userEvent.keyboard('llm')
    expect(screen.queryByRole('option')).toBeNull()
    const house = { id: 'pro_1', name: 'House', slug: 'house', models: [{ id: 'm-1' }] }
    answer(Response.json({ results: [house], next: null }))
    await userEvent.click(await screen.findByRole('option', { name: /LLM/ }))
    expect(picked.map((template) => template.config)).toMatchObject([{ provider: 'house', model: 'm-1' }])
    vi.unstubAllGlobals()
  })

  it('has no second start, and Escape closes it', async () => {
    let closed = false
    everything(
      <QuickAdd
        at={{ x: 0, y: 0 }}
        onPick={() => {}}
        onClose={() => {
          closed = true
        }}
      />,
    )
    expect(screen.queryByRole('option', { name: /Start/ })).toBeNull()
    await userEvent.keyboard('{Escape}')
    expect(closed).toBe(true)
  })

  it('closes when a person presses elsewhere, not when they press in it', async () => {
    let closed = 0
    everything(<QuickAdd at={{ x: 0, y: 0 }} onPick={() => {}} onClose={() => closed++} />)
    await userEvent.pointer({ keys: '[MouseLeft]', target: screen.getByRole('combobox') })
    expect(closed).toBe(0)
    await userEvent.pointer({ keys: '[MouseLeft]', target: document.body })
    expect(closed).toBe(1)
  })

  it('the pointer chooses what it lies on', async () => {
    everything(<QuickAdd at={{ x: 0, y: 0 }} onPick={() => {}} onClose={() => {}} />)
    await userEvent.keyboard('git_')
    const [, reset] = screen.getAllByRole('option')
    await userEvent.pointer({ target: reset as HTMLElement })
    expect(reset?.getAttribute('aria-selected')).toBe('true')
  })

  it('what begins with the word comes first', () => {
    const entry = (title: string, about: string) => ({
      key: title,
      title,
      about,
      description: '',
      template: { type: 'x', title, base: 'x', config: {} },
    })
    const entries = [entry('Read a log', 'git'), entry('log', 'git'), entry('other', 'log')]
    expect(filterEntries(entries, 'log').map((filterEntry) => filterEntry.title)).toEqual([
      'log',
      'Read a log',
      'other',
    ])
    expect(filterEntries(entries, 'git log').map((filterEntry) => filterEntry.title)).toEqual([
      'Read a log',
      'log',
    ])
    expect(filterEntries(entries, 'nothing')).toEqual([])
  })
})
