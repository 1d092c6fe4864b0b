/** Settings: oneself, the team, model providers, API tokens, secrets, and what this installation is. */
import { Info, KeyRound, Lock, ScrollText, Server, ShieldCheck, Sparkles, User, Users } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { useMe } from '@/api/queries'
import { useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { cx, PageBar, Select, Skeleton, usePhone } from '@/ui'
import { About } from './About'
import { Profile } from './Profile'
import { Secrets } from './Secrets'
import { Security } from './Security'
import { Team } from './Team'
import { Tokens } from './Tokens'

const Providers = lazily(async () => ({
  default: (await fetchCode(() => import('./providers/Providers'))).Providers,
}))

const Audit = lazily(async () => ({ default: (await fetchCode(() => import('./audit/Audit'))).Audit }))

const Installation = lazily(async () => ({
  default: (await fetchCode(() => import('./installation/Installation'))).Installation,
}))

const SECTIONS = [
  'profile',
  'security',
  'team',
  'providers',
  'tokens',
  'secrets',
  'audit',
  'installation',
  'about',
] as const
type Section = (typeof SECTIONS)[number]

const isSection = (text: string | undefined): text is Section => SECTIONS.includes(text as Section)

/** Each section's name and icon. */
function useNames(): Readonly<Record<Section, [string, ReactNode]>> {
  const t = useT()
  const icon = { size: 16, strokeWidth: 1.5, 'aria-hidden': true } as const
  return {
    profile: [t('settings.profile'), <User key="profile" {...icon} />],
    security: [t('people.security'), <ShieldCheck key="security" {...icon} />],
    team: [t('settings.team'), <Users key="team" {...icon} />],
    providers: [t('providers.title'), <Sparkles key="providers" {...icon} />],
    tokens: [t('settings.tokens'), <KeyRound key="tokens" {...icon} />],
    secrets: [t('settings.secrets'), <Lock key="secrets" {...icon} />],
    audit: [t('audit.title'), <ScrollText key="audit" {...icon} />],
    installation: [t('installation.title'), <Server key="installation" {...icon} />],
    about: [t('settings.about'), <Info key="about" {...icon} />],
  }
}

/** The way to the other sections: a column of links, one field on a phone. */
function Sections({ sections, shown }: { readonly sections: readonly Section[]; readonly shown: Section }) {
  const t = useT()
  const phone = usePhone()
  const [, navigate] = useLocation()
  const names = useNames()
  if (phone)
    return (
      <div className="flex-none border-b border-line bg-surface px-4 py-2">
        <Select
          aria-label={t('settings.section')}
          value={shown}
          onChange={(next) => navigate(`/settings/${next}`)}
          options={sections.map((value) => ({ value, label: names[value][0] }))}
        />
      </div>
    )
  return (
    <nav
      aria-label={t('app.settings')}
      className="w-(--panel) flex-none border-r border-line bg-surface py-2 narrow:w-50"
    >
      {sections.map((section) => (
        <Link
          key={section}
          href={`/settings/${section}`}
          aria-current={section === shown ? 'page' : undefined}
          className={cx(
            'flex h-7 items-center gap-2 px-4 text-muted hover:bg-hover hover:text-fg',
            section === shown && 'bg-press font-medium text-fg',
          )}
        >
          {names[section][1]}
          {names[section][0]}
        </Link>
      ))}
    </nav>
  )
}

/** What a section shows; `item` = the provider that is open. */
function content(section: Section, item: string | undefined): ReactNode {
  switch (section) {
    case 'profile':
      return <Profile />
    case 'security':
      return <Security />
    case 'team':
      return <Team />
    case 'providers':
      return <Providers item={item} />
    case 'tokens':
      return <Tokens />
    case 'secrets':
      return <Secrets />
    case 'audit':
      return <Audit />
    case 'installation':
      return <Installation />
    case 'about':
      return <About />
  }
}

export default function SettingsPage() {
  const t = useT()
  const { section, item } = useParams<{ section?: string; item?: string }>()
  const operator = useMe().operator
  const names = useNames()
  const sections = SECTIONS.filter((name) => name !== 'installation' || operator)
  const shown: Section = isSection(section) && sections.includes(section) ? section : 'profile'
  const wide = shown === 'audit' || shown === 'installation' || (shown === 'providers' && item)
  return (
    <>
      <PageBar title={t('app.settings')} />
      <div className="flex min-h-0 flex-1 phone:flex-col">
        <Sections sections={sections} shown={shown} />
        <div className="min-h-0 min-w-0 flex-1 overflow-auto bg-surface">
          <div
            className={cx(
              'padded grid grid-cols-1 content-start gap-4 p-4',
              wide ? 'max-w-240' : 'max-w-180',
            )}
          >
            {shown === 'providers' ? null : <h2>{names[shown][0]}</h2>}
            <Suspense fallback={<Skeleton rows={shown === 'providers' ? 4 : 8} />}>
              {content(shown, item)}
            </Suspense>
          </div>
        </div>
      </div>
    </>
  )
}
