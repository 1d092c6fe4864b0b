/** A person's own servers at ModelScope: listed by a token, added, and their addresses looked up again. */
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, refusal, show } from '@/testing/server'
import { LateDeployed, LateHosted } from './late'

const DEPLOYED = 'POST /api/mcp/modelscope/deployed'
const LOOK_UP = 'POST /api/mcp/servers/srv_maps/modelscope'

const hosted = (name: string, more = {}) => ({
  id: `@example/${name}`,
  name,
  description: '',
  transport: 'http',
  expires_at: null,
  server: null,
  ...more,
})

let api: FakeServer

beforeEach(() => {
  api = new FakeServer().on(DEPLOYED, ({ body }) => ({
    body: {
      found: [
        hosted('maps', { expires_at: '2026-12-01T10:00:00Z' }),
        hosted('notes', { server: 'srv_notes' }),
        hosted('gone', { transport: null }),
      ],
      created: (body as { only?: string[] }).only ? [aServer('maps')] : [],
    },
  }))
})

const token = () => screen.findByLabelText(/^ModelScope access token/, { selector: 'input' })

it('lists what is deployed by a token, and adds what is chosen', async () => {
  const onAdded = vi.fn()
  show(<LateDeployed onAdded={onAdded} />, 'admin')
  const user = userEvent.setup()
  await user.type(await token(), ' ms-secret ')
  await user.click(screen.getByRole('button', { name: 'Show my servers' }))
  expect(await screen.findByText('3 servers listed')).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: /notes.*added/ })).toHaveProperty('disabled', true)
  expect(screen.getByRole('checkbox', { name: /gone.*no working address/ })).toHaveProperty('disabled', true)
  await user.click(screen.getByRole('checkbox', { name: /maps.*HTTP.*expires/ }))
  await user.click(screen.getByRole('button', { name: 'Add 1 server' }))
  await waitFor(() => expect(onAdded).toHaveBeenCalledWith([aServer('maps')]))
  expect(api.to(DEPLOYED).map(({ body }) => body)).toEqual([
    { token: 'ms-secret' },
    { token: 'ms-secret', only: ['@example/maps'] },
  ])
})

it('forgets what was listed with another token, and shows a refused one at its field', async () => {
  show(<LateDeployed onAdded={() => {}} />, 'admin')
  const user = userEvent.setup()
  await user.type(await token(), 'ms-secret{Enter}')
  await screen.findByText('3 servers listed')
  api.on(DEPLOYED, refusal(400, 'VALIDATION_FAILED', { fields: { token: ['is refused by example.org'] } }))
  await user.type(await token(), 'x{Enter}')
  expect(await screen.findByText('is refused by example.org')).toBeTruthy()
  expect(screen.queryByRole('checkbox')).toBeNull()
})

it('begins with nothing chosen where the list is read again', async () => {
  show(<LateDeployed onAdded={() => {}} />, 'admin')
  const user = userEvent.setup()
  await user.type(await token(), 'ms-secret{Enter}')
  const maps = () => screen.findByRole<HTMLInputElement>('checkbox', { name: /maps/ })
  await user.click(await maps())
  expect((await maps()).checked).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Show my servers' }))
  await waitFor(async () => expect((await maps()).checked).toBe(false))
})

it('looks an address up again, for admins', async () => {
  const maps = aServer('maps', { modelscope_id: '@example/maps' })
  api.on(LOOK_UP, { body: maps })
  show(
    <dl>
      <LateHosted server={maps} />
    </dl>,
    'admin',
  )
  const user = userEvent.setup()
  expect(await screen.findByText('@example/maps')).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Look up address again' }))
  await user.type(await token(), 'ms-secret{Enter}')
  expect(await screen.findByText('Address looked up. Test the connection.')).toBeTruthy()
  expect(api.to(LOOK_UP)[0]?.body).toEqual({ token: 'ms-secret' })
  expect(screen.queryByLabelText(/^ModelScope access token/, { selector: 'input' })).toBeNull()
})

it('offers nobody else to look it up', async () => {
  show(
    <dl>
      <LateHosted server={aServer('maps', { modelscope_id: '@example/maps' })} />
    </dl>,
    'viewer',
  )
  expect(await screen.findByText('@example/maps')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})
