/** Adding an external agent: its address and credentials, and what its card says when that is read first. */
import { useState } from 'react'
import type { Server, TestReport } from '@/api/servers'
import { sentenceGap, useT } from '@/i18n'
import { Foot, Outcome, useAdding } from '@/registry/add/AddFoot'
import { SecretsFound } from '@/registry/add/SecretsFound'
import { type Draft, emptyDraft, newServer, suggestedName } from '@/registry/draft'
import { Headers, NameAndSlug, Timeout, WhoMayUse, Whose } from '@/registry/fields'
import { ApiAuth } from '@/registry/openapi/ApiAuth'
import { hostOf } from '@/registry/openapi/ReadApi'
import { Button, Callout, Dialog, visible } from '@/ui'
import { AgentAddress } from './AgentAddress'

const FIELDS = [
  'url',
  'document_url',
  'auth_type',
  'api_key',
  'api_key_header',
  'api_key_in',
  'oauth_client_id',
  'oauth_client_secret',
  'oauth_grant',
  'oauth_client_auth',
  'oauth_private_key',
  'oauth_key_id',
  'headers',
  'secret_headers',
  'name',
  'slug',
  'timeout_ms',
  'credentials',
]
const SHOWN = 50

/** The skills of the card that was read. */
function Skills({ report }: { readonly report: TestReport }) {
  const t = useT()
  const rest = report.tool_count - Math.min(report.tools.length, SHOWN)
  return (
    <section className="rounded-md border border-line p-3" aria-label={t('agents.list_skills')}>
      <h3 className="text-sm font-semibold">{t('agents.skills', { n: report.tool_count })}</h3>
      <ul className="mt-1 grid max-h-48 grid-cols-1 gap-1 overflow-auto text-sm">
        {report.tools.slice(0, SHOWN).map((tool) => (
          <li key={tool.name} className="min-w-0">
            <span className="font-medium">{visible(tool.title || tool.name)}</span>{' '}
            <span className="text-muted">{visible(tool.description.split('\n')[0] ?? '')}</span>
          </li>
        ))}
        {rest > 0 ? <li className="text-muted">{t('agents.more', { n: rest })}</li> : null}
      </ul>
    </section>
  )
}

/** Where the agent is by its card, where that is on another host than was entered. */
function namedBy(report: TestReport | null): string {
  const detail: unknown = report?.stages.find((stage) => stage.name === 'card' && stage.ok === false)?.detail
  const url = typeof detail === 'object' && detail !== null && 'url' in detail ? detail.url : ''
  return typeof url === 'string' ? url : ''
}

/** Asks before messages go to another host than the one that was entered. */
function AnotherHost({
  named,
  draft,
  onChange,
}: {
  readonly named: string
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
}) {
  const t = useT()
  const host = visible(hostOf(named))
  if (!host || host === hostOf(draft.url)) return null
  return (
    <Callout tone="waiting">
      <div className="grid grid-cols-1 gap-2">
        <p className="text-sm">
          <b className="font-semibold">{t('agents.foreign_title')}</b>
          {sentenceGap()}
          <span className="text-muted">{t('agents.foreign_text', { host })}</span>
        </p>
        <Button
          className="w-fit"
          onClick={() => onChange({ url: named, documentUrl: draft.documentUrl.trim() || draft.url.trim() })}
        >
          {t('agents.foreign_use', { host })}
        </Button>
      </div>
    </Callout>
  )
}

export function AddAgent({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: (agents: readonly Server[]) => void
}) {
  const t = useT()
  const adding = useAdding((agents) => {
    onClose()
    onAdded(agents)
  }, SHOWN)
  const [draft, setDraft] = useState(() => emptyDraft('a2a'))
  const { report } = adding
  const name = (report?.ok ? report.server.name : null) ?? suggestedName(draft)
  const server = () => newServer({ ...draft, name: draft.name.trim() || name })
  const props = {
    draft,
    onChange: (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next })),
    fields: adding.fields,
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('agents.list_add')} bare>
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <AgentAddress {...props} autoFocus />
        <ApiAuth {...props} oauth />
        <Headers {...props} />
        <NameAndSlug {...props} placeholder={visible(name)} />
        <Timeout {...props} />
        <WhoMayUse {...props} />
        <Whose {...props} />
        <SecretsFound server={server()} />
        {report?.ok && !adding.testing ? <Skills report={report} /> : null}
        <AnotherHost named={adding.testing ? '' : namedBy(report)} draft={draft} onChange={props.onChange} />
        <Outcome adding={adding} transport="a2a" shownFields={FIELDS} />
      </div>
      <Foot
        adding={adding}
        server={server}
        note={t('agents.adding_sends_nothing')}
        blocked={draft.url.trim() ? undefined : t('agents.needs_address')}
        add={t('agents.list_add')}
      />
    </Dialog>
  )
}
