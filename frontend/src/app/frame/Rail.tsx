/** The app's navigation: a rail of 44 px on every page, on a phone the tab bar at the bottom. */
import {
  Activity,
  BookOpen,
  ChartColumn,
  Check,
  Inbox,
  LogOut,
  Plus,
  Server,
  Settings2,
  Users,
  Workflow,
  Zap,
} from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { reaches, useMe, useOpenQuestions } from '@/api/queries'
import { enterTeam, signOut } from '@/api/session'
import { Logo } from '@/app/entrance/Logo'
import { preloadPage } from '@/app/pages'
import { loadRest, useT } from '@/i18n'
import { openDocs } from '@/i18n/docs'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { cx, Menu, type MenuEntry } from '@/ui'

const NewTeam = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('@/settings/team/NewTeam')), loadRest()])
  return { default: file.NewTeam }
})

function RailLink({
  href,
  label,
  name,
  on,
  count,
  wide,
  children,
}: {
  readonly href: string
  readonly label: string
  readonly name?: string
  readonly on: boolean
  readonly count?: number
  /** Only where there is room; a phone reaches it from the runs. */
  readonly wide?: boolean
  readonly children: ReactNode
}) {
  return (
    <Link
      href={href}
      aria-label={name ?? label}
      aria-current={on ? 'page' : undefined}
      data-tip={name ?? label}
      onPointerEnter={() => preloadPage(href)}
      onFocus={() => preloadPage(href)}
      className={cx(
        'relative grid size-8 place-items-center rounded-md text-muted hover:text-fg',
        'phone:h-12 phone:w-16 phone:content-center phone:gap-0.5',
        wide && 'phone:hidden',
        on && 'bg-press text-fg phone:bg-transparent phone:text-accent',
      )}
    >
      {children}
      <span className="hidden text-[10px]/3 font-medium phone:block" aria-hidden>
        {label}
      </span>
      {count ? (
        <span
          aria-hidden
          className="absolute -top-px -right-[3px] h-3.5 min-w-3.5 rounded-full bg-person px-[3px] text-center text-[10px]/3.5 font-semibold text-surface phone:top-0.5 phone:right-3"
        >
          {count > 99 ? '99+' : count}
        </span>
      ) : null}
    </Link>
  )
}

/** The team acted in, as a square with its initials: the way to one's other teams. */
function Teams() {
  const t = useT()
  const me = useMe()
  const [, navigate] = useLocation()
  const [making, setMaking] = useState(false)
  const items: readonly MenuEntry[] = [
    { kind: 'label', label: t('app.team_switch') },
    ...me.teams.map((team) => ({
      label: team.name,
      icon: <Check className={team.id === me.team.id ? '' : 'invisible'} />,
      disabled: team.id === me.team.id,
      onSelect: () => enterTeam(team.id),
    })),
    { kind: 'separator' },
    { label: t('app.team_settings'), icon: <Users />, onSelect: () => navigate('/settings/team') },
    ...(me.teams.some((team) => reaches(team.role, 'admin'))
      ? [{ label: t('app.team_new'), icon: <Plus />, onSelect: () => setMaking(true) }]
      : []),
  ]
  return (
    <>
      <Menu
        align="start"
        label={t('app.team_switch')}
        trigger={
          <button
            type="button"
            aria-label={t('app.team_of', { team: me.team.name })}
            data-tip={me.team.name}
            className="mb-1 size-7 flex-none rounded-md border border-line-mid bg-surface text-center text-[10px]/[26px] font-semibold uppercase hover:bg-hover phone:hidden before:content-[attr(data-initials)]"
            data-initials={me.team.name.slice(0, 2)}
          />
        }
        items={items}
      />
      {making ? (
        <Suspense fallback={null}>
          <NewTeam onClose={() => setMaking(false)} onCreated={(team) => enterTeam(team.id)} />
        </Suspense>
      ) : null}
    </>
  )
}

function Account() {
  const t = useT()
  const me = useMe()
  const [, navigate] = useLocation()
  const shown = me.name || me.email
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={t('app.account_of', { email: me.email })}
          data-tip={shown}
          className="size-6 rounded-full border border-line-mid bg-press text-center text-[10px]/[22px] font-semibold text-muted uppercase phone:hidden before:content-[attr(data-initials)]"
          data-initials={shown.slice(0, 2)}
        />
      }
      items={[
        { kind: 'label', label: me.email },
        { label: t('app.settings'), icon: <Settings2 />, onSelect: () => navigate('/settings') },
        { label: t('app.docs'), icon: <BookOpen />, onSelect: () => openDocs('start') },
        { label: t('app.sign_out'), icon: <LogOut />, onSelect: () => void signOut() },
      ]}
    />
  )
}

export function Rail() {
  const t = useT()
  const [time] = useLocation()
  const open = useOpenQuestions()
  const icon = { size: 16, strokeWidth: 1.5, 'aria-hidden': true } as const
  return (
    <nav
      aria-label={t('app.nav')}
      className="flex w-(--rail) flex-none flex-col items-center gap-1 border-r border-line bg-surface pb-2 phone:order-last phone:h-14 phone:w-full phone:flex-row phone:justify-around phone:border-t phone:border-r-0 phone:px-2 phone:pb-0"
    >
      <Link
        href="/"
        aria-label="Patchbay"
        className="mb-1 grid h-(--bar) w-full flex-none place-items-center border-b border-line phone:hidden"
      >
        <Logo />
      </Link>
      <Teams />
      <RailLink
        href="/workflows"
        label={t('app.workflows')}
        on={time === '/' || time.startsWith('/workflows')}
      >
        <Workflow {...icon} />
      </RailLink>
      <RailLink href="/registry" label={t('app.registry')} on={/^\/(registry|collections|agents)/.test(time)}>
        <Server {...icon} />
      </RailLink>
      <RailLink href="/runs" label={t('app.runs')} on={time.startsWith('/runs')}>
        <Activity {...icon} />
      </RailLink>
      <RailLink
        href="/inbox"
        label={t('app.inbox')}
        {...(open ? { name: t('app.inbox_open', { n: open }) } : {})}
        on={time.startsWith('/inbox')}
        count={open}
      >
        <Inbox {...icon} />
      </RailLink>
      <RailLink href="/triggers" label={t('app.triggers')} on={time.startsWith('/triggers')} wide>
        <Zap {...icon} />
      </RailLink>
      <RailLink href="/usage" label={t('app.usage')} on={time.startsWith('/usage')} wide>
        <ChartColumn {...icon} />
      </RailLink>
      <span className="flex-1 phone:hidden" />
      <RailLink href="/settings" label={t('app.settings')} on={time.startsWith('/settings')}>
        <Settings2 {...icon} />
      </RailLink>
      <Account />
    </nav>
  )
}
