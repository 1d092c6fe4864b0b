/** The sign-in at a server over HTTP: how it stands, begin it, come back from it, end it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { components } from '@/api/schema'

type Schemas = components['schemas']
export type SignInState = Schemas['SignIn']
export type FlowStep = Schemas['FlowStep']
export type Returned = Schemas['ReturnedRequest']

const place = (server: string) => ({ params: { path: { server } } })

export const signInQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', 'sign-in', server],
    queryFn: () => api.get('/api/mcp/servers/{server}/sign-in', place(server)),
  })

/** Where a person who comes back without success goes on; only this tab knows. */
const LEFT = 'patchbay-sign-in-at'
export const leftFrom = (): string => sessionStorage.getItem(LEFT) ?? ''

/** Finds out where to sign in, and leaves for it. */
export function useBeginSignIn(server: { readonly id: string; readonly slug: string }) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.post('/api/mcp/sign-in/begin', { body: { server: server.id } }),
    onSuccess: ({ url }) => {
      sessionStorage.setItem(LEFT, server.slug)
      window.location.assign(url)
    },
    onError: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

/** Has Patchbay fetch a token with credentials of its own. */
export function useFetchToken(server: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.post('/api/mcp/servers/{server}/sign-in', place(server)),
    onSettled: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

export function useSignOut(server: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.delete('/api/mcp/servers/{server}/sign-in', place(server)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

export function useReturn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (back: Returned) => api.post('/api/mcp/sign-in/return', { body: back }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}
