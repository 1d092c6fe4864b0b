/** One's conversations in a chat, the latest first. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { Conversation } from '@/api/chat'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { flatten } from '@/api/runs'
import { useT } from '@/i18n'
import { statusOfStanding } from '@/live/run-status'
import { LoadFailed, More, RelativeTime, Skeleton, StatusIcon, visible } from '@/ui'

interface Page {
  readonly results: Conversation[]
  readonly next: string | null
}

export interface ConversationListProps {
  readonly query: UseInfiniteQueryResult<InfiniteData<Page>>
  readonly shown: string | null
  readonly onOpen: (key: string) => void
}

export function ConversationList({ query, shown, onOpen }: ConversationListProps) {
  const t = useT()
  const rows = flatten(query.data)
  return (
    <nav className="chat-list" aria-label={t('chat.conversations')}>
      {query.error && !query.isFetchNextPageError ? (
        <LoadFailed error={asApiError(query.error)} title={t('chat.load_failed')} onRetry={query.refetch} />
      ) : null}
      {query.isPending ? <Skeleton rows={5} row={44} /> : null}
      {query.data && rows.length === 0 ? <p className="p-4 text-sm text-muted">{t('chat.none')}</p> : null}
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              className="chat-row"
              aria-current={row.id === shown ? 'page' : undefined}
              onClick={() => onOpen(row.id)}
            >
              <span className="truncate font-medium">{visible(row.title)}</span>
              {row.state && row.state !== 'SUCCESS' ? (
                <StatusIcon status={statusOfStanding({ ...row, state: row.state })} />
              ) : null}
              <span className="text-xs text-muted">
                <RelativeTime value={row.updated_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void loadNextPage(query)}
        />
      ) : null}
    </nav>
  )
}
