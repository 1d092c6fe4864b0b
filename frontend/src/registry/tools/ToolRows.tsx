/** One of a server's tools: what it may do, what was decided about it, and what changed in its definition. */
import { ChevronDown, ChevronRight, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Server, Tool } from '@/api/servers'
import { sentencesOf, useT } from '@/i18n'
import { type ToolChange, useAcceptTool, useChangeTool } from '@/registry/mutations'
import {
  Button,
  Callout,
  Chip,
  cx,
  Diff,
  ErrorBox,
  isoDate,
  JsonTree,
  RiskBadge,
  Segmented,
  Select,
  visible,
} from '@/ui'

type Policy = Tool['policy']
const POLICIES: readonly Policy[] = ['auto', 'allow', 'ask', 'deny']

const definitionText = (definition: Tool | NonNullable<Tool['pinned']>): string =>
  JSON.stringify(
    {
      name: definition.name,
      title: definition.title,
      description: definition.description,
      input_schema: definition.input_schema,
      output_schema: definition.output_schema,
      annotations: definition.annotations,
    },
    null,
    2,
  )

function PolicyChoice({ tool, onChange }: { tool: Tool; onChange: (change: ToolChange) => void }) {
  const t = useT()
  const may = useMay('admin')
  const words = {
    auto: t('registry.policy_auto'),
    allow: t('registry.policy_allow'),
    ask: t('registry.policy_ask'),
    deny: t('registry.policy_deny'),
  }
  const meanings = {
    auto: t('registry.policy_auto_means'),
    allow: t('registry.policy_allow_means'),
    ask: t('registry.policy_ask_means'),
    deny: t('registry.policy_deny_means'),
  }
  return (
    <Segmented<Policy>
      small
      label={t('registry.policy_of', { tool: visible(tool.name) })}
      value={tool.policy}
      disabled={!may}
      onChange={(policy) => onChange({ policy: policy === 'auto' ? null : policy })}
      options={POLICIES.map((policy) => ({ value: policy, label: words[policy], tip: meanings[policy] }))}
    />
  )
}

function Changed({ server, tool }: { server: string; tool: Tool }) {
  const t = useT()
  const may = useMay('admin')
  const accept = useAcceptTool(server, tool.name)
  if (!tool.changed || !tool.pinned) return null
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('registry.changed_title')}>
      <p className="text-sm text-muted">
        {t('registry.changed_title')}
        {tool.pinned_at ? ` · ${t('registry.pinned_at', { date: isoDate(tool.pinned_at) })}` : ''}
      </p>
      <Diff before={definitionText(tool.pinned)} after={definitionText(tool)} around={2} />
      {accept.error ? <ErrorBox error={asApiError(accept.error)} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-xs text-muted">{t('registry.changed_asks')}</p>
        <Button
          blocked={may ? undefined : t('registry.admins_only')}
          busy={accept.isPending}
          onClick={() => accept.mutate()}
        >
          {t('registry.accept_definition')}
        </Button>
      </div>
    </section>
  )
}

type RiskChoice = 'rules' | Tool['risk']['level']
type EffectChoice = 'rules' | 'read' | 'idempotent' | 'write'

const APPROVERS: readonly Tool['approvers'][] = ['anyone', 'not_starter', 'two_people', 'two_others']

function Overrides({ tool, onChange }: { tool: Tool; onChange: (change: ToolChange) => void }) {
  const t = useT()
  const may = useMay('admin')
  const risk = (tool.overrides.risk ?? 'rules') as RiskChoice
  const effect = (tool.overrides.effect ?? 'rules') as EffectChoice
  return (
    <div className="grid grid-cols-2 gap-3">
      <Select<RiskChoice>
        label={t('registry.risk')}
        value={risk}
        disabled={!may}
        hint={sentencesOf(tool.risk.reasons)}
        onChange={(next) => onChange({ risk: next === 'rules' ? null : next })}
        options={[
          { value: 'rules', label: t('registry.by_rules') },
          { value: 'LOW', label: t('common.risk_low') },
          { value: 'MEDIUM', label: t('common.risk_medium') },
          { value: 'HIGH', label: t('common.risk_high') },
        ]}
      />
      <Select<EffectChoice>
        label={t('registry.effect')}
        value={effect}
        disabled={!may}
        hint={t('registry.effect_hint')}
        onChange={(next) => onChange({ effect: next === 'rules' ? null : next })}
        options={[
          { value: 'rules', label: t('registry.by_rules') },
          { value: 'read', label: t('registry.effect_read') },
          { value: 'idempotent', label: t('registry.effect_idempotent') },
          { value: 'write', label: t('registry.effect_write') },
        ]}
      />
      <div className="col-span-2">
        <Select<Tool['approvers']>
          label={t('registry.approvers')}
          value={tool.approvers}
          disabled={!may}
          hint={t('registry.approvers_hint')}
          onChange={(next) => onChange({ approvers: next === 'anyone' ? null : next })}
          options={APPROVERS.map((text) => ({ value: text, label: t(`common.approvers_${text}`) }))}
        />
      </div>
    </div>
  )
}

function Schema({ title, schema }: { title: string; schema: unknown }): ReactNode {
  if (schema === null || schema === undefined) return null
  return (
    <section className="grid grid-cols-1 gap-1">
      <h3 className="section-title">{title}</h3>
      <div className="well max-h-60 overflow-auto px-0 py-1">
        <JsonTree value={schema} open={2} />
      </div>
    </section>
  )
}

export function ToolRow({
  server,
  tool,
  open,
  onToggle,
  onTry,
}: {
  readonly server: Server
  readonly tool: Tool
  readonly open: boolean
  readonly onToggle: () => void
  readonly onTry: () => void
}) {
  const t = useT()
  const change = useChangeTool(server.id, tool.name)
  const may = useMay('editor')
  const effects = {
    pure: t('registry.effect_pure'),
    read: t('registry.effect_read'),
    idempotent: t('registry.effect_idempotent'),
    write: t('registry.effect_write'),
  }
  const Chevron = open ? ChevronDown : ChevronRight
  const decide = (next: ToolChange) => change.mutate(next)
  return (
    <div className="border-b border-line">
      <div
        className={cx(
          'flex min-h-9 items-center gap-2 pr-3 phone:flex-wrap phone:gap-y-0 phone:pb-2',
          open && 'bg-[color-mix(in_srgb,var(--accent)_8%,var(--surface))]',
        )}
      >
        <button
          type="button"
          aria-expanded={open}
          onClick={onToggle}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-md pl-3 text-left -outline-offset-2 phone:basis-full"
        >
          <Chevron size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="truncate font-mono text-sm" data-tip={visible(tool.description) || undefined}>
            {visible(tool.name)}
          </span>
        </button>
        <span className="contents phone:flex phone:w-full phone:flex-wrap phone:items-center phone:gap-2 phone:pl-8">
          {tool.gone ? <Chip tone="idle">{t('registry.gone')}</Chip> : null}
          {tool.problem ? (
            <span data-tip={visible(tool.problem.message)}>
              <Chip tone="failed">{t('registry.unusable')}</Chip>
            </span>
          ) : null}
          {tool.changed ? <Chip tone="waiting">{t('registry.changed')}</Chip> : null}
          <span className="text-xs text-muted">{effects[tool.effect]}</span>
          <RiskBadge level={tool.risk.level} reasons={tool.risk.reasons} />
          <PolicyChoice tool={tool} onChange={decide} />
        </span>
      </div>
      {change.error ? (
        <div className="p-3">
          <ErrorBox error={asApiError(change.error)} />
        </div>
      ) : null}
      {open ? (
        <div className="grid grid-cols-1 gap-3 px-3 pt-2 pb-3">
          <div className="flex items-start gap-3">
            <p className="min-w-0 flex-1 text-sm whitespace-pre-line text-muted">
              {tool.title && tool.title !== tool.name ? (
                <b className="font-medium text-fg">{visible(tool.title)}. </b>
              ) : null}
              {visible(tool.description) || t('registry.no_description')}
            </p>
            {may && !tool.gone && !tool.problem ? (
              <Button size="small" icon={<Play />} onClick={onTry}>
                {t('registry.try')}
              </Button>
            ) : null}
          </div>
          {tool.problem ? (
            <Callout tone="failed">
              <p>{visible(tool.problem.message)}</p>
              <p className="text-sm text-muted">{tool.problem.hint}</p>
            </Callout>
          ) : null}
          <Changed server={server.id} tool={tool} />
          <Overrides tool={tool} onChange={decide} />
          <Schema title={t('registry.input_schema')} schema={tool.input_schema} />
          <Schema title={t('registry.output_schema')} schema={tool.output_schema} />
        </div>
      ) : null}
    </div>
  )
}
