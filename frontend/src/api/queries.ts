/**
 * What the server knows, as TanStack Query has it: the client, the keys, and who is signed in.
 *
 * Keys begin with the kind of thing, so that a hint of the websocket (`{kind: "server"}`) can invalidate them:
 * `['server']` reaches all lists and details of servers.
 */
import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { setCurrency } from '@/ui/display/format'
import { ApiError, api, chooseTeam } from './client'
import type { components } from './schema'
import { delayOf, waits } from './slow'

type Schemas = components['schemas']
export type Me = Schemas['Me']
export type Role = Me['team']['role']

/** Repeats only what may help: no answer at all, a server that is overloaded, or one that says when to come again. */
const worthRepeating = (count: number, error: unknown) =>
  count < 2 && error instanceof ApiError && (error.code === 'NETWORK' || error.status >= 502 || waits(error))

/** As the server says, else longer each time. */
const pause = (count: number, error: unknown) =>
  error instanceof ApiError && waits(error) ? delayOf(error) : 1000 * 2 ** count

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: worthRepeating, retryDelay: pause, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/** Costs are said in the currency of the team that the person acts in. */
function inTeam(me: Me): Me {
  setCurrency(me.team.currency)
  return me
}

/** Who is signed in; null when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: 60_000,
  queryFn: async (): Promise<Me | null> => {
    try {
      return inTeam(await api.get('/api/me'))
    } catch (error) {
      if (held(error)) throw error
      if (error instanceof ApiError && error.status === 401) return null
      if (error instanceof ApiError && error.status === 404) {
        chooseTeam(null) // no longer a member there: whatever team there is
        return inTeam(await api.get('/api/me'))
      }
      throw error
    }
  },
})

/** Why somebody who is signed in gets no further: no team, or a second factor to set up first. */
export interface Held {
  readonly by: 'no_team' | 'second_factor'
  readonly email: string
}

/** What an error says of somebody who is signed in and held; else null. */
export function held(error: unknown): Held | null {
  if (!(error instanceof ApiError) || error.status !== 401) return null
  const text = error.detail as { reason?: string; email?: string } | null
  const by = text?.reason
  return by === 'no_team' || by === 'second_factor' ? { by, email: text?.email ?? '' } : null
}

/**
 * The person signed in. Only below the sign-in gate, where there is one; who signed out stays known until the page that
 * asks is gone.
 */
export function useMe(): Me {
  const { data } = useQuery(meQuery)
  const known = useRef(data)
  if (data) known.current = data
  if (!known.current) throw new Error('useMe is for pages behind the sign-in')
  return known.current
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2, owner: 3 }

/** Whether a role reaches another: owner > admin > editor > viewer. */
export const reaches = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed]

/** Whether the person signed in has at least this role in the team acted in. */
export const useMay = (needed: Role): boolean => reaches(useMe().team.role, needed)

/** How many questions are open, as far as a hundred. */
export const useOpenQuestions = (): number => {
  const { data } = useQuery({
    queryKey: ['interaction', 'open-count'],
    queryFn: async () =>
      (await api.get('/api/interactions', { params: { query: { state: 'open', limit: 100 } } })).results
        .length,
  })
  return data ?? 0
}
