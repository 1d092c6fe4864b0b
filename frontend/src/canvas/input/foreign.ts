/** What is pasted onto the canvas and is no nodes of ours: it says what it is and what to do. Fetched when it happens. */
import { loadRest, translate } from '@/i18n'
import { toast } from '@/ui'

export type Foreign = 'dify' | 'n8n' | 'mcp' | 'document' | 'text' | 'other'

const line = (name: string) => new RegExp(`^\\s*["']?${name}["']?\\s*:`, 'm')

function record(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return null
  }
}

/** Whose text it is: a Dify app, an n8n workflow, a configuration of servers, a workflow of ours as YAML, or words. */
export function foreignKind(text: string): Foreign {
  const value = record(text)
  const has = (name: string) => (value ? name in value : line(name).test(text))
  if (has('app') && (has('kind') || has('workflow'))) return 'dify'
  if (has('connections') && has('nodes')) return 'n8n'
  if (has('mcpServers')) return 'mcp'
  if (!value && has('schema') && has('nodes')) return 'document'
  return value ? 'other' : 'text'
}

export async function sayForeign(text: string): Promise<void> {
  await loadRest()
  const kind = foreignKind(text)
  toast.info(`${translate(`editor.pasted_${kind}`)} ${translate(`editor.pasted_${kind}_hint`)}`)
}
