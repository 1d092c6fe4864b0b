/** Settings: oneself, the team, model providers, API tokens, secrets, and what this installation is. */
import { Info, KeyRound, Lock, ScrollText, Server, ShieldCheck, Sparkles, User, Users } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { useMe } from '@/api/queries'
import { useT } from '@/i18n'
import { cx, PageBar, Select, Skeleton, usePhone } from '@/ui'
import { About } from './About'
import { Profile } from './Profile'
import { Secrets } from './Secrets'
import { Security } from './Security'
import { Team } from './Team'
import { Tokens } from './Tokens'

const Providers = lazy(async () => ({ default: (await import('./providers/Providers')).Providers }))

const Audit = lazy(async () => ({ default: (await import('./audit/Audit')).Audit }))

const Installation = lazy(async () => ({
  default: (await import('./installation/Installation')).Installation,
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

export default function SettingsPage() {
  const t = useT()
  const phone = usePhone()
  const [, navigate] = useLocation()
  const { section, item } = useParams<{ section?: string; item?: string }>()
  const operator = useMe().operator
  const sections = SECTIONS.filter((one) => one !== 'installation' || operator)
  const shown: Section = isSection(section) && sections.includes(section) ? section : 'profile'
  const icon = { size: 16, strokeWidth: 1.5, 'aria-hidden': true } as const
  const names: Readonly<Record<Section, [string, ReactNode]>> = {
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
  return (
    <>
      <PageBar title={t('app.settings')} />
      <div className="flex min-h-0 flex-1 phone:flex-col">
        {phone ? (
          <div className="flex-none border-b border-line bg-surface px-4 py-2">
            <Select
              aria-label={t('settings.section')}
              value={shown}
              onChange={(next) => navigate(`/settings/${next}`)}
              options={sections.map((value) => ({ value, label: names[value][0] }))}
            />
          </div>
        ) : (
          <nav
            aria-label={t('app.settings')}
            className="w-(--panel) flex-none border-r border-line bg-surface py-2 narrow:w-50"
          >
            {sections.map((one) => (
              <Link
                key={one}
                href={`/settings/${one}`}
                aria-current={one === shown ? 'page' : undefined}
                className={cx(
                  'flex h-7 items-center gap-2 px-4 text-muted hover:bg-hover hover:text-fg',
                  one === shown && 'bg-press font-medium text-fg',
                )}
              >
                {names[one][1]}
                {names[one][0]}
              </Link>
            ))}
          </nav>
        )}
        <div className="min-h-0 min-w-0 flex-1 overflow-auto bg-surface">
          <div
            className={cx(
              'grid grid-cols-1 content-start gap-4 p-4',
              shown === 'audit' || shown === 'installation' || (shown === 'providers' && item)
                ? 'max-w-240'
                : 'max-w-180',
            )}
          >
            {shown === 'providers' ? (
              <Suspense fallback={<Skeleton rows={4} />}>
                <Providers item={item} />
              </Suspense>
            ) : (
              <h2>{names[shown][0]}</h2>
            )}
            {shown === 'profile' ? <Profile /> : null}
            {shown === 'security' ? <Security /> : null}
            {shown === 'team' ? <Team /> : null}
            {shown === 'tokens' ? <Tokens /> : null}
            {shown === 'secrets' ? <Secrets /> : null}
            {shown === 'audit' ? (
              <Suspense fallback={<Skeleton rows={8} />}>
                <Audit />
              </Suspense>
            ) : null}
            {shown === 'installation' ? (
              <Suspense fallback={<Skeleton rows={8} />}>
                <Installation />
              </Suspense>
            ) : null}
            {shown === 'about' ? <About /> : null}
          </div>
        </div>
      </div>
    </>
  )
}
