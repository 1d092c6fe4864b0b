/** What the document wants from the team, each by its name: models, secrets, hosts, servers, Python. */
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Code, Globe, Lock, Server, Sparkles, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { providersQuery } from '@/api/providers'
import { serversQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { Select } from '@/ui'
import { PythonWants } from './PythonWants'
import type { Choosing, Report } from './report'
import { SecretWant } from './SecretWant'

interface Props {
  readonly report: Report
  readonly choosing: Choosing
  /** The team got something that was missing. */
  readonly onChanged: () => void
}

export function Wants({ report, choosing, onChanged }: Props) {
  const t = useT()
  const { models, secrets, hosts, servers, code } = report.wants
  const fixed = hosts.filter((host) => host.fixed).map((host) => host.host)
  return (
    <section className="import-wants" aria-label={t('importing.wants')}>
      <div className="import-want-head">
        <h3>{t('importing.wants')}</h3>
        <span className="text-xs text-muted">{t('importing.wants_hint')}</span>
      </div>
      {models.length + secrets.length + hosts.length + servers.length + code.length === 0 ? (
        <p className="px-4 py-3 text-sm text-muted">{t('importing.wants_nothing')}</p>
      ) : null}
      {models.length > 0 ? (
        <Group icon={<Sparkles aria-hidden />} title={t('importing.models')} count={models.length}>
          <ModelWants models={models} choosing={choosing} />
        </Group>
      ) : null}
      {secrets.length > 0 ? (
        <Group icon={<Lock aria-hidden />} title={t('importing.secrets')} count={secrets.length}>
          {secrets.map((want) => (
            <SecretWant key={want.name} want={want} hosts={fixed} onEntered={onChanged} />
          ))}
        </Group>
      ) : null}
      {hosts.length > 0 ? (
        <Group icon={<Globe aria-hidden />} title={t('importing.hosts')} count={hosts.length}>
          {hosts.map((want) => (
            <div key={want.host} className="import-want-line">
              <span className="truncate font-mono text-xs">{want.host}</span>
              {want.fixed ? (
                <span className="text-muted">{t('importing.fixed')}</span>
              ) : (
                <Note tone="waiting" text={t('importing.asked')} />
              )}
            </div>
          ))}
        </Group>
      ) : null}
      {servers.length > 0 ? (
        <Group icon={<Server aria-hidden />} title={t('importing.servers')} count={servers.length}>
          <ServerWants servers={servers} choosing={choosing} />
        </Group>
      ) : null}
      {code.length > 0 ? (
        <Group
          icon={<Code aria-hidden />}
          title={t('importing.python')}
          count={[
            t('importing.nodes', { n: code.length }),
            t('importing.lines_n', { n: code.reduce((sum, want) => sum + want.lines, 0) }),
          ].join(' · ')}
        >
          <PythonWants code={code} />
        </Group>
      ) : null}
    </section>
  )
}

interface GroupProps {
  readonly icon: ReactNode
  readonly title: string
  readonly count: ReactNode
  readonly children: ReactNode
}

function Group({ icon, title, count, children }: GroupProps) {
  return (
    <div className="import-want">
      <h4>
        {icon}
        <span className="flex-1">{title}</span>
        <span className="font-normal text-muted tabular-nums">{count}</span>
      </h4>
      {children}
    </div>
  )
}

/** A word on what is settled, or is not. */
export function Note({ tone, text }: { tone: 'ok' | 'waiting'; text: string }) {
  const Icon = tone === 'ok' ? CircleCheck : TriangleAlert
  return (
    <span className="import-said" data-tone={tone}>
      <Icon aria-hidden />
      {text}
    </span>
  )
}

function ModelWants({ models, choosing }: { models: Report['wants']['models']; choosing: Choosing }) {
  const t = useT()
  const providers = useQuery(providersQuery).data
  const options = (providers ?? []).flatMap((provider) =>
    provider.models.map((model) => ({
      value: JSON.stringify([provider.slug, model.id]),
      label: `${model.id} · ${provider.name}`,
    })),
  )
  if (providers?.length === 0) {
    return (
      <Link className="link" href="/settings/providers">
        {t('importing.model_add')}
      </Link>
    )
  }
  return models.map((want) => {
    const value = want.match ? JSON.stringify([want.match.provider, want.match.model]) : ''
    return (
      <div key={want.name} className="import-want-pair">
        <span className="truncate font-mono text-xs" title={want.name}>
          {want.count > 1 ? `${want.name} ×${want.count}` : want.name}
        </span>
        <Select
          aria-label={t('importing.model_for', { name: want.name })}
          value={value}
          options={[{ value: '', label: t('importing.model_choose') }, ...options]}
          onChange={(next) => {
            if (!next) return
            const [provider, model] = JSON.parse(next) as [string, string]
            choosing.model(want.name, { provider, model })
          }}
        />
      </div>
    )
  })
}

function ServerWants({ servers, choosing }: { servers: Report['wants']['servers']; choosing: Choosing }) {
  const t = useT()
  const own = useQuery(serversQuery).data ?? []
  return servers.map((want) => {
    const chosen = choosing.choices.servers?.[want.name]
    if (want.match && chosen === undefined) {
      return (
        <div key={want.name} className="import-want-line">
          <span className="truncate font-mono text-xs">{want.name}</span>
          <Note tone="ok" text={t('importing.in_registry')} />
        </div>
      )
    }
    return (
      <div key={want.name} className="grid gap-1">
        <div className="import-want-pair">
          <span className="truncate font-mono text-xs" title={want.name}>
            {want.name}
          </span>
          <Select
            aria-label={t('importing.server_for', { name: want.name })}
            value={chosen ?? ''}
            options={[
              { value: '', label: t('importing.server_choose') },
              ...own.map((server) => ({ value: server.slug, label: server.name })),
            ]}
            onChange={(slug) => slug && choosing.server(want.name, slug)}
          />
        </div>
        {want.note ? <p className="text-xs text-muted">{want.note}</p> : null}
      </div>
    )
  })
}
