/** A server is switched off and on for models in one's own runs; the others keep their state. */
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Server } from '@/api/servers'
import { FakeServer, show } from '@/testing/server'
import { ForAgents } from './ForAgents'

const AT = '/api/me/servers-off'
const row = (id: string) => ({ id, slug: id, name: id })

it('switches one server off and on again, and leaves the others as they are', async () => {
  const server = new FakeServer()
    .on(`GET ${AT}`, { body: { servers: [row('srv_other')] } })
    .on(`PUT ${AT}`, { body: { servers: [row('srv_other'), row('srv_1')] } })
  show(<ForAgents server={{ id: 'srv_1' } as Server} />, 'viewer')
  const user = userEvent.setup()
  const it_ = await screen.findByRole<HTMLInputElement>('switch', { name: /Agents I start may use it/ })
  const on = () => it_.checked || it_.getAttribute('aria-checked') === 'true'
  expect(on()).toBe(true)
  await user.click(it_)
  await waitFor(() => expect(on()).toBe(false))
  expect(server.to(`PUT ${AT}`)[0]?.body).toEqual({ servers: ['srv_other', 'srv_1'] })
  await waitFor(() => expect(it_.disabled).toBe(false))
  server.on(`PUT ${AT}`, { body: { servers: [row('srv_other')] } })
  await user.click(it_)
  await waitFor(() => expect(on()).toBe(true))
  await waitFor(() => expect(server.to(`PUT ${AT}`)[1]?.body).toEqual({ servers: ['srv_other'] }))
})
