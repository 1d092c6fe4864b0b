/** What a client asks the person at the screen for, and what becomes of the decision. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, send } from '@/api/client'
import type { Me } from '@/api/queries'
import type { components, operations } from '@/api/schema'

export type ClientAsk = components['schemas']['ClientAsk']
export type Scope = ClientAsk['scopes'][number]
export type Days = NonNullable<components['schemas']['DecisionRequest']['days']>
type Query = NonNullable<operations['client_ask']['parameters']['query']>

/** Asked once: its ticket is good for this page alone. */
export const useAsk = () =>
  useQuery({
    queryKey: ['client-ask', window.location.search],
    queryFn: () => {
      const query = Object.fromEntries(new URLSearchParams(window.location.search)) as Query
      return api.get('/api/oauth/ask', { params: { query } })
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })

/** What the person has chosen so far, and the way to say so. */
export function useDecision(ask: ClientAsk, me: Me) {
  const [team, setTeam] = useState(me.teams.find((team) => team.id === ask.team) ?? me.team)
  const [scopes, setScopes] = useState<readonly Scope[]>(
    ask.scopes.filter((scope) => scope === 'read' || scope === 'run'),
  )
  const [days, setDays] = useState<Days>(30)
  const may = team.role !== 'viewer'
  const decide = useMutation({
    mutationFn: async (allow: boolean) => {
      const chosen = may ? scopes : scopes.filter((scope) => scope === 'read')
      const body = { ticket: ask.ticket, allow, team: team.id, scopes: [...chosen], days }
      return { allow, ...(await api.post('/api/oauth/decide', { body })) }
    },
    onSuccess: ({ location }) => window.location.assign(location),
  })
  return { team, setTeam, scopes, setScopes, days, setDays, may, decide }
}

export type Decision = ReturnType<typeof useDecision>

/** Somebody else signs in, and is asked the same. */
export async function askSomebodyElse(): Promise<void> {
  try {
    await send('DELETE', '/_allauth/browser/v1/auth/session')
  } catch {
    // allauth answers 401 to a sign-out that worked: nobody is signed in any more
  }
  window.location.reload()
}
