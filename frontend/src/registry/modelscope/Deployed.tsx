/** The servers that ModelScope hosts for a person: listed by their token, and added with the addresses of now. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import type { components } from '@/api/schema'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Checkbox, dateTime, visible } from '@/ui'
import { TokenForm } from './TokenForm'

type HostedServer = components['schemas']['HostedServer']

/** What stands beside a server: its transport and end, or why it cannot be added. */
function useAbout() {
  const t = useT()
  return ({ id, transport, expires_at, server }: HostedServer): string => {
    const says = server
      ? [t('modelscope.added')]
      : transport
        ? [
            transport === 'sse' ? 'SSE' : 'HTTP',
            ...(expires_at ? [t('modelscope.expires', { date: dateTime(expires_at) })] : []),
          ]
        : [t('modelscope.no_address')]
    return [visible(id), ...says].join(' · ')
  }
}

export function Deployed({ onAdded }: { readonly onAdded: (servers: readonly Server[]) => void }) {
  const t = useT()
  const client = useQueryClient()
  const about = useAbout()
  const [token, setToken] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const look = useMutation({
    mutationFn: (token: string) => api.post('/api/mcp/modelscope/deployed', { body: { token } }),
    onSuccess: () => setChosen([]),
  })
  const add = useMutation({
    mutationFn: (only: string[]) =>
      api.post('/api/mcp/modelscope/deployed', { body: { token: token.trim(), only } }),
    onSuccess: async ({ created }) => {
      await client.invalidateQueries({ queryKey: ['server'] })
      onAdded(created)
    },
  })
  const change = (next: string) => {
    setToken(next)
    look.reset()
    add.reset()
    setChosen([])
  }
  const thrown = add.error ?? look.error
  const found = look.data?.found ?? []
  const blocked = chosen.length > 0 ? undefined : t('registry.add_some')
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-3 overflow-auto p-4">
        <TokenForm
          token={token}
          onToken={change}
          does={t('modelscope.show')}
          busy={look.isPending}
          error={thrown ? asApiError(thrown) : null}
          onSend={(token) => {
            add.reset()
            look.mutate(token)
          }}
        />
        <p className="text-xs text-muted" role="status">
          {look.data
            ? found.length > 0
              ? t('registry.find_count', { n: found.length })
              : t('modelscope.none')
            : ''}
        </p>
        {found.map((server) => (
          <Checkbox
            key={server.id}
            checked={chosen.includes(server.id)}
            disabled={server.server !== null || server.transport === null}
            onChange={(on) =>
              setChosen(on ? [...chosen, server.id] : chosen.filter((id) => id !== server.id))
            }
            label={visible(server.name)}
            hint={about(server)}
          />
        ))}
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('modelscope.note')}</p>
        <Button
          size="large"
          variant="primary"
          busy={add.isPending}
          blocked={blocked}
          onClick={() => add.mutate([...chosen])}
        >
          {chosen.length > 0 ? t('registry.add_n', { n: chosen.length }) : t('registry.add_some')}
        </Button>
      </div>
    </>
  )
}
