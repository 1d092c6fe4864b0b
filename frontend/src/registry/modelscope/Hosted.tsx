/** That ModelScope hosts a server, and looking its address up again when it has expired. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, visible } from '@/ui'
import { TokenForm } from './TokenForm'

export function Hosted({ server }: { readonly server: Server }) {
  const t = useT()
  const may = useMay('admin')
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const [token, setToken] = useState('')
  const look = useMutation({
    mutationFn: (token: string) =>
      api.post('/api/mcp/servers/{server}/modelscope', {
        params: { path: { server: server.id } },
        body: { token },
      }),
    onSuccess: () => {
      setOpen(false)
      setToken('')
      return client.invalidateQueries({ queryKey: ['server'] })
    },
  })
  return (
    <>
      <dt className="text-muted">{t('modelscope.hosted')}</dt>
      <dd className="grid min-w-0 grid-cols-1 justify-items-start gap-2">
        <code className="font-mono text-xs break-all">{visible(server.modelscope_id ?? '')}</code>
        {may ? (
          <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t('modelscope.look_up')}
          </Button>
        ) : null}
        {may && open ? (
          <TokenForm
            token={token}
            onToken={setToken}
            does={t('modelscope.look_up')}
            busy={look.isPending}
            error={look.error ? asApiError(look.error) : null}
            onSend={look.mutate}
          />
        ) : null}
        <span role="status" className="text-xs text-muted">
          {look.isSuccess ? t('modelscope.looked_up') : ''}
        </span>
      </dd>
    </>
  )
}
