/** One's own credentials: what is missing is said, only what was typed is sent, and deleting asks first. */
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { loadRest } from '@/i18n'
import { FakeServer, show } from '@/testing/server'
import {
  CredentialOwnerField,
  readUserCredentials,
  type UserCredentialState,
  UserCredentials,
} from './user-credentials'

beforeAll(loadRest)

const OWN: UserCredentialState = {
  state: 'missing',
  slots: [
    { kind: 'api_key', name: '', required: true, set: true, hint: '····7f2a' },
    { kind: 'header', name: 'X-Tenant', required: true, set: false, hint: '' },
    { kind: 'env', name: 'TOKEN', required: false, set: false, hint: '' },
  ],
  updated_at: '2026-11-22T05:00:00Z',
}

const idleAction = () => ({ isPending: false, error: null, mutate: vi.fn() })

describe("a member's own credentials", () => {
  it('are sent as they were typed; what is empty stays as it is', async () => {
    new FakeServer()
    const enter = idleAction()
    show(
      <UserCredentials own={OWN} name="Search" keyLabel="Token" enter={enter} remove={idleAction()} />,
      'editor',
    )
    expect(await screen.findByText('Missing')).toBeTruthy()
    expect(screen.getByLabelText(/^Token/).getAttribute('placeholder')).toBe('stored: ····7f2a')
    fireEvent.change(screen.getByLabelText(/^X-Tenant/), { target: { value: 'mine' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save yours' }))
    expect(enter.mutate.mock.calls[0]?.[0]).toEqual({ secret_headers: { 'X-Tenant': 'mine' } })
    expect(readUserCredentials(OWN.slots, { api_key: 'k', 'secret_env.TOKEN': 't' })).toEqual({
      api_key: 'k',
      secret_env: { TOKEN: 't' },
    })
  })

  it('are deleted after a question', async () => {
    new FakeServer()
    const remove = idleAction()
    show(
      <UserCredentials own={OWN} name="Search" keyLabel="Token" enter={idleAction()} remove={remove} />,
      'editor',
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Delete yours' }))
    expect(remove.mutate).not.toHaveBeenCalled()
    expect(await screen.findByText('Delete your credentials for Search?')).toBeTruthy()
    const [, confirm] = screen.getAllByText('Delete yours', { selector: 'button' })
    fireEvent.click(confirm as HTMLElement)
    await waitFor(() => expect(remove.mutate).toHaveBeenCalledOnce())
  })

  it('are kept when the question is cancelled', async () => {
    new FakeServer()
    const remove = idleAction()
    show(
      <UserCredentials own={OWN} name="Search" keyLabel="Token" enter={idleAction()} remove={remove} />,
      'editor',
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Delete yours' }))
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(remove.mutate).not.toHaveBeenCalled()
  })

  it('are empty in the form again once they are stored, and the question goes once they are deleted', async () => {
    new FakeServer()
    const done = {
      isPending: false,
      error: null,
      mutate: (_value: unknown, options?: { onSuccess?: () => void }) => options?.onSuccess?.(),
    }
    show(<UserCredentials own={OWN} name="Search" keyLabel="Token" enter={done} remove={done} />, 'editor')
    const tenant = await screen.findByLabelText(/^X-Tenant/)
    fireEvent.change(tenant, { target: { value: 'mine' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save yours' }))
    expect(tenant).toHaveProperty('value', '')
    fireEvent.click(screen.getByRole('button', { name: 'Delete yours' }))
    fireEvent.click(screen.getAllByText('Delete yours', { selector: 'button' })[1] as HTMLElement)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('or those of the team are what is used', () => {
    const chosen: string[] = []
    show(<CredentialOwnerField value="shared" onChange={(value) => chosen.push(value)} />)
    const [, user] = screen.getAllByRole('radio')
    fireEvent.click(user as HTMLElement)
    expect(chosen).toEqual(['user'])
  })
})
