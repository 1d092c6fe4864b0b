/** Adding a server by its URL, or by the command that starts it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { presetsQuery, type Server } from '@/api/servers'
import { fieldError, KeptSecret } from '@/forms'
import { sentenceGap, useT } from '@/i18n'
import { type Draft, detected, emptyDraft, newServer, suggestedName } from '@/registry/draft'
import {
  Auth,
  Expires,
  Headers,
  NameAndSlug,
  Program,
  Timeout,
  TransportAndTimeout,
  Trust,
  WhoMayUse,
  Whose,
} from '@/registry/fields'
import { Callout, Checkbox, TextField } from '@/ui'
import { Foot, Outcome, useAdding } from './AddFoot'
import { SecretsFound } from './SecretsFound'

interface AddProps {
  readonly onAdded: (servers: readonly Server[]) => void
}

function useDraft(transport: Draft['transport']) {
  const [draft, setDraft] = useState(() => emptyDraft(transport))
  return [draft, (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))] as const
}

const URL_FIELDS = [
  'url',
  'transport',
  'timeout_ms',
  'auth_type',
  'api_key',
  'api_key_header',
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
  'expires_at',
  'credentials',
]

export function ByUrl({ onAdded }: AddProps) {
  const t = useT()
  const adding = useAdding(onAdded)
  const [draft, change] = useDraft('detect')
  const { fields } = adding
  const props = { draft, onChange: change, fields }
  return (
    <>
      <div className="grid min-h-0 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <TextField
          label={t('registry.url')}
          required
          mono
          autoFocus
          placeholder="https://example.org/mcp"
          value={draft.url}
          onChange={(url) => change({ url })}
          error={fieldError(fields, 'url')}
        />
        <TransportAndTimeout {...props} />
        <Auth {...props} />
        <Headers {...props} />
        <NameAndSlug {...props} placeholder={suggestedName(draft)} />
        <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
          <Checkbox
            checked={draft.urlSecret}
            onChange={(urlSecret) => change({ urlSecret })}
            label={t('registry.url_is_secret')}
            hint={draft.urlSecret ? <KeptSecret /> : undefined}
          />
          {draft.urlSecret ? <Expires {...props} /> : null}
        </div>
        <WhoMayUse {...props} />
        <Whose {...props} />
        <Trust {...props} />
        <SecretsFound server={newServer(draft)} />
        <Outcome
          adding={adding}
          transport={
            draft.transport === 'sse' || (draft.transport === 'detect' && detected(draft.url) === 'sse')
              ? 'sse'
              : 'http'
          }
          shownFields={URL_FIELDS}
        />
      </div>
      <Foot
        adding={adding}
        server={() => newServer(draft)}
        note={t('registry.nothing_connects')}
        blocked={draft.url.trim() ? undefined : t('registry.needs_url')}
      />
    </>
  )
}

const COMMAND_FIELDS = [
  'command',
  'args',
  'env',
  'secret_env',
  'name',
  'slug',
  'timeout_ms',
  'cwd',
  'credentials',
]

export function ByCommand({ onAdded }: AddProps) {
  const t = useT()
  const adding = useAdding(onAdded)
  const [draft, change] = useDraft('stdio')
  const [known, setKnown] = useState(false)
  const { data: presets } = useQuery(presetsQuery)
  const off = presets?.some((preset) => preset.transport === 'stdio' && !preset.available) ?? false
  const props = { draft, onChange: change, fields: adding.fields }
  return (
    <>
      <div className="grid min-h-0 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <Callout tone="waiting">
          <p className="text-sm">
            {off ? (
              <b className="font-semibold">{t('registry.stdio_off')}</b>
            ) : (
              <>
                <b className="font-semibold">{t('registry.full_trust')}</b>
                {sentenceGap()}
                <span className="text-muted">{t('registry.full_trust_text')}</span>
              </>
            )}
          </p>
        </Callout>
        <Program {...props} />
        <NameAndSlug {...props} placeholder={suggestedName(draft)} />
        <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
          <TextField
            label={t('registry.cwd')}
            mono
            value={draft.cwd}
            onChange={(cwd) => change({ cwd })}
            error={fieldError(adding.fields, 'cwd')}
            hint={t('registry.cwd_hint')}
          />
          <Timeout {...props} />
        </div>
        <WhoMayUse {...props} />
        <Whose {...props} />
        <Checkbox checked={known} onChange={setKnown} label={t('registry.i_know')} />
        <SecretsFound server={newServer(draft)} />
        <Outcome adding={adding} transport="stdio" shownFields={COMMAND_FIELDS} />
      </div>
      <Foot
        adding={adding}
        server={() => newServer(draft)}
        note={t('registry.path_note')}
        blocked={
          off
            ? t('registry.stdio_off')
            : !draft.command.trim()
              ? t('registry.needs_command')
              : known
                ? undefined
                : t('registry.needs_known')
        }
      />
    </>
  )
}
