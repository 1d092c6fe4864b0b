/** What a server is, at a glance. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { Link } from 'wouter'
import { ApiError, asApiError } from '@/api/client'
import { type Server, workflowsNamingQuery } from '@/api/servers'
import { listOf, type Translate, useT } from '@/i18n'
import { targetOf } from '@/registry/list/health'
import { HealthWord } from '@/registry/list/ServerList'
import { LateHosted } from '@/registry/modelscope/late'
import { LateSignIn } from '@/registry/sign-in/late'
import { dateTime, duration, EmptyState, ErrorBox, LoadFailed, RelativeTime, Skeleton, visible } from '@/ui'
import { boxRows, Unboxed } from './Box'
import { Calls } from './Calls'
import { ForAgents } from './ForAgents'
import { PackageOffered, PackageSays } from './Package'
import { ProgramDecisionNote } from './Programs'

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

const names = (record: Readonly<Record<string, unknown>>): string => listOf(Object.keys(record))

/** Why it could not be reached when it was last tried, and what to do; the test of the connection stands above. */
function Unwell({ server }: { readonly server: Server }) {
  const { state, code, message, hint } = server.status
  if (!server.enabled || state === 'ok' || state === 'unknown' || !message) return null
  return <ErrorBox error={new ApiError(0, code ?? '', message, hint)} />
}

function protocolOf({ status }: Server, t: Translate): string {
  if (!status.declared) return String(status.protocol)
  const era = status.declared.era === 'modern' ? t('registry.era_modern') : t('registry.era_handshake')
  return `${status.protocol} · ${era}`
}

/** What it said of itself when it was last connected to: words of a stranger. */
function Declared({ declared }: { readonly declared: Server['status']['declared'] }) {
  const t = useT()
  if (!declared) return null
  const { capabilities, extensions, instructions } = declared
  return (
    <>
      {capabilities.length > 0 ? (
        <Row name={t('registry.capabilities')}>{visible(listOf(capabilities))}</Row>
      ) : null}
      {extensions.length > 0 ? (
        <Row name={t('registry.extensions')}>{visible(listOf(extensions))}</Row>
      ) : null}
      {instructions ? (
        <Row name={t('registry.instructions')}>
          <span className="whitespace-pre-line">{visible(instructions)}</span>
        </Row>
      ) : null}
    </>
  )
}

export function Overview({ server }: { server: Server }) {
  const t = useT()
  const { status } = server
  const identity = [status.server_name, status.server_version].filter(Boolean).join(' ')
  const secrets = names({ ...server.secret_env, ...server.secret_headers })
  const plain = names({ ...server.env, ...server.headers })
  return (
    <div className="grid grid-cols-1 gap-4">
      {server.description ? <p>{server.description}</p> : null}
      <Unwell server={server} />
      {server.auth_type === 'oauth' ? (
        <Suspense fallback={null}>
          <LateSignIn server={server} />
        </Suspense>
      ) : null}
      {server.boxed_as ? <Unboxed box={server.boxed_as} /> : null}
      <PackageOffered server={server} />
      <ForAgents server={server} />
      <Calls server={server} />
      <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm">
        <Row name={t('registry.health')}>
          <HealthWord server={server} />
        </Row>
        <Row name={server.transport === 'stdio' ? t('registry.command') : t('registry.url')}>
          <code className="font-mono text-xs break-all">{targetOf(server)}</code>
        </Row>
        {server.modelscope_id ? (
          <Suspense fallback={null}>
            <LateHosted server={server} />
          </Suspense>
        ) : null}
        {server.transport === 'openapi' ? (
          <Row name={t('registry.api_document')}>
            {server.document_url ? (
              <code className="font-mono text-xs break-all">{server.document_url}</code>
            ) : (
              t('registry.api_document_pasted')
            )}
          </Row>
        ) : null}
        {server.transport === 'a2a' && server.document_url ? (
          <Row name={t('registry.agent_card')}>
            <code className="font-mono text-xs break-all">{server.document_url}</code>
          </Row>
        ) : null}
        {server.approval && server.approval.state !== 'free' && server.approval.state !== 'waiting' ? (
          <Row name={t('registry.program')}>
            <ProgramDecisionNote server={server} />
          </Row>
        ) : null}
        {server.cwd ? <Row name={t('registry.cwd')}>{server.cwd}</Row> : null}
        {server.expires_at ? (
          <Row name={t('registry.expires')}>
            {dateTime(server.expires_at)} · <RelativeTime value={server.expires_at} />
          </Row>
        ) : null}
        <Row name={t('registry.slug')}>
          <code className="font-mono text-xs">{server.slug}</code>
        </Row>
        {identity ? <Row name={t('registry.calls_itself')}>{identity}</Row> : null}
        {status.protocol ? <Row name={t('registry.protocol')}>{protocolOf(server, t)}</Row> : null}
        <Declared declared={status.declared} />
        {status.checked_at ? (
          <Row name={t('registry.last_checked')}>
            <RelativeTime value={status.checked_at} />
            {status.latency_ms === null ? '' : ` · ${duration(status.latency_ms)}`}
          </Row>
        ) : null}
        {server.auth_type === 'oauth' ? (
          <Row name={t('registry.sign_in_with')}>{t('registry.auth_oauth')}</Row>
        ) : server.auth_type !== 'none' ? (
          <Row name={t('registry.sign_in_with')}>
            {server.auth_type === 'bearer'
              ? t('registry.auth_bearer')
              : server.auth_type === 'basic'
                ? 'Basic'
                : server.api_key_header}
            {server.api_key_set ? ` ${server.api_key_hint}` : ` · ${t('registry.not_set')}`}
          </Row>
        ) : null}
        {plain ? (
          <Row name={server.transport === 'stdio' ? t('registry.environment') : t('registry.headers')}>
            {plain}
          </Row>
        ) : null}
        {secrets ? <Row name={t('registry.secrets')}>{secrets}</Row> : null}
        {server.package ? (
          <Row name={t('registry.package')}>
            <PackageSays server={server} />
          </Row>
        ) : null}
        {server.boxed_as
          ? boxRows(server.boxed_as, t).map(({ name, says }) => (
              <Row key={name} name={name}>
                {says}
              </Row>
            ))
          : null}
        <Row name={t('registry.timeout')}>{duration(server.timeout_ms)}</Row>
        {server.max_runs === null ? null : <Row name={t('registry.max_runs')}>{server.max_runs}</Row>}
        {server.max_calls === null ? null : <Row name={t('registry.max_calls')}>{server.max_calls}</Row>}
        <Row name={t('registry.who')}>
          {server.visibility === 'team' ? t('registry.who_team') : t('registry.who_me')}
        </Row>
        {server.credentials === 'user' ? <Row name={t('forms.whose')}>{t('forms.whose_user')}</Row> : null}
        {server.kind === 'agent' ? null : (
          <Row name={t('registry.trust')}>{server.trust_annotations ? t('common.yes') : t('common.no')}</Row>
        )}
        <Row name={t('registry.added')}>
          <RelativeTime value={server.created_at} />
        </Row>
      </dl>
    </div>
  )
}

export function UsedBy({ server }: { server: Server }) {
  const t = useT()
  const { data, error, refetch } = useQuery(workflowsNamingQuery(server))
  if (error) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return <Skeleton rows={3} />
  if (data.results.length === 0) {
    return <EmptyState flush title={t('registry.used_by_none')} text={t('registry.used_by_none_text')} />
  }
  return (
    <ul className="overflow-hidden rounded-md border border-line">
      {data.results.map((workflow) => (
        <li key={workflow.id} className="border-b border-line last:border-0">
          <Link
            href={`/workflows/${workflow.id}`}
            className="flex min-h-9 items-center gap-3 px-3 hover:bg-hover"
          >
            <span className="truncate font-medium">{workflow.name}</span>
            <span className="ml-auto text-xs text-muted">
              {workflow.published_version === null
                ? t('registry.not_published')
                : t('registry.published', { version: `v${workflow.published_version}` })}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
