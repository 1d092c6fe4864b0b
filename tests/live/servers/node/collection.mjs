// A client on the TypeScript SDK at a collection: reads a resource, fills a prompt, and answers what a call asks it.
// Prints JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [url, token, wanted] = process.argv.slice(2)
const { tool, resource, prompt, argument, values } = JSON.parse(wanted)
const client = new Client({ name: 'typescript', version: '1' }, { capabilities: { elicitation: { form: {} } } })
const asked = []
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  asked.push(params.message)
  return { action: 'accept', content: values }
})
const GOING_ON = ['QUEUED', 'RUNNING']

/** What is answered in time: a run that takes longer goes on without its client, which asks again. */
async function again(ask) {
  for (;;) {
    try {
      const answer = await ask()
      if (!GOING_ON.includes(answer.structuredContent?.state)) return answer
    } catch (error) {
      if (!GOING_ON.includes(error.data?.state)) throw error
    }
  }
}

const requestInit = { headers: { Authorization: `Bearer ${token}` } }
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
const { resources } = await client.listResources()
const { prompts } = await client.listPrompts()
const read = await again(() => client.readResource({ uri: resource }))
const filled = await again(() => client.getPrompt({ name: prompt, arguments: argument }))
const answer = await again(() => client.callTool({ name: tool, arguments: {} }))
await client.close()
console.log(
  JSON.stringify({
    resources: resources.map((each) => each.uri),
    prompts: prompts.map((each) => each.name),
    read,
    filled,
    answer,
    asked,
  }),
)
