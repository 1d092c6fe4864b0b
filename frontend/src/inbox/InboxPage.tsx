/**
 * The inbox: what runs of the team ask people, and the answer. List left, the opened question in the middle; on a phone
 * one of the two, with the answers in reach of the thumb.
 */

import { ChevronLeft } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { type Outage, useOutages } from '@/api/outages'
import type { Interaction } from '@/api/run-types'
import { useInteractions } from '@/api/runs'
import { useT } from '@/i18n'
import { Expiry, Urgency } from '@/interactions/Expiry'
import { headingOf, KindIcon, kindOf, placeOf } from '@/interactions/kinds'
import { QuestionForm } from '@/interactions/QuestionForm'
import {
  Button,
  Callout,
  Chip,
  cx,
  EmptyState,
  IconButton,
  Kbd,
  LoadFailed,
  PageBar,
  RelativeTime,
  RiskBadge,
  Segmented,
  Skeleton,
  useActions,
} from '@/ui'
import { useSmall } from '@/ui/media'
import './inbox.css'
import { OpenedOutage, OutageItem } from './OutageCard'
import { StreamedText } from './StreamedText'

type Shown = 'open' | 'answered'

export default function InboxPage() {
  const t = useT()
  const small = useSmall()
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<Shown>('open')
  const open = useInteractions({ state: 'open', alone: true })
  const { data: outages = [], isPending: outagesPending } = useOutages()
  const outage = useOpenedOutage(outages, id)
  const answered = useInteractions({ state: 'answered' }, shown === 'answered')
  const match = shown === 'open' ? open : answered
  const listed = match.interactions
  const inLists =
    listed.find((question) => question.id === id) ??
    open.interactions.find((interaction) => interaction.id === id)
  const linked = useLinked(id, inLists === undefined && !open.isPending && outage === undefined)
  const question = useOpened(inLists ?? linked.question, id)
  const stale = linked.missing && question === undefined
  const groups = shown === 'open' ? outages : []
  const places = [...groups, ...listed].map((entry) => entry.id)
  // Which is the first is known once both lists are: else what comes sooner would be opened.
  const first = match.isPending || (shown === 'open' && outagesPending) ? undefined : places[0]
  // Where both have room the first question is open from the start; else the list is what is looked at first.
  useEffect(() => {
    if (!small && id === undefined && first !== undefined) navigate(`/inbox/${first}`, { replace: true })
  }, [small, id, first, navigate])

  const move = (by: number) => {
    const next = places[Math.min(Math.max(places.indexOf(id ?? '') + by, 0), places.length - 1)]
    if (next) navigate(`/inbox/${next}`, { replace: true })
  }
  const body = useRef<HTMLDivElement>(null)
  useInboxActions(
    places.length > 0 ? move : null,
    question !== undefined || outage !== undefined ? body : null,
  )
  const count = outages.reduce((sum, outage) => sum + outage.count, open.interactions.length)
  if (small && outage)
    return <OpenedOutage key={outage.id} outage={outage} onBack={() => navigate('/inbox')} bodyRef={body} />
  if (small && question)
    return <Opened question={question} narrow onBack={() => navigate('/inbox')} bodyRef={body} />
  return (
    <>
      <PageBar
        title={t('inbox.title')}
        status={
          count > 0 ? (
            <span className="text-xs text-muted tabular-nums">{t('inbox.open_count', { n: count })}</span>
          ) : null
        }
      >
        <span className="text-xs text-muted phone:hidden">{t('inbox.final')}</span>
      </PageBar>
      <div className="inbox">
        <section className="inbox-list" aria-label={t('inbox.list')}>
          <div className="flex h-11 flex-none items-center border-b border-line px-4 phone:h-14">
            <Segmented
              label={t('inbox.list')}
              value={shown}
              onChange={setShown}
              options={[
                { value: 'open', label: count > 0 ? `${t('inbox.open')} ${count}` : t('inbox.open') },
                { value: 'answered', label: t('inbox.answered') },
              ]}
            />
          </div>
          {small && stale ? <Stale /> : null}
          <InboxList list={match} shown={shown} groups={groups} selected={id} />
        </section>
        <div className="inbox-opened">
          {outage ? (
            <OpenedOutage key={outage.id} outage={outage} bodyRef={body} />
          ) : question ? (
            <Opened question={question} bodyRef={body} />
          ) : stale ? (
            <Stale />
          ) : listed.length > 0 ? (
            <p className="p-4 text-muted">{t('inbox.choose')}</p>
          ) : null}
        </div>
      </div>
    </>
  )
}

/** `move` goes up and down the list, null where it is empty; `body` is the opened question's, null where none is open. */
function useInboxActions(
  move: ((by: number) => void) | null,
  body: RefObject<HTMLElement | null> | null,
): void {
  const t = useT()
  useActions([
    {
      id: 'inbox.next',
      title: t('inbox.next'),
      group: t('inbox.title'),
      keys: 'j',
      run: () => move?.(1),
      when: () => move !== null,
    },
    {
      id: 'inbox.previous',
      title: t('inbox.previous'),
      group: t('inbox.title'),
      keys: 'k',
      run: () => move?.(-1),
      when: () => move !== null,
    },
    {
      id: 'inbox.enter',
      title: t('inbox.keys_open'),
      group: t('inbox.title'),
      keys: 'enter',
      hidden: true,
      run: () =>
        body?.current
          ?.querySelector<HTMLElement>('input, textarea, select, [role="textbox"], button')
          ?.focus(),
      when: () =>
        body !== null && (document.activeElement === document.body || document.activeElement === null),
    },
  ])
}

interface InboxListProps {
  readonly list: ReturnType<typeof useInteractions>
  readonly shown: Shown
  readonly groups: readonly Outage[]
  readonly selected: string | undefined
}

/** The questions, those of one outage as one, page by page. */
function InboxList({ list, shown, groups, selected }: InboxListProps) {
  const t = useT()
  const length = groups.length + list.interactions.length
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      {list.error && !list.isFetchNextPageError ? (
        <div className="p-4">
          <LoadFailed error={asApiError(list.error)} title={t('inbox.load_failed')} onRetry={list.refetch} />
        </div>
      ) : null}
      {list.isPending ? (
        <Skeleton rows={4} row={72} />
      ) : length === 0 && !list.error ? (
        <EmptyState
          title={t(shown === 'open' ? 'inbox.empty' : 'inbox.empty_answered')}
          {...(shown === 'open' ? { text: t('inbox.empty_text') } : {})}
        />
      ) : (
        <ul>
          {groups.map((group) => (
            <li key={group.id}>
              <OutageItem outage={group} selected={group.id === selected} />
            </li>
          ))}
          {list.interactions.map((interaction) => (
            <li key={interaction.id}>
              <Item question={interaction} selected={interaction.id === selected} />
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage ? (
        <div className="px-4 py-3">
          <Button busy={list.isFetchingNextPage} onClick={() => void loadNextPage(list)}>
            {t('common.load_more')}
          </Button>
        </div>
      ) : null}
      {length > 0 ? (
        <p className="flex items-center gap-1 p-4 text-sm text-muted phone:hidden">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> {t('inbox.keys')} · <Kbd>Enter</Kbd> {t('inbox.keys_open')}
        </p>
      ) : null}
    </div>
  )
}

/** The opened group. Once its questions are answered nothing is left in it to answer, and what became of them stays. */
function useOpenedOutage(outages: readonly Outage[], id: string | undefined): Outage | undefined {
  const held = useRef<Outage | undefined>(undefined)
  const match = outages.find((outage) => outage.id === id)
  if (match) held.current = match
  return match ?? (held.current?.id === id ? held.current && { ...held.current, parts: [] } : undefined)
}

/** A question that a link leads to and the lists here do not hold: answered since, or too old for their first page. */
function useLinked(id: string | undefined, enabled: boolean) {
  const { interactions, isSuccess, isFetching } = useInteractions(
    { id: id ?? '' },
    enabled && id !== undefined,
  )
  const question = interactions.find((interaction) => interaction.id === id)
  return { question, missing: enabled && id !== undefined && isSuccess && !isFetching && !question }
}

function Stale() {
  const t = useT()
  return (
    <div className="px-4 py-3" role="status">
      <Callout tone="waiting">{t('inbox.stale')}</Callout>
    </div>
  )
}

/**
 * The opened question. An answer takes it off the list and does not sweep it away while it is looked at: it stays as it
 * was last seen until the answer that counted is read, whoever gave it.
 */
function useOpened(question: Interaction | undefined, id: string | undefined): Interaction | undefined {
  const held = useRef<Interaction | undefined>(undefined)
  if (question) held.current = question
  const seen = held.current?.id === id ? held.current : undefined
  const gone = question === undefined && seen !== undefined
  const { interactions } = useInteractions({ run: seen?.run ?? '' }, gone)
  return (gone ? interactions.find((interaction) => interaction.id === id) : undefined) ?? seen
}

function Item({ question, selected }: { question: Interaction; selected: boolean }) {
  const t = useT()
  const heading = headingOf(question, t)
  return (
    <Link
      href={`/inbox/${question.id}`}
      className={cx('inbox-item', selected && 'inbox-selected')}
      aria-current={selected || undefined}
    >
      <KindIcon question={question} tone={question.state === 'open' ? undefined : 'idle'} className="pt-px" />
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
        <span className="flex items-baseline gap-2">
          <span className="flex-1 truncate font-medium" data-tip={heading}>
            {heading}
          </span>
          <span className="text-xs text-muted whitespace-nowrap">
            <RelativeTime value={question.created_at} />
          </span>
        </span>
        <span className="truncate text-sm text-muted">{placeOf(question)}</span>
        <span className="flex gap-1 pt-0.5">
          <Chip>{t(kindOf(question).word)}</Chip>
          <Urgency question={question} />
        </span>
      </span>
    </Link>
  )
}

interface OpenedProps {
  readonly question: Interaction
  readonly narrow?: boolean
  readonly onBack?: () => void
  readonly bodyRef: React.RefObject<HTMLDivElement | null>
}

function Opened({ question, narrow = false, onBack, bodyRef }: OpenedProps) {
  const t = useT()
  const [, navigate] = useLocation()
  const kind = kindOf(question)
  const Icon = kind.icon
  return (
    <section className="flex h-full min-h-0 flex-col bg-surface" aria-label={headingOf(question, t)}>
      {narrow ? <h1 className="sr-only">{t('app.inbox')}</h1> : null}
      <header className="flex min-h-13 flex-none items-center gap-2 border-b border-line px-4 phone:pl-2 phone:py-2">
        {onBack ? (
          <IconButton label={t('inbox.back')} onClick={onBack}>
            <ChevronLeft />
          </IconButton>
        ) : (
          <span className="tile">
            <span data-tone={kind.tone} className="flex">
              <Icon aria-hidden />
            </span>
          </span>
        )}
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-lg font-semibold phone:line-clamp-2 phone:whitespace-normal">
            {headingOf(question, t)}
          </h2>
          <p className="truncate text-sm text-muted">{placeOf(question)}</p>
        </div>
        <Expiry question={question} />
        {question.risk ? <RiskBadge level={question.risk.level} /> : null}
        <span className="phone:hidden">
          <Button onClick={() => navigate(`/runs/${question.run}`)}>{t('inbox.open_run')}</Button>
        </span>
      </header>
      <div ref={bodyRef} className="min-h-0 flex-1">
        <QuestionForm key={question.id} question={question} said={<StreamedText question={question} />} />
      </div>
    </section>
  )
}
