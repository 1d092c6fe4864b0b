/** What a person chose about how the page looks and speaks: shown at once, kept with the account. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import { type Me, meQuery } from './queries'
import type { components } from './schema'

export type MeChange = components['schemas']['PatchedMeChangeRequest']

/** Changes oneself; the page has the change before the server has answered. */
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
