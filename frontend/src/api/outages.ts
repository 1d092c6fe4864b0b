/** Questions of one outage as one: read in groups, answered many at once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Outage = Schemas['Outage']
export type OutagePart = Schemas['OutagePart']
export type Answered = Schemas['Answered']
export interface ManyAnswers {
  readonly ids: readonly string[]
  readonly action: 'retry' | 'skip' | 'fail'
  readonly values?: { readonly result: string }
}

/** So many are answered by one request. */
const AT_ONCE = 500

export function useOutages() {
  return useQuery({
    queryKey: ['interaction', 'groups'],
    queryFn: async (): Promise<readonly Outage[]> => (await api.get('/api/interactions/groups')).results,
  })
}

/** Give the same answer to each of these questions; what became of each. */
export function useAnswerMany() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ ids, ...answer }: ManyAnswers) => {
      const results: Answered[] = []
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const body = { ...answer, ids: ids.slice(start, start + AT_ONCE) }
        results.push(...(await api.post('/api/interactions/answers', { body })).results)
      }
      return results
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['interaction'] })
      void client.invalidateQueries({ queryKey: ['run'] })
    },
  })
}
