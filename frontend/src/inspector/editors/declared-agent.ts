/** The skills of an agent that the document itself declares, for whoever chooses among them. */
import { useQuery } from '@tanstack/react-query'
import { isRecord, member } from '@/forms'
import { useGraph } from '@/graph/context'
import { fetchCode } from '@/loading/fetch-code'

/** What the document declares under a name; undefined where that is the registry's. */
export function useDeclared(server: string): Record<string, unknown> | undefined {
  const declared = member(
    useGraph((state) => state.graph.mcp_servers),
    server,
  )
  return isRecord(declared) ? declared : undefined
}

/** Its skills, once an admin approved it; nothing is asked for of any other server. */
export function useSkills(server: string) {
  const declared = useDeclared(server)
  return useQuery({
    queryKey: ['declaration', 'skills', declared],
    queryFn: async () => {
      const { skillsOf } = await fetchCode(() => import('@/api/declared-agents'))
      return skillsOf(declared ?? {})
    },
    enabled: String(declared?.transport).toLowerCase() === 'a2a',
  })
}
