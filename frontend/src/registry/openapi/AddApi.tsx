/** Adding an API by its OpenAPI document: read it, look at it, say where its operations are and how one signs in. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError, api as http } from '@/api/client'
import type { Server } from '@/api/servers'
import { fieldError } from '@/forms'
import { listOf, useT } from '@/i18n'
import { Foot, Outcome, useAdding } from '@/registry/add/AddFoot'
import { SecretsFound } from '@/registry/add/SecretsFound'
import { type Draft, emptyDraft, newServer } from '@/registry/draft'
import { type FieldsProps, Headers, NameAndSlug, Timeout, WhoMayUse, Whose } from '@/registry/fields'
import { Button, ErrorBox, Field, Segmented, TextField } from '@/ui'
import { ApiAuth } from './ApiAuth'
import { DocumentText } from './DocumentText'
import { AnotherHost, type Api, hostOf, ReadApi } from './ReadApi'

type Source = 'url' | 'text'

const FIELDS = [
  'url',
  'document',
  'document_url',
  'auth_type',
  'api_key',
  'api_key_header',
  'api_key_in',
  'headers',
  'secret_headers',
  'name',
  'slug',
  'timeout_ms',
  'credentials',
]

/** What the document says of signing in, as the form holds it. */
function signInOf(api: Api): Partial<Draft> {
  const scheme = api.schemes.find(({ kind }) => kind !== 'other')
  if (!scheme || scheme.kind === 'other') return { auth: 'none' }
  return {
    auth: scheme.kind,
    ...(scheme.kind === 'api_key' ? { keyHeader: scheme.parameter, keyIn: scheme.place || 'header' } : {}),
  }
}

/** Reading a document; what was read belongs to what was given then. */
function useReading(draft: Draft, source: Source, onRead: (api: Api) => void) {
  const documentText = source === 'url' ? draft.documentUrl.trim() : draft.document
  const reading = useMutation({
    mutationFn: async (text: string) => ({
      text,
      api: await http.post('/api/mcp/openapi', {
        body: source === 'url' ? { url: text } : { document: text },
      }),
    }),
    onSuccess: (read) => onRead(read.api),
  })
  const api = reading.data?.text === documentText ? reading.data.api : null
  const error = reading.error && reading.variables === documentText ? asApiError(reading.error) : null
  return { api, error, documentText, busy: reading.isPending, read: () => reading.mutate(documentText) }
}

function Source({
  source,
  onSource,
  draft,
  onChange,
  fields,
}: FieldsProps & { readonly source: Source; readonly onSource: (source: Source) => void }) {
  const t = useT()
  return (
    <>
      <Field label={t('openapi.source')}>
        {() => (
          <div>
            <Segmented<Source>
              label={t('openapi.source')}
              value={source}
              onChange={onSource}
              options={[
                { value: 'url', label: t('openapi.from_url') },
                { value: 'text', label: t('openapi.from_text') },
              ]}
            />
          </div>
        )}
      </Field>
      {source === 'url' ? (
        <TextField
          label={t('openapi.document_url')}
          required
          mono
          autoFocus
          placeholder="https://api.example.org/openapi.json"
          value={draft.documentUrl}
          onChange={(documentUrl) => onChange({ documentUrl })}
          error={fieldError(fields, 'document_url') ?? fieldError(fields, 'url')}
          hint={t('openapi.document_url_hint')}
        />
      ) : (
        <DocumentText
          label={t('openapi.document')}
          hint={t('openapi.document_hint')}
          value={draft.document}
          onChange={(document) => onChange({ document })}
          error={fieldError(fields, 'document')}
        />
      )}
    </>
  )
}

function Base({ api, draft, onChange, fields }: FieldsProps & { readonly api: Api }) {
  const t = useT()
  return (
    <>
      {api.bases.length > 1 ? (
        <Field label={t('openapi.bases')}>
          {(attributes) => (
            <select
              {...attributes}
              className="input"
              value={api.bases.some((base) => base.url === draft.url) ? draft.url : ''}
              onChange={(event) => onChange({ url: event.target.value })}
            >
              <option value="">–</option>
              {api.bases.map((base) => (
                <option key={base.url} value={base.url}>
                  {base.url}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      <TextField
        label={t('openapi.base')}
        required
        mono
        value={draft.url}
        onChange={(url) => onChange({ url })}
        error={fieldError(fields, 'url')}
        hint={t('openapi.base_hint')}
      />
    </>
  )
}

export function AddApi({ onAdded }: { readonly onAdded: (servers: readonly Server[]) => void }) {
  const t = useT()
  const adding = useAdding(onAdded)
  const [source, setSource] = useState<Source>('url')
  const [confirmed, setConfirmed] = useState('')
  const [draft, setDraft] = useState(() => emptyDraft('openapi'))
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }))
  const reading = useReading(draft, source, (api) =>
    change({ url: api.bases[0]?.url ?? '', ...signInOf(api) }),
  )
  const { api } = reading
  const host = hostOf(draft.url)
  const foreign = source === 'url' && host !== '' && host !== hostOf(draft.documentUrl)
  const unsupported = api?.schemes.every(({ kind }) => kind === 'other') ? api.schemes : []
  const server = () =>
    newServer({
      ...draft,
      name: draft.name.trim() || api?.title || host,
      ...(source === 'url' ? { document: '' } : { documentUrl: '' }),
    })
  const props = { draft, onChange: change, fields: adding.fields }
  const blocked = !api
    ? t('openapi.read_first')
    : !draft.url.trim()
      ? t('openapi.needs_base')
      : foreign && confirmed !== host
        ? t('openapi.needs_confirm')
        : undefined
  return (
    <>
      <div className="grid min-h-0 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <Source
          source={source}
          onSource={setSource}
          {...props}
          fields={reading.error?.fields ?? adding.fields}
        />
        <Button
          className="w-fit"
          busy={reading.busy}
          disabled={!reading.documentText.trim()}
          onClick={reading.read}
        >
          {t('openapi.read')}
        </Button>
        {reading.error && Object.keys(reading.error.fields).length === 0 ? (
          <ErrorBox error={reading.error} />
        ) : null}
        {api ? (
          <>
            <ReadApi api={api} />
            <Base api={api} {...props} />
            {foreign ? (
              <AnotherHost
                source={draft.documentUrl}
                base={draft.url}
                confirmed={confirmed === host}
                onConfirm={(yes) => setConfirmed(yes ? host : '')}
              />
            ) : null}
            <ApiAuth {...props} />
            {unsupported.length > 0 ? (
              <p className="text-xs text-muted">
                {t('openapi.unsupported', { names: listOf(unsupported.map((scheme) => scheme.name)) })}
              </p>
            ) : null}
            <Headers {...props} />
            <NameAndSlug {...props} placeholder={api.title || host} />
            <Timeout {...props} />
            <WhoMayUse {...props} />
            <Whose {...props} />
            <SecretsFound server={server()} />
          </>
        ) : null}
        <Outcome adding={adding} transport="openapi" shownFields={FIELDS} />
      </div>
      <Foot adding={adding} server={server} note={t('openapi.adding_calls_nothing')} blocked={blocked} />
    </>
  )
}
