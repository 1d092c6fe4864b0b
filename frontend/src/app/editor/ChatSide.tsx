/** The workflow's chat in the place of the inspector; its code and its words come when it is opened. */
import { MessageSquareText } from 'lucide-react'
import { Suspense } from 'react'
import { loadRest, loadWords, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, Skeleton } from '@/ui'
import { type EditorProps, saved } from './EditorBar'

const ChatPanel = lazily(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/chat/ChatPanel')),
    loadRest(),
    loadWords('chat'),
  ])
  return { default: file.ChatPanel }
})

export function ChatButton({ on, onToggle }: { readonly on: boolean; readonly onToggle: () => void }) {
  const t = useT()
  return (
    <Button icon={<MessageSquareText aria-hidden />} aria-pressed={on} onClick={onToggle}>
      {t('editor.chat')}
    </Button>
  )
}

interface ChatSideProps extends Pick<EditorProps, 'workflow' | 'saver'> {
  readonly onRun: (run: string) => void
  readonly onClose: () => void
}

export function ChatSide({ workflow, saver, onRun, onClose }: ChatSideProps) {
  const t = useT()
  return (
    <aside className="editor-inspector editor-chat" aria-label={t('editor.chat')}>
      <Suspense fallback={<Skeleton rows={5} row={52} />}>
        <ChatPanel
          workflow={workflow.id}
          published={workflow.published_version}
          save={async () => saver && saved(saver)}
          onRun={onRun}
          onClose={onClose}
        />
      </Suspense>
    </aside>
  )
}
