/** The chat of a workflow beside its canvas: with the draft, as it is on the screen, or with what is published. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { MessageSquareText, SquarePen, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { chatOfWorkflowQuery, conversationsQuery } from '@/api/chat'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { flatten } from '@/api/runs'
import { type Trigger, useCreateTrigger } from '@/api/triggers'
import { useT } from '@/i18n'
import {
  Button,
  EmptyState,
  ErrorBox,
  IconButton,
  LoadFailed,
  Segmented,
  Select,
  Skeleton,
  visible,
} from '@/ui'
import { Chat, goesOn, useTurns } from './Chat'
import './chat.css'

export interface ChatPanelProps {
  readonly workflow: string
  readonly published: number | null
  /** Saves the draft; rejects with the reason where it cannot be saved. */
  readonly save: () => Promise<unknown>
  readonly onRun: (run: string) => void
  readonly onClose: () => void
}

export function ChatPanel(props: ChatPanelProps) {
  const t = useT()
  const { data, error, refetch } = useQuery(chatOfWorkflowQuery(props.workflow))
  if (data) return <Talk {...props} trigger={data} />
  return (
    <>
      <Head title={t('chat.title')} text="" onClose={props.onClose} />
      {error ? (
        <div className="p-4">
          <LoadFailed error={asApiError(error)} title={t('chat.load_failed')} onRetry={refetch} />
        </div>
      ) : data === null ? (
        <Make {...props} />
      ) : (
        <Skeleton rows={5} />
      )}
    </>
  )
}

interface HeadProps {
  readonly title: string
  readonly text: string
  readonly onClose: () => void
  readonly children?: ReactNode
}

function Head({ title, text, onClose, children }: HeadProps) {
  const t = useT()
  return (
    <header className="chat-head">
      <MessageSquareText size={16} aria-hidden className="flex-none text-muted" />
      <div className="min-w-0 flex-1">
        <h2 className="truncate text-base font-semibold">{visible(title)}</h2>
        {text ? <p className="truncate text-xs text-muted">{text}</p> : null}
      </div>
      {children}
      <IconButton label={t('common.close')} onClick={onClose}>
        <X />
      </IconButton>
    </header>
  )
}

/** In the place of a chat that is not there: the way to one, which is off, for the draft alone. */
function Make({ workflow }: ChatPanelProps) {
  const t = useT()
  const create = useCreateTrigger()
  const blocked = useMay('editor') ? undefined : t('chat.viewer')
  const make = () =>
    create.mutate({ workflow, kind: 'chat', name: t('chat.title'), enabled: false, config: {} })
  return (
    <div className="grid gap-3 p-4">
      <EmptyState
        flush
        title={t('chat.no_chat')}
        text={t('chat.no_chat_text')}
        actions={
          <Button variant="primary" busy={create.isPending} blocked={blocked} onClick={make}>
            {t('chat.make')}
          </Button>
        }
      />
      {create.error ? <ErrorBox error={asApiError(create.error)} /> : null}
    </div>
  )
}

function Talk({ trigger, published, save, onRun, onClose }: ChatPanelProps & { readonly trigger: Trigger }) {
  const t = useT()
  const [which, setWhich] = useState<'draft' | 'published'>('draft')
  const [conversation, setConversation] = useState<string | null>(null)
  const draft = which === 'draft'
  const query = useInfiniteQuery(conversationsQuery(trigger.id, draft))
  const known = flatten(query.data)
  const { turns } = useTurns(conversation)
  const config = trigger.config as { readonly greeting?: string }
  const why = published === null ? t('chat.unpublished') : trigger.enabled ? undefined : t('chat.off')
  return (
    <>
      <Head
        title={trigger.name}
        text={turns.some(goesOn) ? t('chat.answering') : t('chat.acts_as_you')}
        onClose={onClose}
      >
        <Segmented<'draft' | 'published'>
          small
          label={t('chat.which')}
          value={which}
          onChange={(next) => {
            setWhich(next)
            setConversation(null)
          }}
          options={[
            { value: 'draft', label: t('editor.draft') },
            { value: 'published', label: published === null ? t('chat.published') : `v${published}` },
          ]}
        />
        <IconButton label={t('chat.new')} onClick={() => setConversation(null)}>
          <SquarePen />
        </IconButton>
      </Head>
      {known.length > 0 ? (
        <div className="chat-choice">
          <Select
            aria-label={t('chat.conversations')}
            value={conversation ?? ''}
            onChange={(key) => setConversation(key || null)}
            options={[
              { value: '', label: t('chat.new') },
              ...known.map(({ id, title }) => ({ value: id, label: visible(title) })),
            ]}
          />
        </div>
      ) : null}
      <Chat
        trigger={trigger.id}
        greeting={config.greeting ?? ''}
        conversation={conversation}
        draft={draft}
        blocked={draft ? undefined : why}
        save={save}
        onRun={onRun}
        onConversation={setConversation}
      />
    </>
  )
}
