/** Hosts for requests: an admin sets them, others see them, and a host that is none is named. */
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { FakeServer, refusal, show } from '@/testing/server'
import { RequestHosts } from './RequestHosts'

const TEAM = {
  id: 'team_1',
  name: 'Platform',
  slug: 'platform',
  role: 'admin',
  budget: {},
  second_factor: false,
  request_hosts: ['api.example.org'],
}

describe('the hosts for HTTP requests', () => {
  it('are one per line', async () => {
    const server = new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('PATCH /api/teams/current', { body: { ...TEAM, request_hosts: ['a.example', '*.b.example'] } })
    show(<RequestHosts />, 'admin')
    const hosts = await screen.findByLabelText('Hosts')
    expect(hosts).toHaveProperty('value', 'api.example.org')
    expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
    fireEvent.change(hosts, { target: { value: ' A.example\n*.b.example\n' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(screen.getByLabelText('Hosts')).toHaveProperty('value', 'a.example\n*.b.example'),
    )
    expect(server.to('PATCH /api/teams/current')[0]?.body).toEqual({
      request_hosts: ['A.example', '*.b.example'],
    })
  })

  it('say which one is no host', async () => {
    const refused = {
      code: 'VALIDATION_ERROR',
      message: 'Some of the input is not valid.',
      detail: null,
      hint: '',
      fields: { 'request_hosts.1': ['must be a host'] },
    }
    new FakeServer()
      .on('GET /api/teams/current', { body: TEAM })
      .on('PATCH /api/teams/current', { status: 400, body: refused })
    show(<RequestHosts />, 'admin')
    fireEvent.change(await screen.findByLabelText('Hosts'), { target: { value: 'a.example\nhttp://b/' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('http://b/: must be a host')).toBeTruthy()
  })

  it('are asked for again once they could not be read', async () => {
    const server = new FakeServer().on('GET /api/teams/current', refusal(500, 'INTERNAL'))
    show(<RequestHosts />, 'admin')
    const again = await screen.findByRole('button', { name: 'Try again' })
    expect(screen.getByText('This could not be loaded.')).toBeTruthy()
    server.on('GET /api/teams/current', { body: TEAM })
    fireEvent.click(again)
    expect(await screen.findByLabelText('Hosts')).toHaveProperty('value', 'api.example.org')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('are not changed by others', async () => {
    new FakeServer().on('GET /api/teams/current', { body: TEAM })
    show(<RequestHosts />, 'editor')
    expect(await screen.findByLabelText('Hosts')).toHaveProperty('disabled', true)
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  })
})
