/** What a server proposes for an argument while it is being written (`completion/complete`). */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useDebounced } from '@/ui/debounced'
import { api } from './client'
import type { Server } from './servers'

export interface CompletionRequest {
  readonly kind: 'prompt' | 'template'
  /** The prompt's name, or the template. */
  readonly of: string
  readonly argument: string
  readonly value: string
  /** The other arguments, as far as they are written. */
  readonly others: Readonly<Record<string, string>>
}

/** As many proposals as are looked through at a glance. */
const MOST = 8

/** Whether a server may complete arguments; of one that was never connected to it is not known. */
export const completes = (server: Server | undefined): boolean =>
  server?.status.declared?.capabilities.includes('completions') ?? server !== undefined

const completionsQuery = (server: string, { kind, of, argument, value, others }: CompletionRequest) =>
  queryOptions({
    queryKey: ['completions', server, kind, of, argument, value, others],
    staleTime: 60_000,
    retry: false,
    queryFn: async () => {
      const { values } = await api.post('/api/mcp/servers/{server}/complete', {
        params: { path: { server } },
        body: {
          ...(kind === 'prompt' ? { prompt: of } : { uri_template: of }),
          argument,
          value,
          arguments: others,
        },
      })
      return values
    },
  })

/** Proposals for what is written, once writing rests; nothing where nothing is asked, or the server has none. */
export function useCompletions(
  server: string,
  request: CompletionRequest,
  enabled: boolean,
): readonly string[] {
  const value = useDebounced(request.value)
  const rests = value === request.value
  const { data } = useQuery({ ...completionsQuery(server, request), enabled: enabled && rests })
  if (!enabled || !data) return []
  return data.filter((proposal) => proposal !== request.value).slice(0, MOST)
}
