/** The configuration of an http node that a curl command becomes. Pure. */
import type { Credential, CurlRequest } from './curl'

type Config = Record<string, unknown>

/** Fields of the node that the command says nothing about and that stay. */
const KEPT = ['accept_status', 'timeout_s', 'expires_s', 'on_expire']

/** A name for a secret that goes to a host: `api_github_com`, the second `api_github_com_2`. */
export function nameFor(host: string, index: number): string {
  const plain = host
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, 55)
  const name = plain || 'secret'
  return index === 0 ? name : `${name}_${index + 1}`
}

/** `names` = of the secrets that stand for the command's, in their order; "" where one is still to be chosen. */
export function configOf(
  before: Config,
  request: CurlRequest,
  credentials: readonly Credential[],
  names: readonly string[],
): Config {
  const headers: Config = { ...request.headers }
  let auth: Config | undefined = request.auth ? { ...request.auth, secret: '' } : undefined
  for (const [index, { at }] of credentials.entries()) {
    const name = names[index] ?? ''
    if (at.kind === 'auth') auth = { ...auth, secret: name }
    else if (name) headers[at.name] = `\${secret:${name}}`
    else delete headers[at.name]
  }
  const config: Config = Object.fromEntries(Object.entries(before).filter(([key]) => KEPT.includes(key)))
  config.method = request.method
  config.url = request.url
  if (Object.keys(request.query).length > 0) config.query = request.query
  if (Object.keys(headers).length > 0) config.headers = headers
  if (auth) config.auth = auth
  if (request.bodyType) Object.assign(config, { body_type: request.bodyType, body: request.body ?? '' })
  if (request.timeout !== null) config.timeout_s = request.timeout
  return config
}
