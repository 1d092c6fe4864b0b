/** Agents that documents declare, as the team approved them: found by what is declared, with their skills as tools. */
import { api } from './client'
import type { components } from './schema'
import { allPages, declaresAgent, type Tool, type ToolName } from './servers'

export type DeclaredAgent = components['schemas']['DeclaredAgent']
/** A skill, as a server's tool is shown and chosen. */
export type Skill = Tool & ToolName

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isRecord(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([left], [right]) => (left < right ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : value

/** What stands for a member that is not declared, as the API completes it before an admin approves it. */
const EMPTY = {
  command: '',
  args: [],
  env: {},
  cwd: '',
  url: '',
  headers: {},
  timeout_ms: 30_000,
  trust_annotations: null,
}

/** Whether two configurations are one: the same, once what is left out is filled in. */
export const sameAgent = (left: Record<string, unknown>, right: Record<string, unknown>): boolean => {
  const whole = (config: Record<string, unknown>) => {
    const { document_url, ...rest } = { ...EMPTY, ...config, transport: 'a2a' } as Record<string, unknown>
    return JSON.stringify(sorted(document_url ? { ...rest, document_url } : rest))
  }
  return whole(left) === whole(right)
}

/** The card of an approved agent, by its hash. */
export const readAgent = (digest: string): Promise<DeclaredAgent> =>
  api.get('/api/mcp/declarations/{digest}/card', { params: { path: { digest } } })

/** The skills of the agent that is declared so; none where it is not approved, or its card was never read. */
export async function skillsOf(config: Record<string, unknown>): Promise<readonly Skill[]> {
  const rows = await allPages((cursor) =>
    api.get('/api/mcp/declarations', {
      params: { query: { state: 'approved', ...(cursor ? { cursor } : {}) } },
    }),
  )
  const match = rows.find(
    (declaration) =>
      declaresAgent(declaration) && isRecord(declaration.config) && sameAgent(declaration.config, config),
  )
  return match ? (await readAgent(match.hash)).skills.map(asChoice) : []
}

/** A skill with what a list to choose from shows. */
function asChoice(skill: Tool): Skill {
  const properties = isRecord(skill.input_schema) ? skill.input_schema.properties : undefined
  return { ...skill, parameters: isRecord(properties) ? Object.keys(properties).length : 0, tokens: 0 }
}
