/** A client of MCP or A2A asks to act for the person signed in: who it is, what it gets, in which team, for how long. */
import { CircleCheck, LogOut, TriangleAlert, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { asApiError } from '@/api/client'
import { type Me, useMe } from '@/api/queries'
import { sentenceGap, sentencesOf, useT } from '@/i18n'
import { ROLE_NAMES } from '@/settings/team/roles'
import { Button, Callout, Checkbox, ErrorBox, Segmented, Select, visible } from '@/ui'
import { Logo } from '../Logo'
import { askSomebodyElse, type ClientAsk, type Days, type Decision, useAsk, useDecision } from './ask'
import './consent.css'

function Card({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
  return (
    <main className="consent-page">
      <section className="consent">
        <div className="flex items-center gap-2">
          <Logo />
          <span className="flex-1 font-semibold">Patchbay</span>
          <span className="text-xs text-muted">{window.location.host}</span>
        </div>
        {children}
      </section>
    </main>
  )
}

function WhoAsks({ ask }: { ask: ClientAsk }) {
  const t = useT()
  const { client } = ask
  return (
    <section className="consent-box" aria-label={t('consent.client')}>
      <div className="flex-wrap">
        <div className="min-w-40 flex-1">
          <div className="font-medium break-words">{visible(client.name)}</div>
          <div className="text-xs break-all text-muted">
            {client.host ? client.id : t('consent.unproven')}
          </div>
        </div>
        {client.host ? (
          <span className="inline-flex items-center gap-1 text-ok" data-tip={t('consent.proven_tip')}>
            <CircleCheck size={14} aria-hidden />
            {t('consent.proven')}
          </span>
        ) : (
          <TriangleAlert size={16} className="text-waiting" aria-hidden />
        )}
      </div>
      <div className="items-start!">
        <LogOut size={16} className="mt-px flex-none text-muted" aria-hidden />
        <div className="min-w-0 flex-1 text-sm">
          <span>{t('consent.back_to')}</span>{' '}
          <code className="text-xs break-all">{visible(ask.redirect_uri)}</code>
          {ask.this_machine ? <div className="text-xs text-muted">{t('consent.this_machine')}</div> : null}
        </div>
      </div>
    </section>
  )
}

const runText = (ask: ClientAsk) => {
  if (ask.agent) return 'consent.run_agent_text'
  return ask.collection ? 'consent.run_collection' : 'consent.run_text'
}

function Scopes({ ask, decision }: { ask: ClientAsk; decision: Decision }) {
  const t = useT()
  const { scopes, setScopes, may, team } = decision
  const toggle = (scope: 'run' | 'answer') => (on: boolean) =>
    setScopes(on ? [...scopes, scope] : scopes.filter((kept) => kept !== scope))
  const named = (name: string, scope: string) => (
    <span>
      <span className="font-medium">{name}</span> <code className="text-xs text-muted">{scope}</code>
    </span>
  )
  return (
    <div className="grid gap-1">
      <h2 className="section-title break-words">{t('consent.gets', { address: ask.address })}</h2>
      <div className="consent-box">
        <div className="consent-scope">
          <Checkbox
            checked
            disabled
            onChange={() => {}}
            label={named(t(ask.agent ? 'consent.read_agent' : 'consent.read'), 'read')}
            hint={t(ask.agent ? 'consent.read_agent_text' : 'consent.read_text')}
          />
          <span className="text-xs text-muted">{t('consent.always')}</span>
        </div>
        {(['run', 'answer'] as const)
          .filter((scope) => ask.scopes.includes(scope))
          .map((scope) => (
            <div key={scope} className="consent-scope">
              <Checkbox
                checked={may && scopes.includes(scope)}
                disabled={!may}
                onChange={toggle(scope)}
                label={named(
                  t(scope === 'run' && ask.agent ? 'consent.run_agent' : `consent.${scope}`),
                  scope,
                )}
                hint={t(scope === 'run' ? runText(ask) : 'consent.answer_text')}
              />
            </div>
          ))}
      </div>
      {may ? null : <p className="text-xs text-muted">{t('consent.viewer', { team: team.name })}</p>}
    </div>
  )
}

function Never() {
  const t = useT()
  return (
    <div className="grid gap-1">
      <h2 className="section-title">{t('consent.never')}</h2>
      <ul className="grid gap-1">
        {([t('consent.never_approve'), t('consent.never_secrets')] as const).map((text) => (
          <li key={text} className="flex items-start gap-2">
            <X size={14} className="mt-0.5 flex-none text-muted" aria-hidden />
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Ends({ ask, decision }: { ask: ClientAsk; decision: Decision }) {
  const t = useT()
  return (
    <div className="consent-row">
      <span className="text-muted">{t('consent.ends')}</span>
      <Segmented
        small
        label={t('consent.ends')}
        value={String(decision.days)}
        onChange={(days) => decision.setDays(Number(days) as Days)}
        options={ask.days.map((n) => ({ value: String(n), label: t('consent.days', { n }) }))}
      />
      <span className="text-xs text-muted">{t('consent.or_leave')}</span>
    </div>
  )
}

/** The browser was sent to the client; where that opens a program, this page stays. */
function Done({ ask, decision }: { ask: ClientAsk; decision: Decision }) {
  const t = useT()
  const { data } = decision.decide
  const names = { client: visible(ask.client.name), team: decision.team.name }
  return (
    <Card title={t('consent.done')}>
      <h1>{t('consent.done')}</h1>
      <p className="text-muted" role="status">
        {t(data?.allow ? 'consent.done_allowed' : 'consent.done_refused', names)}
      </p>
      <p>
        <a className="link" href={data?.location}>
          {t('consent.go_back')}
        </a>
      </p>
    </Card>
  )
}

function WhichTeam({ ask, me, decision }: { ask: ClientAsk; me: Me; decision: Decision }) {
  const t = useT()
  if (ask.team || me.teams.length < 2) return null
  return (
    <Select
      label={t('consent.team')}
      value={decision.team.id}
      onChange={(id) => decision.setTeam(me.teams.find((team) => team.id === id) ?? me.team)}
      options={me.teams.map((team) => ({ value: team.id, label: team.name }))}
    />
  )
}

function useTitle({ agent, collection }: ClientAsk, client: string, team: string): string {
  const t = useT()
  if (agent) return t('consent.title_agent', { client, agent, team })
  return collection
    ? t('consent.title_collection', { client, collection, team })
    : t('consent.title', { client, team })
}

function Question({ ask }: { ask: ClientAsk }) {
  const t = useT()
  const me = useMe()
  const decision = useDecision(ask, me)
  const { team, decide } = decision
  const client = visible(ask.client.name)
  const title = useTitle(ask, client, team.name)
  if (decide.isSuccess) return <Done ask={ask} decision={decision} />
  const unknown = !ask.client.host && !ask.this_machine
  return (
    <Card title={title}>
      <div className="grid gap-1">
        <h1>{title}</h1>
        <p className="text-muted">
          {t('consent.you', { email: me.email, role: t(ROLE_NAMES[team.role]), team: team.name })}
          {sentenceGap()}
          <button type="button" className="link" onClick={() => void askSomebodyElse()}>
            {t('consent.not_you')}
          </button>
        </p>
      </div>
      <WhichTeam ask={ask} me={me} decision={decision} />
      <WhoAsks ask={ask} />
      {unknown ? (
        <Callout tone="waiting">{t('consent.careful', { client, host: ask.redirect_host })}</Callout>
      ) : null}
      <Scopes ask={ask} decision={decision} />
      <Never />
      <Ends ask={ask} decision={decision} />
      {decide.error ? <ErrorBox error={asApiError(decide.error)} title={t('consent.not_decided')} /> : null}
      <div className="consent-answer">
        <Button variant="primary" size="large" busy={decide.isPending} onClick={() => decide.mutate(true)}>
          {t('consent.allow')}
        </Button>
        <Button size="large" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {t('common.cancel')}
        </Button>
      </div>
      <p className="text-xs text-muted">{t('consent.foot')}</p>
    </Card>
  )
}

function Failed({ thrown }: { thrown: unknown }) {
  const t = useT()
  const error = asApiError(thrown)
  const wrong = Object.entries(error.fields)
  return (
    <Card title={t('consent.cannot')}>
      <h1>{t('consent.cannot')}</h1>
      {wrong.length > 0 ? (
        <ErrorBox error={{ code: error.code, message: t('consent.cannot_text') }}>
          <ul className="text-sm">
            {wrong.map(([name, texts]) => (
              <li key={name} className="break-words">
                <code className="text-xs">{name}</code> {visible(sentencesOf(texts))}
              </li>
            ))}
          </ul>
        </ErrorBox>
      ) : (
        <ErrorBox error={error} />
      )}
    </Card>
  )
}

export default function ConsentPage() {
  const { data, error } = useAsk()
  if (error) return <Failed thrown={error} />
  return data ? <Question ask={data} /> : null
}
