import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import type { Interaction } from '@/api/run-types'
import { setLanguage } from '@/i18n'
import { FakeServer, show } from '@/testing/server'
import { aQuestion } from './interactions.testing'
import { QuestionForm } from './QuestionForm'

const ANSWER = 'POST /api/interactions/int_1/answer'

function ask(change: Partial<Interaction> = {}, role: Parameters<typeof show>[1] = 'admin') {
  const question = aQuestion({
    kind: 'server',
    title: 'octo',
    message: 'The team’s sign-in at the server octo is missing or has ended.',
    tool: { server: 'octo', name: 'echo' },
    risk: null,
    schema: null,
    proposal: null,
    sign_in: { server: 'octo', shared: true, person: null },
    ...change,
  })
  const server = new FakeServer().on(ANSWER, { body: { ...question, state: 'answered' } })
  show(<QuestionForm question={question} />, role)
  return { server, user: userEvent.setup() }
}

afterEach(() => setLanguage('en'))

describe('a call that waits for a sign-in', () => {
  it('says whose it is, and leads to where one signs in', () => {
    ask()
    expect(screen.getByText('The team’s. An admin signs in for everyone.')).toBeTruthy()
    const way = screen.getByRole('link', { name: 'Go to sign-in' })
    expect(way.getAttribute('href')).toBe('/registry/octo/overview')
    expect(screen.getByText('octo/echo')).toBeTruthy()
  })

  it.each([
    ['Try again', 'accept'],
    ['Fail', 'decline'],
    ['Cancel the run', 'cancel'],
  ])('is decided by who may: %s', async (name, action) => {
    const { server, user } = ask()
    await user.click(screen.getByRole('button', { name }))
    await waitFor(() => expect(server.to(ANSWER).map(({ body }) => body)).toEqual([{ action }]))
    await waitFor(() => expect(screen.queryByRole('button', { name })).toBeNull())
  })

  it('is not decided by those whose credentials they are not', () => {
    const { server } = ask(
      { sign_in: { server: 'octo', shared: false, person: 'ben@example.org' } },
      'editor',
    )
    const again = screen.getByRole('button', { name: 'Try again' })
    expect(again.getAttribute('data-tip')).toBe(
      'Another member’s sign-in: only they or an admin can decide this.',
    )
    fireEvent.click(again)
    expect(server.to(ANSWER)).toEqual([])
    expect(screen.getByText('ben@example.org')).toBeTruthy()
  })

  it('leads nowhere where the server is gone', () => {
    ask({ sign_in: { server: null, shared: true, person: null } })
    expect(screen.queryByRole('link')).toBeNull()
    expect(screen.getByText('The server is no longer in the registry.')).toBeTruthy()
  })

  it('speaks Chinese', async () => {
    await setLanguage('zh')
    ask()
    expect(screen.getByRole('link', { name: '前往登录' })).toBeTruthy()
    expect(screen.getByText('团队共用，由管理员为所有人登录。')).toBeTruthy()
  })
})
