/** The page of a chat over an API that has one conversation. */
import userEvent from '@testing-library/user-event'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Conversation, ConversationDetail, Turn } from '@/api/chat'
import type { Role } from '@/api/queries'
import { loadRest, loadWords } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import ChatPage from './ChatPage'

const TRIGGER = {
  id: 'trg_1',
  workflow: 'wf_1',
  workflow_name: 'Docs',
  kind: 'chat',
  name: 'Docs assistant',
  enabled: true,
  config: { greeting: 'Ask me about the docs.' },
}

export const RUN = {
  id: 'run_1',
  version: 3,
  state: 'SUCCESS',
  error: null,
  usage: { input_tokens: 1000, output_tokens: 204, cost: 0, tool_calls: 1, seconds: 1 },
  queued_at: '2026-11-26T14:01:00Z',
  started_at: '2026-11-26T14:01:00Z',
  finished_at: '2026-11-26T14:01:03.200Z',
} as const

export const aTurn = (change: Partial<Turn> = {}): Turn =>
  ({
    id: 'turn_1',
    text: 'What is the newest tag?',
    files: [],
    versions: ['turn_1'],
    answer: 'It is **0.7.0**.',
    calls: [{ server: 'git', tool: 'git_tag', arguments: '{"limit":1}', ms: 58, failed: false }],
    questions: [],
    run: RUN,
    created_at: '2026-11-26T14:01:00Z',
    ...change,
  }) as Turn

export const ROW: Conversation = {
  id: 'conv_1',
  trigger: 'trg_1',
  workflow: 'wf_1',
  workflow_name: 'Docs',
  title: 'What is the newest tag?',
  draft: false,
  state: 'SUCCESS',
  waits_for_person: false,
  waits_for_client: false,
  created_at: '2026-11-26T14:01:00Z',
  updated_at: '2026-11-26T14:01:03Z',
}

export const detail = (...turns: Turn[]): ConversationDetail => ({ ...ROW, turns, earlier: null })

/** The page at an address, with a conversation of these turns; `failing` = what cannot be read. */
export async function atChat(
  path: string,
  turns: Turn[] = [aTurn()],
  role: Role = 'editor',
  failing: string | null = null,
) {
  await Promise.all([loadRest(), loadWords('chat')])
  const server = new FakeServer()
    .on('GET /api/triggers/trg_1', { body: TRIGGER })
    .on('GET /api/conversations', { body: { results: [ROW], next: null } })
    .on('GET /api/conversations/conv_1', { body: detail(...turns) })
  if (failing) server.on(failing, refusal(500, 'INTERNAL'))
  const location = memoryLocation({ path, record: true })
  show(
    <Router hook={location.hook} searchHook={location.searchHook}>
      <Route path="/chat/:trigger/:conversation?" component={ChatPage} />
      <Toasts />
    </Router>,
    role,
  )
  return { server, user: userEvent.setup(), place: () => location.history.at(-1) }
}
