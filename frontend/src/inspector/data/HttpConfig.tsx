/** An HTTP request: what is sent where, how it signs in, and which answers count as errors. */
import { Shield, SquareTerminal } from 'lucide-react'
import { Suspense, useState } from 'react'
import { isRecord } from '@/forms'
import { sentencesOf, useT } from '@/i18n'
import { NamedRows } from '@/inspector/editors/Rows'
import { FieldFrame, TextEntry, useFieldErrors, useNodeForm, ValueEntry } from '@/inspector/node-form'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, Segmented, TextField } from '@/ui'
import { Auth } from './Auth'
import { Body } from './Body'
import { statusesIn, statusesText } from './statuses'

const PasteCurl = lazily(async () => ({
  default: (await fetchCode(() => import('@/inspector/curl/PasteCurl'))).PasteCurl,
}))

/** The usual methods; OPTIONS is shown where it is chosen. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
const MOST_SECONDS = 600

function useMethod(): string {
  const { method } = useNodeForm().node.config
  return typeof method === 'string' ? method : 'GET'
}

function Request() {
  const t = useT()
  const form = useNodeForm()
  const method = useMethod()
  const [pasting, setPasting] = useState(false)
  const offered = METHODS.includes(method) ? METHODS : [...METHODS, method]
  return (
    <>
      <FieldFrame
        label={t('http.request')}
        errors={useFieldErrors(['method'])}
        aside={
          form.disabled ? null : (
            <Button
              size="small"
              variant="quiet"
              icon={<SquareTerminal aria-hidden />}
              onClick={() => setPasting(true)}
            >
              {t('http.paste')}
            </Button>
          )
        }
      >
        <span>
          <Segmented
            small
            label={t('http.method')}
            value={method}
            disabled={form.disabled}
            options={offered.map((value) => ({ value, label: value }))}
            onChange={(next) => form.edit.config(['method'], next)}
          />
        </span>
      </FieldFrame>
      <TextEntry
        label={t('http.url')}
        path={['url']}
        value={form.node.config.url}
        placeholder="https://api.example.com/items"
      />
      {pasting ? (
        <Suspense fallback={null}>
          <PasteCurl onClose={() => setPasting(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Names with values; an expression may give all of them. */
function Rows({ name, add, base }: { name: 'query' | 'headers'; add: string; base: string }) {
  const t = useT()
  const form = useNodeForm()
  const errors = useFieldErrors([name])
  const value = form.node.config[name]
  const label = t(`http.${name}`)
  if (typeof value === 'string')
    return (
      <FieldFrame label={label} errors={errors} hint={t('http.whole_expression')}>
        <ValueEntry label={label} value={value} onChange={(next) => form.edit.config([name], next)} />
      </FieldFrame>
    )
  return (
    <FieldFrame label={label} errors={errors}>
      <NamedRows
        value={isRecord(value) ? value : {}}
        disabled={form.disabled}
        add={add}
        base={base}
        onChange={(next, place) =>
          form.edit.config([name], Object.keys(next).length > 0 ? next : undefined, [place])
        }
      />
    </FieldFrame>
  )
}

/** The text as typed, as long as it means what is stored. */
function useTyped<Value>(
  stored: Value,
  toText: (value: Value) => string,
  read: (text: string) => Value | null,
) {
  const [typed, setTyped] = useState<string>()
  const meant = typed === undefined ? null : read(typed)
  const current = typed !== undefined && (meant === null || toText(meant) === toText(stored))
  return { text: current ? typed : toText(stored), wrong: current && meant === null, setTyped }
}

function Accept() {
  const t = useT()
  const form = useNodeForm()
  const value = form.node.config.accept_status
  const stored = Array.isArray(value) ? value.map(Number) : []
  const { text, wrong, setTyped } = useTyped(stored, statusesText, statusesIn)
  const [error] = useFieldErrors(['accept_status'])
  return (
    <TextField
      label={t('http.accept')}
      type={t('http.accept_type')}
      value={text}
      placeholder="404, 500–503"
      disabled={form.disabled}
      error={wrong ? t('http.accept_wrong') : error}
      onChange={(next) => {
        setTyped(next)
        const numbers = statusesIn(next)
        if (numbers) form.edit.config(['accept_status'], numbers.length > 0 ? numbers : undefined)
      }}
    />
  )
}

const secondsIn = (text: string): number | null => {
  const seconds = text.trim() === '' ? 30 : Number(text)
  return seconds > 0 && seconds <= MOST_SECONDS ? seconds : null
}

function Timeout() {
  const t = useT()
  const form = useNodeForm()
  const value = form.node.config.timeout_s
  const { text, wrong, setTyped } = useTyped(typeof value === 'number' ? value : 30, String, secondsIn)
  const [error] = useFieldErrors(['timeout_s'])
  return (
    <TextField
      label={t('http.timeout')}
      type={t('forms.timeout_type')}
      value={text}
      inputMode="decimal"
      disabled={form.disabled}
      error={wrong ? t('http.timeout_wrong', { most: MOST_SECONDS }) : error}
      onChange={(next) => {
        setTyped(next)
        const seconds = secondsIn(next)
        if (seconds !== null) form.edit.config(['timeout_s'], seconds)
      }}
    />
  )
}

const SITE = /^https?:\/\/[^/?#\\{}\s@]+(?=[/?#]|$)/i

/** Whether it may be sent again after a crash, and whether a person is asked before. */
function GateLine() {
  const t = useT()
  const method = useMethod()
  const { url } = useNodeForm().node.config
  const kind = ['GET', 'HEAD', 'OPTIONS'].includes(method)
    ? 'http.reads'
    : ['PUT', 'DELETE'].includes(method)
      ? 'http.repeats'
      : 'http.writes'
  const fixed = typeof url !== 'string' || url.trim() === '' || SITE.test(url.trim())
  return (
    <p className="inspector-policy">
      <Shield aria-hidden />
      <span>{sentencesOf([t(kind, { method }), t(fixed ? 'http.host_fixed' : 'http.host_asked')])}</span>
    </p>
  )
}

export function HttpConfig() {
  const t = useT()
  return (
    <>
      <Request />
      <Rows name="query" add={t('http.add_query')} base="name" />
      <Rows name="headers" add={t('http.add_header')} base="X-Name" />
      <Auth />
      <Body />
      <div className="inspector-pair" data-first="wide">
        <Accept />
        <Timeout />
      </div>
      <GateLine />
    </>
  )
}
