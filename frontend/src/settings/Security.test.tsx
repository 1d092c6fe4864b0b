import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseTeam, chosenTeam } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { FakeServer, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { Security } from './Security'
import type { SecurityState } from './security/state'

const OFF: SecurityState['two_factor'] = { on: false, since: null, last_used_at: null, codes_left: 0 }
const ON: SecurityState['two_factor'] = { ...OFF, on: true, since: '2026-11-21T12:00:00Z', codes_left: 8 }
const list = (results: readonly unknown[]) => ({ body: { results, next: null } })

/** The browser's part of a passkey: it makes one without asking anybody. */
class Passkey {
  static parseRequestOptionsFromJSON = () => ({})
  static parseCreationOptionsFromJSON = () => ({})
  toJSON = () => ({ id: 'made' })
}

let server: FakeServer
let user: UserEvent

beforeEach(() => {
  vi.stubGlobal('PublicKeyCredential', Passkey)
  Object.defineProperty(navigator, 'credentials', {
    configurable: true,
    value: { create: async () => new Passkey() },
  })
  user = userEvent.setup()
  server = new FakeServer().on('GET /api/me/passkeys', list([])).on('GET /api/me/sessions', list([]))
})

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'credentials')
  queryClient.clear()
  chooseTeam(null)
})

const about = (identity_provider: string | null, two_factor = OFF) =>
  server.on('GET /api/me/security', {
    body: { password_set: identity_provider === null, asks_password: true, identity_provider, two_factor },
  })

/** The page of somebody with a password; `two_factor` = their second factor. */
function open(two_factor = OFF) {
  about(null, two_factor)
  show(
    <>
      <Security />
      <Toasts />
    </>,
    'editor',
  )
}

const press = async (name: string) => user.click(await screen.findByRole('button', { name }))
const dialog = () => within(screen.getByRole('dialog'))
const inDialog = (name: string) => user.click(dialog().getByRole('button', { name }))
const prove = () => user.type(dialog().getByLabelText('Current password'), 'pw')
const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
/** A toast, which is taken away: the next page would show it too. */
const says = async (text: string | RegExp) => {
  const toast = within((await screen.findByText(text)).closest('.toast') as HTMLElement)
  await user.click(toast.getByRole('button', { name: 'Dismiss' }))
}
const sent = (route: string) => server.to(route).map(({ body }) => body)

describe('whom the identity provider lets in', () => {
  it('is told so, in place of what asks for a password', async () => {
    about('Example Corp')
    show(<Security />, 'editor')
    expect(await screen.findByText(/You sign in through Example Corp\. Your password/)).toBeTruthy()
    expect(screen.queryByLabelText('New password')).toBeNull()
    expect(screen.queryByRole('heading', { name: /Second factor/ })).toBeNull()
    const add = screen.getByRole('button', { name: 'Add a passkey' })
    fireEvent.click(add)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(add.getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByRole('button', { name: 'Delete account' }).getAttribute('aria-disabled')).toBe('true')
  })

  it('is nobody who has a password', async () => {
    about(null)
    show(<Security />, 'editor')
    expect(await screen.findByLabelText('New password')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add a passkey' }).getAttribute('aria-disabled')).toBeNull()
    expect(screen.queryByText(/You sign in through/)).toBeNull()
  })
})

it('what could not be read is asked for again', async () => {
  show(<Security />, 'editor')
  const again = await screen.findByRole('button', { name: 'Try again' })
  about(null)
  await user.click(again)
  expect(await screen.findByRole('heading', { name: 'Password' })).toBeTruthy()
})

it('the password is changed with the present one, and tokens are kept on demand', async () => {
  server.on('POST /api/me/password', {})
  open()
  await user.type(await screen.findByLabelText('Current password'), 'old')
  await user.type(screen.getByLabelText('New password'), 'new')
  await user.click(screen.getByRole('checkbox', { name: 'Keep my API tokens' }))
  await press('Change password')
  await says(/The new password is set/)
  expect(sent('POST /api/me/password')).toEqual([
    { current_password: 'old', new_password: 'new', keep_tokens: true },
  ])
  expect(screen.getByLabelText<HTMLInputElement>('New password').value).toBe('')
})

describe('the second factor', () => {
  const begin = async () => {
    server.on('POST /api/me/two-factor/begin', { body: { svg: '<svg/>', secret: 'ABCDEFGH' } })
    open()
    await press('Set up')
    await prove()
    await inDialog('Continue')
    await screen.findByText('ABCD EFGH')
  }

  it('is set up with the password and a code of the app; its recovery codes are shown once', async () => {
    server.on('POST /api/me/two-factor/confirm', () => {
      about(null, ON)
      return { body: { codes: ['aaaa-1'] } }
    })
    await begin()
    await user.type(dialog().getByLabelText('Code'), '123 456')
    await inDialog('Turn on')
    expect(await screen.findByText('aaaa-1')).toBeTruthy()
    expect(sent('POST /api/me/two-factor/begin')).toEqual([{ password: 'pw' }])
    expect(sent('POST /api/me/two-factor/confirm')).toEqual([{ code: '123456' }])
    await inDialog('Done')
    expect(screen.queryByText('aaaa-1')).toBeNull()
    expect(await screen.findByText('8 recovery codes left')).toBeTruthy()
  })

  it.each([
    [
      'the password',
      async () => {
        open()
        await press('Set up')
      },
    ],
    ['the code', begin],
  ])('stays off where the question for %s is closed', async (_, ask) => {
    await ask()
    await inDialog('Close')
    await gone()
    expect(screen.getByRole('button', { name: 'Set up' })).toBeTruthy()
  })

  it('gets new recovery codes', async () => {
    server.on('POST /api/me/two-factor/codes', { body: { codes: ['bbbb-2'] } })
    open(ON)
    await press('New recovery codes')
    await prove()
    await inDialog('New recovery codes')
    expect(await screen.findByText('bbbb-2')).toBeTruthy()
    expect(sent('POST /api/me/two-factor/codes')).toEqual([{ password: 'pw' }])
    await inDialog('Close')
    expect(screen.queryByText('bbbb-2')).toBeNull()
  })

  it('is switched off with the password', async () => {
    server.on('POST /api/me/two-factor/off', () => {
      about(null)
      return {}
    })
    open(ON)
    await press('Turn off')
    await prove()
    await inDialog('Turn off')
    expect(await screen.findByRole('button', { name: 'Set up' })).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/me/two-factor/off')).toEqual([{ password: 'pw' }])
  })
})

describe('passkeys', () => {
  const LAPTOP = { id: 'pk_1', name: 'Laptop', created_at: '2026-11-21T12:00:00Z', last_used_at: null }
  const add = async (codes: readonly string[]) => {
    server.on('POST /api/me/passkeys/begin', { body: { options: { publicKey: {} } } })
    server.on('POST /api/me/passkeys', () => {
      server.on('GET /api/me/passkeys', list([LAPTOP]))
      return { status: 201, body: { ...LAPTOP, codes } }
    })
    open()
    await press('Add a passkey')
    await user.type(dialog().getByLabelText('Passkey name'), 'Laptop')
    await prove()
    await inDialog('Continue')
  }

  it('become one more, by the password and the browser', async () => {
    await add([])
    expect(await screen.findByRole('button', { name: 'Remove Laptop' })).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/me/passkeys/begin')).toEqual([{ password: 'pw' }])
    expect(sent('POST /api/me/passkeys')).toEqual([{ name: 'Laptop', credential: { id: 'made' } }])
  })

  it('come with recovery codes where they are the first second factor', async () => {
    await add(['cccc-3'])
    expect(await screen.findByText('cccc-3')).toBeTruthy()
    await inDialog('Done')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('stay as they are where the dialog is closed', async () => {
    open()
    await press('Add a passkey')
    await inDialog('Close')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('are removed with the password', async () => {
    server.on('GET /api/me/passkeys', list([LAPTOP]))
    server.on('POST /api/me/passkeys/pk_1/remove', () => {
      server.on('GET /api/me/passkeys', list([]))
      return {}
    })
    open()
    await press('Remove Laptop')
    await prove()
    await inDialog('Remove Laptop')
    await gone()
    await waitFor(() => expect(screen.queryByText('Laptop')).toBeNull())
    expect(sent('POST /api/me/passkeys/pk_1/remove')).toEqual([{ password: 'pw' }])
  })

  it('are kept where the question is closed', async () => {
    server.on('GET /api/me/passkeys', list([LAPTOP]))
    open()
    await press('Remove Laptop')
    await inDialog('Close')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.getByText('Laptop')).toBeTruthy()
  })
})

describe('where one is signed in', () => {
  const here = { id: 's_1', user_agent: '', ip: '192.0.2.1', current: true, last_seen_at: null }
  const there = { ...here, id: 's_2', current: false, last_seen_at: '2026-11-21T12:00:00Z' }
  const has = (...sessions: readonly object[]) => server.on('GET /api/me/sessions', list(sessions))
  beforeEach(() => has(here, there))

  it('one place is signed out of, and leaves the list', async () => {
    server.on('DELETE /api/me/sessions/s_2', () => {
      has(here)
      return {}
    })
    open()
    await press('Sign out A browser')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Sign out A browser' })).toBeNull())
  })

  it('all others are signed out of, and it is said how many they were', async () => {
    server.on('POST /api/me/sessions/end', { body: { ended: 1 } })
    open()
    await press('Sign out everywhere else')
    await says('1 other session has ended.')
  })

  it('this place is signed out of, and forgets the team', async () => {
    chooseTeam('team_1')
    open()
    await press('Sign out')
    await waitFor(() => expect(chosenTeam()).toBeNull())
    expect(server.to('DELETE /_allauth/browser/v1/auth/session')).toHaveLength(1)
  })
})

describe('the account', () => {
  beforeEach(() => {
    server.on('GET /api/me/end', list([{ id: 'team_1', name: 'Platform', fate: 'left' }]))
  })

  it('is deleted by who types its email and their password; nobody is signed in then', async () => {
    server.on('POST /api/me/end', {})
    open()
    await press('Delete account')
    expect(await dialog().findByText('Platform')).toBeTruthy()
    await user.type(dialog().getByLabelText(/^Type “bob@example.org”/), 'bob@example.org')
    await prove()
    await inDialog('Delete account')
    await waitFor(() => expect(queryClient.getQueryData(meQuery.queryKey)).toBeNull())
    expect(sent('POST /api/me/end')).toEqual([{ email: 'bob@example.org', password: 'pw' }])
  })

  it('stays where the question is answered with no', async () => {
    open()
    await press('Delete account')
    await inDialog('Cancel')
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
