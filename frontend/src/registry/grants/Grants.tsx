/** The approvals that people gave for good for a server's tools, and taking one back. Nothing where there are none. */
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useWorkflowNames } from '@/api/choices'
import { api, asApiError, failureOf } from '@/api/client'
import { download } from '@/api/download'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import { flatten } from '@/api/runs'
import type { components } from '@/api/schema'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Chip, Confirm, ErrorBox, LoadFailed, More, RelativeTime, toast, visible } from '@/ui'

type Grant = components['schemas']['Grant']

const grantsQuery = (server: string) =>
  infiniteQueryOptions({
    queryKey: ['server', server, 'grants'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      api.get('/api/mcp/servers/{server}/grants', {
        params: { path: { server }, query: pageParam ? { cursor: pageParam } : {} },
      }),
    getNextPageParam: (page) => page.next,
  })

export function Grants({ server }: { readonly server: Server }) {
  const t = useT()
  const query = useInfiniteQuery(grantsQuery(server.id))
  const [revoking, setRevoking] = useState<Grant | null>(null)
  const rows = flatten(query.data)
  const names = useWorkflowNames(rows.map((grant) => grant.workflow))
  if (query.error && rows.length === 0)
    return <LoadFailed error={asApiError(query.error)} title={t('grants.failed')} onRetry={query.refetch} />
  if (rows.length === 0) return null
  const nameOf = (grant: Grant) => visible(names.get(grant.workflow) ?? t('grants.gone'))
  return (
    <section className="grid grid-cols-1 content-start gap-2" aria-labelledby="grants">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="grants" className="font-semibold">
          {t('grants.title')}
        </h3>
        <Export server={server} />
      </div>
      <p className="text-xs text-muted">{t('grants.text')}</p>
      <ul className="overflow-hidden rounded-md border border-line" aria-labelledby="grants">
        {rows.map((grant) => (
          <GrantRow
            key={grant.id}
            grant={grant}
            known={names.has(grant.workflow)}
            name={nameOf(grant)}
            onWithdraw={() => setRevoking(grant)}
          />
        ))}
      </ul>
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void loadNextPage(query)}
        />
      ) : null}
      {revoking ? (
        <Withdraw
          server={server}
          grant={revoking}
          name={nameOf(revoking)}
          onClose={() => setRevoking(null)}
        />
      ) : null}
    </section>
  )
}

/** All of them as a file, not only the pages that are shown. */
function Export({ server }: { readonly server: Server }) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const take = () => {
    setBusy(true)
    void download(`/api/mcp/servers/${encodeURIComponent(server.id)}/grants/export`)
      .catch((thrown) => toast.error(failureOf(thrown)))
      .finally(() => setBusy(false))
  }
  return (
    <Button size="small" icon={<Download aria-hidden />} busy={busy} onClick={take}>
      {t('grants.export')}
    </Button>
  )
}

interface RowProps {
  readonly grant: Grant
  /** Whether its workflow is still there. */
  readonly known: boolean
  readonly name: string
  readonly onWithdraw: () => void
}

function GrantRow({ grant, known, name, onWithdraw }: RowProps) {
  const t = useT()
  const admin = useMay('admin')
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="font-mono text-sm break-all">{visible(grant.tool)}</span>
          {known ? (
            <Link href={`/workflows/${grant.workflow}`} className="link truncate">
              {name}
            </Link>
          ) : (
            <span className="text-muted">{name}</span>
          )}
          {grant.valid ? null : (
            <span data-tip={t('grants.void_tip')}>
              <Chip>{t('grants.void')}</Chip>
            </span>
          )}
        </p>
        <p className="text-xs break-words text-muted">
          {[t(`grants.of_${grant.of}`), ...grant.by.map(visible)].join(' · ')}
          {' · '}
          <RelativeTime value={grant.created_at} />
        </p>
      </div>
      <Button
        size="small"
        aria-label={t('grants.withdraw_of', { tool: grant.tool, workflow: name })}
        blocked={admin ? undefined : t('registry.admins_only')}
        onClick={onWithdraw}
      >
        {t('grants.withdraw')}
      </Button>
    </li>
  )
}

interface WithdrawProps {
  readonly server: Server
  readonly grant: Grant
  readonly name: string
  readonly onClose: () => void
}

function Withdraw({ server, grant, name, onClose }: WithdrawProps) {
  const t = useT()
  const client = useQueryClient()
  const withdraw = useMutation({
    mutationFn: () =>
      api.delete('/api/mcp/servers/{server}/grants/{grant}', {
        params: { path: { server: server.id, grant: grant.id } },
      }),
    onSuccess: onClose,
    // also where it was gone already: what is shown is read anew
    onSettled: () => client.invalidateQueries({ queryKey: grantsQuery(server.id).queryKey }),
  })
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={t('grants.withdraw_title')}
      action={t('grants.withdraw')}
      busy={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
    >
      <p>{t('grants.withdraw_text', { tool: visible(grant.tool), workflow: name })}</p>
      {withdraw.error ? <ErrorBox error={asApiError(withdraw.error)} /> : null}
    </Confirm>
  )
}
