// An agent on the TypeScript SDK: `echo` says what it was told, `ask` asks how many and says it. Prints its port.
import { AgentCard, Role, TaskState } from '@a2a-js/sdk'
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'
import { randomUUID } from 'node:crypto'

const text = (value) => [{ content: { $case: 'text', value }, filename: '', mediaType: '', metadata: undefined }]

const executor = {
  async execute({ userMessage, taskId, contextId, task }, bus) {
    const told = userMessage.parts.map((part) => part.content?.value).join('')
    const status = (state, message) => ({ state, message, timestamp: new Date().toISOString() })
    const update = (state, message) =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, message), metadata: undefined }))
    const begun = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: undefined }
    bus.publish(AgentEvent.task(task ?? { ...begun, status: status(TaskState.TASK_STATE_SUBMITTED, undefined) }))
    if (!task && userMessage.metadata?.skillId === 'ask') {
      const asks = { messageId: randomUUID(), role: Role.ROLE_AGENT, parts: text('How many?'), taskId, contextId }
      update(TaskState.TASK_STATE_INPUT_REQUIRED, { ...asks, extensions: [], referenceTaskIds: [], metadata: undefined })
    } else {
      const artifact = { artifactId: 'said', name: 'said', description: '', parts: text(`You said: ${told}`), extensions: [] }
      bus.publish(
        AgentEvent.artifactUpdate({ taskId, contextId, artifact: { ...artifact, metadata: undefined }, append: false, lastChunk: true, metadata: undefined }),
      )
      update(TaskState.TASK_STATE_COMPLETED, undefined)
    }
    bus.finished()
  },
  async cancelTask() {},
}

const app = express()
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  const skill = (id) => ({ id, name: id, description: `It can ${id}.`, tags: ['sample'] })
  const card = AgentCard.fromJSON({
    name: 'Their agent',
    description: 'Made with the TypeScript SDK.',
    version: '1',
    supportedInterfaces: [{ url: `http://127.0.0.1:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [skill('echo'), skill('ask')],
  })
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
  app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  console.log(port)
})
