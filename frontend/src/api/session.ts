/**
 * What a person does with their own session: going from team to team and signing out, which forgets everything known, and
 * choosing how the page looks and speaks.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, chooseTeam, send } from './client'
import { type Me, meQuery, queryClient } from './queries'
import type { components } from './schema'

/** Begins anew at the first page, in the team named; null = in whatever team there is. */
export function enterTeam(id: string | null): void {
  chooseTeam(id)
  queryClient.clear()
  window.location.assign('/')
}

export async function signOut(): Promise<void> {
  try {
    await send('DELETE', '/_allauth/browser/v1/auth/session')
  } catch {
    // allauth answers 401 to a sign-out that worked: nobody is signed in any more
  }
  enterTeam(null)
}

export type MeChange = components['schemas']['PatchedMeChangeRequest']

/** Changes how the page looks and speaks to oneself; the page has the change before the server has answered. */
export function useChangeMe() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: MeChange) => api.patch('/api/me', { body: change }),
    onMutate: (change) => {
      const before = client.getQueryData<Me | null>(meQuery.queryKey)
      if (before) client.setQueryData(meQuery.queryKey, { ...before, ...change })
      return before
    },
    onError: (_error, _change, before) => {
      if (before) client.setQueryData(meQuery.queryKey, before)
    },
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
  })
}
