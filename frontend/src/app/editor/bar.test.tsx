/** The bar of the editor: name, undo, versions, publishing and running. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '@/graph/graph.testing'
import { setDockOpen } from '@/runs/hooks'
import { refusal } from '@/testing/server'
import {
  aRow,
  card,
  choose,
  command,
  FAILED,
  type Opening,
  openAt,
  openEditor,
  openRun,
  PUT,
  press,
} from './editor.testing'

beforeEach(() => setDockOpen(false))

const START = 'POST /api/workflows/wf_1/runs'
/** A retry that may happen, and then did. */
const again: Opening['prepare'] = (server) =>
  server.on('POST /api/runs/run_1/retry', ({ body }) =>
    (body as { dry_run?: boolean }).dry_run ? { body: PLAN } : { status: 201, body: aRow({ id: 'run_3' }) },
  )
const PLAN = {
  origin_run: 'run_1',
  origin_node: 'say',
  kept: [],
  runs: [],
  inside: [],
  below: [],
  writes: [],
  writes_total: 0,
}
const PROBLEM = { code: 'x', severity: 'error', node: 'log', message: 'Broken.' }
const BLOCKED = '1 problem prevents it from running'
const button = (name: string) => screen.findByRole('button', { name })

describe('the name', () => {
  const NAME = 'Name of the workflow'
  async function naming(prepare: Parameters<typeof openEditor>[0] = {}) {
    const opened = await openEditor(prepare)
    await opened.user.click(await button('Digest'))
    return opened
  }

  it('is another by Enter, typed over the old one', async () => {
    const { server, user } = await naming({
      prepare: (server) => server.on('PATCH /api/workflows/wf_1', { body: {} }),
    })
    await user.keyboard('Weekly{Enter}')
    expect(await button('Weekly')).toBeTruthy()
    expect(server.to('PATCH /api/workflows/wf_1')[0]?.body).toEqual({ name: 'Weekly' })
  })

  it('is the old one by Escape', async () => {
    const { server, user } = await naming()
    await user.keyboard('Weekly{Escape}')
    expect(await button('Digest')).toBeTruthy()
    expect(server.to('PATCH /api/workflows/wf_1')).toEqual([])
  })

  it('that is refused says why, and is the old one', async () => {
    const { user } = await naming({
      prepare: (server) => server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN')),
    })
    await user.keyboard('Weekly{Enter}')
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
    await user.click(await button('Digest'))
    expect(screen.getByRole('textbox', { name: NAME })).toHaveProperty('value', 'Digest')
  })
})

describe('what was done', () => {
  it('is undone and done again by its buttons', async () => {
    const { user } = await openEditor()
    await choose('log')
    press('Delete')
    const gone = () => expect(document.querySelector('[data-id="log"].react-flow__node')).toBeNull()
    await waitFor(gone)
    await user.click(await button('Undo: delete'))
    expect(await card('log')).toBeTruthy()
    await user.click(await button('Redo: delete'))
    await waitFor(gone)
  })
})

describe('versions', () => {
  const asPublished = () => screen.queryByText('Version 1 as published, read-only')
  it('are shown from the menu, which leads back to the draft', async () => {
    const { user } = await openEditor()
    await user.click(await screen.findByRole('button', { name: /^Versions/ }))
    await user.click(await screen.findByRole('menuitem', { name: /^v1/ }))
    await waitFor(() => expect(asPublished()).not.toBeNull())
    expect(window.location.search).toBe('?version=1')
    await user.click(screen.getByRole('button', { name: /^Versions/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Back to the draft' }))
    await waitFor(() => expect(asPublished()).toBeNull())
    expect(window.location.search).toBe('')
  })

  it('that are not there lead back to the draft', async () => {
    const { user } = openAt('/workflows/wf_1?version=9')
    await user.click(await button('Back to the draft'))
    expect(await screen.findByTestId('saved-state')).toBeTruthy()
    expect(window.location.search).toBe('')
  })
})

describe('publishing', () => {
  const PUBLISH = 'POST /api/workflows/wf_1/publish'
  const prepare: NonNullable<Parameters<typeof openEditor>[0]> = {
    prepare: (server) => server.on(PUBLISH, { body: { version: 3 } }),
  }
  const asking = async (opened: ReturnType<typeof openEditor>) => {
    const { server, user } = await opened
    await user.click(await button('Publish'))
    const dialog = within(await screen.findByRole('dialog', { name: 'Publish a version' }))
    return { server, user, dialog }
  }

  it('takes the note along and says which version it is', async () => {
    const { server, user, dialog } = await asking(openEditor(prepare))
    await user.type(dialog.getByRole('textbox', { name: 'What changed (optional)' }), 'more words')
    await user.click(dialog.getByRole('button', { name: 'Publish' }))
    expect(await screen.findByText('Version 3 is published')).toBeTruthy()
    expect(screen.getByText('draft of v3')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to(PUBLISH)[0]?.body).toEqual({ note: 'more words' })
  })

  it('is left by the button of its dialog', async () => {
    const { user, dialog } = await asking(openEditor(prepare))
    await user.click(dialog.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('problems', () => {
  /** A node was just added, and the server finds something wrong with it: it is being filled in. */
  async function filling() {
    const problem = { ...PROBLEM, node: 'template' }
    const opened = await openEditor({
      prepare: (server) => server.on(PUT, { body: { revision: 6, problems: [problem] } }),
    })
    await command('canvas.add')
    await opened.user.click(await screen.findByRole('option', { name: /Template/ }))
    const told = await button(BLOCKED)
    expect(told.querySelector('[data-tone="failed"]')).toBeNull()
    return { ...opened, told, loud: () => told.querySelector('[data-tone="failed"]') !== null }
  }

  it.each(['Publish', 'Run'])('of what is being filled in are told loudly after: %s', async (name) => {
    const { loud } = await filling()
    fireEvent.click(screen.getByRole('button', { name })) // it is blocked
    expect(loud()).toBe(true)
  })

  it('are listed in the panel at the bottom', async () => {
    const { user, told, loud } = await filling()
    await user.click(told)
    expect(await screen.findByRole('button', { name: /Broken\./ })).toBeTruthy()
    expect(loud()).toBe(true)
  })

  it('lead to their node', async () => {
    const { user } = await openEditor({ problems: [PROBLEM] })
    await user.click(await button(BLOCKED))
    await user.click(await screen.findByRole('button', { name: /Broken\./ }))
    expect((await card('log')).classList.contains('selected')).toBe(true)
  })

  it('that the server finds on starting are told', async () => {
    const { user } = await openEditor({
      prepare: (server) =>
        server.on(START, refusal(400, 'GRAPH_INVALID', { detail: { problems: [PROBLEM] } })),
    })
    await user.click(await button('Run'))
    expect(await button(BLOCKED)).toBeTruthy()
  })
})

describe('a run', () => {
  it('that was started is shown', async () => {
    localStorage.removeItem('flag:dock-open')
    const { user, views } = await openEditor({
      prepare: (server) => server.on(START, { status: 202, body: aRow({ id: 'run_2', state: 'QUEUED' }) }),
    })
    await user.click(await button('Run'))
    await waitFor(() => expect(views.run_2).toBeDefined())
  })

  it('that was started again is shown', async () => {
    const { user, views } = await openEditor({
      runs: [aRow()],
      lines: FAILED,
      prepare: again,
    })
    await user.click(await button('Retry from the failed step'))
    await user.click(await button('Start the new run'))
    await waitFor(() => expect(views.run_3).toBeDefined())
  })

  it('of the list is shown', async () => {
    setDockOpen(true)
    const { user, views } = await openEditor({
      runs: [aRow(), aRow({ id: 'run_0', version: 1 })],
      lines: FAILED,
    })
    await user.click(await screen.findByRole('tab', { name: 'Runs' }))
    const rows = await waitFor(() => {
      const rows = [...document.querySelectorAll<HTMLElement>('.past-run')]
      expect(rows).toHaveLength(2)
      return rows
    })
    await user.click(rows[1] as HTMLElement)
    await waitFor(() => expect(views.run_0).toBeDefined())
  })
})

describe('the menu of a card', () => {
  const prepare: Opening['prepare'] = (server) => server.on(START, { status: 202, body: { id: 'run_2' } })
  async function menu(id: string, entry: string) {
    const opened = await openEditor({ runs: [aRow()], lines: FAILED, prepare })
    const element = await card(id)
    await waitFor(() => {
      fireEvent.contextMenu(element, { clientX: 300, clientY: 200 })
      expect(screen.queryByRole('menuitem', { name: new RegExp(`^${entry}`) })).not.toBeNull()
    })
    await opened.user.click(screen.getByRole('menuitem', { name: new RegExp(`^${entry}`) }))
    return opened
  }

  it('runs up to its node', async () => {
    const { server } = await menu('log', 'Run to here')
    await waitFor(() => expect(server.to(START)[0]?.body).toMatchObject({ until: 'log' }))
  })

  it('runs its node alone', async () => {
    await menu('log', 'Run this step alone')
    expect(await screen.findByRole('dialog', { name: 'Start run' })).toBeTruthy()
  })

  it('pins what its node gave', async () => {
    const { server } = await menu('log', 'Pin the output')
    await waitFor(() => expect(server.to(PUT)).toHaveLength(1))
    expect(JSON.stringify(server.to(PUT)[0]?.body)).toContain('"pinned":{"result":"three commits"}')
  })

  it('asks for another title', async () => {
    await menu('log', 'Rename')
    expect(await screen.findByRole('textbox', { name: 'Title' })).toBeTruthy()
  })
})

describe('a node', () => {
  it('is shown that was chosen by name', async () => {
    const { user } = await openEditor()
    await act(async () => {})
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox'), 'git_log')
    await user.click(await screen.findByRole('option', { name: /git_log/ }))
    await waitFor(async () => expect((await card('log')).classList.contains('selected')).toBe(true))
  })
})

describe('the page of a run', () => {
  it('asks again when it could not be read', async () => {
    const { server, user } = openRun({
      prepare: (server) => server.on('GET /api/runs/run_1', refusal(500, 'INTERNAL')),
    })
    const again = await button('Try again')
    expect(screen.getByText('The run could not be loaded.')).toBeTruthy()
    server.on('GET /api/runs/run_1', { body: { ...aRow(), graph: sample() } })
    await user.click(again)
    expect(await screen.findByTestId('canvas')).toBeTruthy()
  })

  it('gives the panel at the bottom another size', async () => {
    const { user } = openRun()
    const bar = await screen.findByRole('separator')
    act(() => bar.focus())
    await user.keyboard('{ArrowUp}')
    expect(bar.getAttribute('aria-valuenow')).toBe('370')
  })

  it('shows the node of a step, and the moment of an event', async () => {
    const { user, views } = openRun()
    await user.click(await screen.findByRole('treeitem', { name: /git_log/ }))
    await waitFor(async () => expect((await card('log')).classList.contains('selected')).toBe(true))
    await user.click(screen.getByRole('tab', { name: /Log/ }))
    // beside the waterfall stands a log, too
    await screen.findByRole('tab', { name: /Log/, selected: true })
    const log = await screen.findByRole('log')
    await user.click(await within(log).findByText('STEP_OUTPUT'))
    await waitFor(() => expect(views.run_1?.info().scrub).toBe(5))
  })

  it('goes to the run that was started again', async () => {
    const { user } = openRun({
      prepare: again,
    })
    await user.click(await button('Retry from the failed step'))
    await user.click(await button('Start the new run'))
    await waitFor(() => expect(window.location.pathname).toBe('/runs/run_3'))
  })

  it('leads by a command to what the draft has changed since', async () => {
    openRun()
    await screen.findByTestId('canvas')
    await command('runs.compare_draft')
    expect(window.location.pathname + window.location.search).toBe('/workflows/wf_1?compare=run_1..draft')
  })
})
