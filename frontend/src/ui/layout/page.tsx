/** The frame of a page: its 44 px bar with where one is, and the space below it. */
import { ChevronLeft } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { Link } from 'wouter'
import { cx } from '@/ui/cx'

/** Where every page lies: the team's name stands first in the bar. */
export const PlaceContext = createContext<{ readonly team: string }>({ team: '' })

export interface Crumb {
  readonly label: string
  readonly href: string
}

export interface PageBarProps {
  readonly title: string
  readonly crumbs?: readonly Crumb[]
  /** Where an arrow leads on a phone, which has no room for crumbs: for pages that its tabs do not lead to. */
  readonly back?: Crumb
  /** Beside the title: version, saved state. */
  readonly status?: ReactNode
  /** At the right: search and the one primary button. */
  readonly children?: ReactNode
  /** In place of the title's text, for one that can be edited. The heading stays. */
  readonly heading?: ReactNode
}

/** A title of so few letters is narrower than the least room of a longer one, and keeps what it takes. */
const SHORT = 7

export function PageBar({ title, crumbs = [], back, status, children, heading }: PageBarProps) {
  const { team } = useContext(PlaceContext)
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
  return (
    <header
      className={cx(
        'flex h-(--bar) min-w-0 flex-none items-center gap-2 border-b border-line bg-surface pr-3 pl-4 whitespace-nowrap phone:h-12 phone:pr-4 phone:[&_.btn-large]:h-9 phone:has-[>div:last-child>.btn-icon:last-child]:pr-2',
        back && 'phone:pl-2',
      )}
    >
      <div className="flex min-w-44 shrink-99999 items-center gap-2 overflow-x-clip text-muted phone:min-w-20">
        {back ? (
          <Link
            href={back.href}
            className="btn btn-quiet btn-icon hidden phone:inline-flex"
            aria-label={back.label}
            data-tip={back.label}
          >
            <ChevronLeft aria-hidden />
          </Link>
        ) : null}
        {team ? (
          <>
            <span className={cx('shrink-99 truncate phone:hidden', crumbs.length > 0 && 'narrow:hidden')}>
              {team}
            </span>
            <span
              className={cx('text-line-mid phone:hidden', crumbs.length > 0 && 'narrow:hidden')}
              aria-hidden
            >
              /
            </span>
          </>
        ) : null}
        {crumbs.map((crumb) => (
          <span key={crumb.href} className="contents phone:hidden">
            <Link href={crumb.href} className="flex-none hover:text-fg phone:hidden">
              {crumb.label}
            </Link>
            <span className="text-line-mid phone:hidden" aria-hidden>
              /
            </span>
          </span>
        ))}
        <h1
          className={cx(
            'truncate text-base font-semibold text-fg phone:text-lg',
            title.length > SHORT && 'min-w-16',
          )}
        >
          {heading ?? title}
        </h1>
        {status}
      </div>
      <div className="ml-auto flex min-w-0 items-center gap-2 phone:gap-1">{children}</div>
    </header>
  )
}
