/** A server's configuration, and its end. Secrets are kept unless they are written anew. */
import { type FormEvent, Suspense, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Server } from '@/api/servers'
import { changesOrigin, ForgetsUserCredentials, fieldError, KeptSecret, SaveFoot, SecretField } from '@/forms'
import { useT } from '@/i18n'
import { SecretsFound } from '@/registry/add/SecretsFound'
import { LateAgentSettings } from '@/registry/agents/late'
import { changeOf, type Draft, draftOf, newServer } from '@/registry/draft'
import {
  Auth,
  CallsAtOnce,
  Expires,
  Headers,
  NameAndSlug,
  Program,
  RunsAtOnce,
  Timeout,
  TransportAndTimeout,
  Trust,
  WhoMayUse,
  Whose,
} from '@/registry/fields'
import { useChangeServer } from '@/registry/mutations'
import { LateApiSettings } from '@/registry/openapi/late'
import { Callout, Checkbox, ErrorBox, Field, Segmented, Skeleton, TextArea, TextField } from '@/ui'
import { BoxFields } from './Box'

function Address({ server, draft, onChange, fields }: { server: Server } & Parameters<typeof Auth>[0]) {
  const t = useT()
  const url = draft.urlSecret ? (
    <SecretField
      label={t('registry.url')}
      aside={<KeptSecret />}
      value={draft.url}
      placeholder={server.url_secret ? server.url : ''}
      onChange={(next) => onChange({ url: next })}
      error={fieldError(fields, 'url')}
      hint={server.url_secret ? t('registry.empty_keeps') : undefined}
    />
  ) : (
    <TextField
      label={t('registry.url')}
      mono
      required
      value={draft.url}
      onChange={(next) => onChange({ url: next })}
      error={fieldError(fields, 'url')}
    />
  )
  return (
    <>
      {url}
      <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
        <Checkbox
          checked={draft.urlSecret}
          onChange={(urlSecret) => onChange({ urlSecret })}
          label={t('registry.url_is_secret')}
        />
        {draft.urlSecret ? <Expires draft={draft} onChange={onChange} fields={fields} /> : null}
      </div>
      <TransportAndTimeout draft={draft} onChange={onChange} fields={fields} />
      <Auth
        draft={draft}
        onChange={onChange}
        fields={fields}
        keyHint={server.api_key_set ? server.api_key_hint : ''}
        kept={{ secret: server.oauth_client_secret_set, key: server.oauth_private_key_set }}
        keyElsewhere={server.credentials === 'user' && draft.credentials === 'user'}
      />
      <Headers draft={draft} onChange={onChange} fields={fields} />
    </>
  )
}

/** A program's command, where it starts and what it sees. */
function LocalProgram({ server, ...props }: { server: Server } & Parameters<typeof Program>[0]) {
  const t = useT()
  return (
    <>
      <Program {...props} />
      <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
        <TextField
          label={t('registry.cwd')}
          mono
          value={props.draft.cwd}
          onChange={(cwd) => props.onChange({ cwd })}
          error={fieldError(props.fields, 'cwd')}
          hint={t('registry.cwd_hint')}
        />
        <Timeout {...props} />
      </div>
      <BoxFields {...props} box={server.boxed_as} />
    </>
  )
}

/** Whether runs share what the server remembers. */
function Session({ draft, onChange }: Pick<Parameters<typeof Auth>[0], 'draft' | 'onChange'>) {
  const t = useT()
  const may = useMay('admin')
  return (
    <Field label={t('registry.session')}>
      {() => (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented<Draft['session']>
            label={t('registry.session')}
            value={draft.session}
            disabled={!may}
            onChange={(session) => onChange({ session })}
            options={[
              { value: 'shared', label: t('registry.session_shared') },
              { value: 'run', label: t('registry.session_run') },
            ]}
          />
          <span className="text-xs text-muted">{t('registry.session_hint')}</span>
        </div>
      )}
    </Field>
  )
}

/** What decides what a program does with a secret. */
const PROGRAM = ['command', 'args', 'cwd', 'env'] as const

/** Begins anew with what was saved, here or elsewhere; that it was saved is still said then. */
export function ServerSettings({ server }: { server: Server }) {
  const save = useChangeServer(server.id)
  return <SettingsForm key={server.updated_at} server={server} save={save} />
}

interface FormProps {
  readonly server: Server
  readonly save: ReturnType<typeof useChangeServer>
}

function SettingsForm({ server, save }: FormProps) {
  const t = useT()
  const may = useMay('admin')
  const [draft, setDraft] = useState(() => draftOf(server))
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }))
  const changes = changeOf(server, draft)
  const forgets =
    server.credentials === 'user' &&
    (draft.credentials === 'shared' ||
      (server.transport === 'stdio'
        ? PROGRAM.some((name) => name in changes)
        : changesOrigin(server.url, draft.url || server.url)))
  const dirty = Object.keys(changes).length > 0
  const error = save.error ? asApiError(save.error) : null
  const fields = error?.fields ?? {}
  const props = { draft, onChange: change, fields }
  const bare = server.transport === 'openapi' || server.transport === 'a2a' // without a session
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <form className="grid grid-cols-1 content-start gap-4" onSubmit={submit}>
      {may ? null : <Callout tone="idle">{t('registry.admins_only')}</Callout>}
      <fieldset className="contents" disabled={!may}>
        <NameAndSlug {...props} slug={false} />
        <TextArea
          label={t('registry.description')}
          value={draft.description}
          onChange={(description) => change({ description })}
          error={fieldError(fields, 'description')}
          rows={3}
        />
        {server.transport === 'openapi' ? (
          <Suspense fallback={<Skeleton rows={4} />}>
            <LateApiSettings server={server} {...props} />
          </Suspense>
        ) : server.transport === 'a2a' ? (
          <Suspense fallback={<Skeleton rows={4} />}>
            <LateAgentSettings server={server} {...props} />
          </Suspense>
        ) : server.transport === 'stdio' ? (
          <LocalProgram server={server} {...props} />
        ) : (
          <Address server={server} {...props} />
        )}
        <WhoMayUse {...props} />
        <Whose {...props} />
        {forgets ? <ForgetsUserCredentials /> : null}
        {bare ? null : <Session draft={draft} onChange={change} />}
        <RunsAtOnce {...props} />
        <CallsAtOnce {...props} />
        <div className="grid">
          {server.kind === 'agent' ? null : <Trust {...props} />}
          {bare ? null : (
            <Checkbox
              checked={draft.asks}
              onChange={(asks) => change({ asks })}
              label={t('registry.asks')}
              hint={t('registry.asks_hint')}
            />
          )}
        </div>
      </fieldset>
      {may && dirty ? <SecretsFound server={newServer(draft)} /> : null}
      {error ? <ErrorBox error={error} /> : null}
      <SaveFoot
        dirty={dirty}
        saved={save.isSuccess}
        busy={save.isPending}
        onRevert={() => setDraft(draftOf(server))}
      />
    </form>
  )
}
