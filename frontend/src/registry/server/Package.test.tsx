import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Server } from '@/api/servers'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, show } from '@/testing/server'
import { PackageOffered, PackageSays } from './Package'

const held: NonNullable<Server['package']> = {
  managed: true,
  name: 'mcp-server-time',
  version: '1.0.0',
  integrity: 'sha256:4ab8 sha256:5c09',
  pinned_at: '2026-11-21T12:00:00Z',
  looked_at: '2026-11-21T12:00:00Z',
  offered: '',
}

it('shows the exact version, and looks for a newer one when asked', async () => {
  const time = aServer('time', { package: held })
  const server = new FakeServer().on('POST /api/mcp/servers/srv_time/package/look', { body: time })
  show(<PackageSays server={time} />, 'admin')
  expect(screen.getByText('mcp-server-time 1.0.0')).toBeTruthy()
  expect(screen.getByText('sha256:4ab8')).toBeTruthy()
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Check for updates' }))
  await waitFor(() => expect(server.to('POST /api/mcp/servers/srv_time/package/look')).toHaveLength(1))
  expect((await screen.findByRole('status')).textContent).toBe('Up to date.')
})

it('asks before a newer version is used', async () => {
  const time = aServer('time', { package: { ...held, offered: '1.1.0' } })
  const server = new FakeServer().on('POST /api/mcp/servers/srv_time/package/update', { body: time })
  show(<PackageOffered server={time} />, 'admin')
  expect(screen.getByText(/1\.1\.0 is available\. 1\.0\.0 is used/)).toBeTruthy()
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Update to 1.1.0' }))
  await waitFor(() =>
    expect(server.to('POST /api/mcp/servers/srv_time/package/update')[0]?.body).toEqual({ version: '1.1.0' }),
  )
})

it('says where npx or uvx goes on installing by itself, and nothing where no package is', () => {
  show(<PackageSays server={aServer('git', { package: { ...held, managed: false, version: '' } })} />)
  expect(screen.getByText(/npx or uvx installs it at every start/)).toBeTruthy()
  show(<PackageOffered server={aServer('git', { package: null })} />)
  expect(screen.queryByText(/is available/)).toBeNull()
})
