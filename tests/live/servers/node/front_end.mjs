// A front end on AG-UI's own client: runs an agent step by step as it is told on stdin, and prints what it saw as JSON.
// The client verifies the order of the events: an event where none may be fails the run.
import { HttpAgent } from '@ag-ui/client'

const [url, token, threadId, steps] = process.argv.slice(2)
const agent = new HttpAgent({ url, threadId, headers: { Authorization: `Bearer ${token}` } })
const seen = []

for (const { say, answer, runId } of JSON.parse(steps)) {
  const events = []
  if (say !== undefined) agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: say })
  const open = agent.pendingInterrupts ?? []
  const resume = answer && open.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: answer }))
  try {
    const { result, newMessages } = await agent.runAgent(
      { runId, ...(resume ? { resume } : {}) },
      { onEvent: ({ event }) => void events.push(event) },
    )
    seen.push({ events, result, newMessages: newMessages.length })
  } catch (error) {
    seen.push({ events, failed: String(error) })
  }
}
console.log(JSON.stringify({ seen, messages: agent.messages, state: agent.state }))
