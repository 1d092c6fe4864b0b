/** A chat's page for members: one's conversations at the left, on a phone before them; one of them at the right. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronLeft, SquarePen } from 'lucide-react'
import { useLocation, useParams } from 'wouter'
import { conversationsQuery } from '@/api/chat'
import { asApiError } from '@/api/client'
import { flatten } from '@/api/runs'
import { type Trigger, triggerQuery } from '@/api/triggers'
import { useT } from '@/i18n'
import { IconButton, LoadFailed, PageBar, Skeleton, visible } from '@/ui'
import { usePhone } from '@/ui/media'
import { Chat } from './Chat'
import { ConversationList } from './ConversationList'
import { ConversationMenu } from './ConversationMenu'
import './chat.css'

export default function ChatPage() {
  const { trigger: key = '', conversation } = useParams<{ trigger: string; conversation?: string }>()
  const t = useT()
  const { data: trigger, error, refetch } = useQuery(triggerQuery(key))
  if (trigger) return <Shown trigger={trigger} conversation={conversation ?? null} />
  return (
    <>
      <PageBar title={t('chat.title')} />
      {error ? (
        <div className="p-4">
          <LoadFailed error={asApiError(error)} title={t('chat.load_failed')} onRetry={refetch} />
        </div>
      ) : (
        <Skeleton rows={6} />
      )}
    </>
  )
}

/** The address of a new conversation. */
const NEW = 'new'

/** `conversation` null = none chosen: on a phone the list stands there, elsewhere a new one. */
function Shown({
  trigger,
  conversation,
}: {
  readonly trigger: Trigger
  readonly conversation: string | null
}) {
  const t = useT()
  const phone = usePhone()
  const [, navigate] = useLocation()
  const query = useInfiniteQuery(conversationsQuery(trigger.id, false))
  const known = flatten(query.data)
  const open = (key: string) => navigate(`/chat/${trigger.id}/${key}`)
  const listed = phone && conversation === null && known.length > 0
  const key = conversation === null || conversation === NEW ? null : conversation
  const row = known.find(({ id }) => id === key)
  const config = trigger.config as { readonly greeting?: string }
  return (
    <>
      <PageBar
        title={visible(trigger.name)}
        crumbs={[{ label: visible(trigger.workflow_name), href: `/workflows/${trigger.workflow}` }]}
        heading={
          <span className="flex min-w-0 items-center gap-1">
            {phone && !listed ? (
              <IconButton label={t('chat.conversations')} onClick={() => navigate(`/chat/${trigger.id}`)}>
                <ChevronLeft />
              </IconButton>
            ) : null}
            <span className="truncate">{visible(row?.title || trigger.name)}</span>
          </span>
        }
      >
        {key !== null ? (
          <ConversationMenu key={key} id={key} title={row?.title ?? ''} onGone={() => open(NEW)} />
        ) : null}
        <IconButton label={t('chat.new')} onClick={() => open(NEW)}>
          <SquarePen />
        </IconButton>
      </PageBar>
      <div className="chat-page">
        {!phone || listed ? <ConversationList query={query} shown={key} onOpen={open} /> : null}
        {listed ? null : (
          <Chat
            trigger={trigger.id}
            greeting={config.greeting ?? ''}
            conversation={key}
            draft={false}
            blocked={trigger.enabled ? undefined : t('chat.off')}
            onConversation={open}
          />
        )}
      </div>
    </>
  )
}
