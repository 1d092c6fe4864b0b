/** Whether models may choose this server's tools in runs that one starts oneself: agents, planners, LLM nodes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, asApiError } from '@/api/client'
import { type Server, serversOffQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { ErrorBox, Switch } from '@/ui'

export function ForAgents({ server }: { server: Server }) {
  const t = useT()
  const client = useQueryClient()
  const { data: off } = useQuery(serversOffQuery)
  const save = useMutation({
    mutationFn: (servers: string[]) => api.put('/api/me/servers-off', { body: { servers } }),
    onSuccess: ({ servers }) =>
      client.setQueryData(
        serversOffQuery.queryKey,
        servers.map((server) => server.id),
      ),
    onError: () => client.invalidateQueries({ queryKey: serversOffQuery.queryKey }),
  })
  if (!off) return null
  const shown = save.isPending ? save.variables : off
  const others = shown.filter((id) => id !== server.id)
  return (
    <div className="grid justify-items-start gap-1">
      <Switch
        label={t('registry.for_agents')}
        checked={!shown.includes(server.id)}
        disabled={save.isPending}
        onChange={(on) => save.mutate(on ? others : [...others, server.id])}
      />
      <p className="text-xs text-muted">{t('registry.for_agents_hint')}</p>
      {save.error ? <ErrorBox error={asApiError(save.error)} /> : null}
    </div>
  )
}
