// A client of an agent on the TypeScript SDK: sends a message, answers what the task asks, reads it again. Prints JSON.
// With "once" as the third argument it answers nothing.
import { Role, TaskState } from '@a2a-js/sdk'
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { randomUUID } from 'node:crypto'

const [url, token, once] = process.argv.slice(2)
const fetchImpl = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return fetch(input, { ...init, headers })
}
const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }),
)
const client = await factory.createFromUrl(`${url}/.well-known/agent-card.json`, '')

async function send(text, taskId = '') {
  const parts = [{ content: { $case: 'text', value: text }, filename: '', mediaType: '', metadata: undefined }]
  const message = { messageId: randomUUID(), role: Role.ROLE_USER, parts, taskId, contextId: '', extensions: [], referenceTaskIds: [] }
  const seen = []
  for await (const event of client.sendMessageStream({ message })) seen.push(event.payload)
  return seen
}

// the texts of the artifacts as the protocol has a client put them together
function assembled(seen) {
  const artifacts = new Map()
  for (const { $case, value } of seen) {
    if ($case === 'task') for (const artifact of value.artifacts) artifacts.set(artifact.artifactId, artifact.parts)
    if ($case !== 'artifactUpdate') continue
    const before = value.append ? artifacts.get(value.artifact.artifactId) : []
    artifacts.set(value.artifact.artifactId, [...before, ...value.artifact.parts])
  }
  return [...artifacts.values()].map((parts) => parts.map((part) => part.content.value).join(''))
}

const word = (state) => TaskState[state].replace('TASK_STATE_', '').toLowerCase()
const ends = (seen) => [seen[0].$case, word(seen.at(-1).value.status.state)]
const first = await send('hi')
const task = first[0].value.id
const second = once ? first : await send('Ada', task)
const read = await client.getTask({ id: task })
const { tasks } = await client.listTasks({ contextId: read.contextId })
console.log(
  JSON.stringify({
    task,
    first: ends(first),
    second: ends(second),
    texts: read.artifacts.map((artifact) => artifact.parts[0].content.value),
    assembled: assembled(second),
    listed: tasks.map((each) => each.id),
  }),
)
