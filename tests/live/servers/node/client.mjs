// A client on the TypeScript SDK: lists the tools of an address and calls one of them. Prints JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url, token, tool, text] = process.argv.slice(2)
const client = new Client({ name: 'typescript', version: '1' })
const requestInit = { headers: { Authorization: `Bearer ${token}` } }
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
const { tools } = await client.listTools()
const { resources } = await client.listResources()
const progress = []
const answer = await client.callTool({ name: tool, arguments: JSON.parse(text) }, undefined, {
  onprogress: (step) => progress.push(step.progress),
})
await client.close()
console.log(
  JSON.stringify({
    server: client.getServerVersion(),
    tools: tools.map((each) => each.name),
    resources: resources.map((each) => each.uri),
    answer,
    progress,
  }),
)
