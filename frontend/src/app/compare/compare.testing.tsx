/** The comparison of two documents in jsdom: the real stores, a server that knows two versions and a kept draft. */
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { onTestFinished } from 'vitest'
import type { Role } from '@/api/queries'
import type { Workflow } from '@/api/workflows'
import { GraphProvider } from '@/graph/context'
import { patchNode, remove } from '@/graph/edit/edits'
import { sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { FakeServer, show } from '@/testing/server'
import { listenToKeys, Toasts } from '@/ui'
import { CompareView } from './CompareView'

export const VERSION = {
  version: 1,
  note: '',
  published_at: '2026-11-20T09:00:00Z',
  published_by: 'alice@example.org',
}

/** What the draft has become since version 1: one node renamed, one gone, and a budget. */
export function draftNow(): Graph {
  const next = patchNode(sample(), 'log', { title: 'Commits', config: { server: 'git', tool: 'git_show' } })
  return { ...remove(next, { nodes: ['say'] }), budgets: { tokens: 100 } }
}

interface PageProps {
  readonly first: string
  readonly onAddress: (address: string | null) => void
  readonly onPublished: (version: number) => void
}

function Page({ first, onAddress, onPublished }: PageProps) {
  const [shown, setShown] = useState<string | null>(first)
  if (shown === null) return <p>The editor</p>
  return (
    <CompareView
      workflow={{ id: 'wf_1', name: 'Digest' } as Workflow}
      address={shown}
      published={2}
      onPublished={onPublished}
      save={async () => {}}
      onAddress={(next) => {
        onAddress(next)
        setShown(next)
      }}
    />
  )
}

/** The comparison at an address, as the page of the workflow shows it. */
export function open(address = '1..draft', role: Role = 'editor') {
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1/versions', {
      body: { results: [{ ...VERSION, version: 2 }, VERSION], next: null },
    })
    .on('GET /api/workflows/wf_1/versions/1', { body: { ...VERSION, graph: sample() } })
    .on('GET /api/workflows/wf_1/versions/2', { body: { ...VERSION, version: 2, graph: draftNow() } })
    .on('GET /api/workflows/wf_1/drafts', {
      body: { results: [{ revision: 4, by: null, at: '2026-11-21T09:00:00Z', current: true }], next: null },
    })
    .on('GET /api/workflows/wf_1/drafts/3', {
      body: {
        revision: 3,
        by: 'bob@example.org',
        at: '2026-11-21T08:00:00Z',
        current: false,
        graph: sample(),
      },
    })
  const store = createGraphStore(draftNow())
  store.getState().setReadOnly(role === 'viewer')
  const addresses: (string | null)[] = []
  const released: number[] = []
  onTestFinished(listenToKeys())
  show(
    <GraphProvider store={store}>
      <Page
        first={address}
        onAddress={(next) => addresses.push(next)}
        onPublished={(version) => released.push(version)}
      />
      <Toasts />
    </GraphProvider>,
    role,
  )
  return { server, store, addresses, released, user: userEvent.setup() }
}

export const row = (name: RegExp) => screen.findByRole('button', { name })
export const chosen = () => document.querySelector('.change[aria-current="true"]')?.textContent
