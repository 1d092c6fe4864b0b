/**
 * What is pasted onto the canvas and is no nodes of ours: a curl command becomes an HTTP node, of anything else it is
 * said what it is and what to do. Fetched when it happens.
 */
import { configOf } from '@/graph/curl/config'
import { type Curl, readCurl } from '@/graph/curl/curl'
import { type NodeTemplate, typeTemplate } from '@/graph/nodes/templates'
import { type Key, listOf, loadRest, loadWords, sentencesOf, translate } from '@/i18n'
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

async function sayForeign(text: string): Promise<void> {
  await loadRest()
  const kind = foreignKind(text)
  toast.info(`${translate(`editor.pasted_${kind}`)} ${translate(`editor.pasted_${kind}_hint`)}`)
}

const CURL = /^\s*(\$\s+)?curl(\.exe)?\s/i

/** `put` adds the node that a curl command becomes; gives false where the canvas takes none any more. */
export async function takeForeign(text: string, put: (template: NodeTemplate) => boolean): Promise<void> {
  if (!CURL.test(text)) return sayForeign(text)
  const curl = readCurl(text)
  if (curl.request) {
    const config = configOf({}, curl.request, curl.credentials, [])
    if (!put(typeTemplate('http', 'HTTP', config))) return
  }
  await loadWords('http')
  const notice = messageOf(curl)
  if (notice) toast.info(notice)
}

/** Why a command became no node, or what of it the node lacks. */
function messageOf({ failure, about, credentials, files, unknown }: Curl): string {
  if (failure) return translate(`http.fail_${failure}` as Key as 'http.fail_url', { about })
  const sentences: string[] = []
  if (credentials.length > 0) sentences.push(translate('http.pasted_secret'))
  if (files.length > 0) sentences.push(translate('http.files', { files: listOf(files) }))
  if (unknown.length > 0) sentences.push(translate('http.unknown', { options: listOf(unknown) }))
  return sentencesOf(sentences)
}
