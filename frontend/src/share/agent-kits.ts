/** How a program speaks to an agent with the libraries that A2A has: ready to copy. */

export const KITS = ['python', 'typescript'] as const
export type Kit = (typeof KITS)[number]

export interface KitCode {
  readonly name: string
  /** The command that installs it. */
  readonly install: string
  readonly code: string
}

/** `token` stands in the code as it is; a word in its place where there is none yet. */
export function codeOf(kit: Kit, url: string, token: string): KitCode {
  return kit === 'python'
    ? { name: 'Python', install: 'pip install a2a-sdk', code: python(url, token) }
    : { name: 'TypeScript', install: 'npm install @a2a-js/sdk', code: typescript(url, token) }
}

const python = (url: string, token: string): string => `import asyncio, uuid

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest


async def main() -> None:
    headers = {"Authorization": "Bearer ${token}"}
    async with httpx.AsyncClient(headers=headers, timeout=None) as http:
        agent = await create_client("${url}", ClientConfig(httpx_client=http))
        said = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text="Hello")])
        async for event in agent.send_message(SendMessageRequest(message=said)):
            print(event)


asyncio.run(main())`

const typescript = (
  url: string,
  token: string,
): string => `import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { Role } from '@a2a-js/sdk'

const fetchImpl: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('Authorization', 'Bearer ${token}')
  return fetch(input, { ...init, headers })
}
const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }),
)
const agent = await factory.createFromUrl('${url}/.well-known/agent-card.json', '')
const text = { content: { $case: 'text', value: 'Hello' }, filename: '', mediaType: '', metadata: undefined }
const message = {
  messageId: crypto.randomUUID(),
  role: Role.ROLE_USER,
  parts: [text],
  taskId: '',
  contextId: '',
  extensions: [],
  referenceTaskIds: [],
}
for await (const event of agent.sendMessageStream({ message })) console.log(event.payload)`
