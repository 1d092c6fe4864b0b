/** The conversations on a page that is a chat: when, how long and at what cost people talked; no word of theirs. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { type PageTalk, type Trigger, talksQuery } from '@/api/triggers'
import { useT } from '@/i18n'
import { cost, dateTime, duration, LoadFailed, RelativeTime, Skeleton } from '@/ui'
import { configuration } from './parts'

/** Whether people talk there: forms have no conversations. */
export const isChatPage = (trigger: Trigger): boolean =>
  trigger.kind === 'page' && configuration(trigger).show === 'chat'

export function Talks({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const { data, error, isPending, refetch } = useQuery(talksQuery(trigger.id))
  return (
    <section className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{t('triggers.talks')}</h2>
        <span className="text-xs text-muted">{t('triggers.talks_text')}</span>
      </div>
      {error ? (
        <LoadFailed error={asApiError(error)} title={t('triggers.talks_failed')} onRetry={refetch} />
      ) : null}
      {isPending ? <Skeleton rows={3} row={40} /> : null}
      {data?.length === 0 ? <p className="text-muted">{t('triggers.no_talks')}</p> : null}
      {data && data.length > 0 ? (
        <ul className="overflow-hidden rounded-md border border-line" aria-label={t('triggers.talks')}>
          {data.map((talk) => (
            <TalkRow key={talk.id} talk={talk} />
          ))}
        </ul>
      ) : null}
    </section>
  )
}

function TalkRow({ talk }: { readonly talk: PageTalk }) {
  const t = useT()
  const lasted = Date.parse(talk.updated_at) - Date.parse(talk.created_at)
  return (
    <li className="delivery grid gap-1 px-3 py-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span>{dateTime(talk.created_at)}</span>
        <span className="ml-auto text-xs text-muted">
          {t('triggers.talk_last')} <RelativeTime value={talk.updated_at} />
        </span>
      </p>
      <p className="text-sm text-muted">
        {[
          t('triggers.talk_messages', { n: talk.messages }),
          ...(lasted > 0 ? [t('triggers.talk_over', { time: duration(lasted) })] : []),
          t('triggers.talk_cost', { cost: cost(talk.cost) }),
          ...(talk.going ? [t('triggers.talk_going')] : []),
        ].join(' · ')}
      </p>
    </li>
  )
}
