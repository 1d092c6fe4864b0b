/** A curl command as the configuration of an http node. It is read here and never run; secrets are taken out of it. */
import { commandLine } from './words'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
export type BodyType = 'json' | 'form' | 'multipart' | 'text' | 'file'
export type Values = Readonly<Record<string, unknown>>

/** A secret that stood in the command, and where its name goes. */
export interface Credential {
  readonly at: { readonly kind: 'auth' } | { readonly kind: 'header'; readonly name: string }
  readonly value: string
}

export interface Auth {
  readonly kind: 'bearer' | 'basic'
  readonly user?: string
}

export interface CurlRequest {
  readonly method: Method
  /** Without query. */
  readonly url: string
  readonly host: string
  readonly query: Values
  readonly headers: Values
  readonly auth: Auth | null
  readonly bodyType: BodyType | null
  readonly body: unknown
  readonly timeout: number | null
}

export type Failure = 'empty' | 'not_curl' | 'unclosed' | 'no_url' | 'url' | 'method' | 'option_value'

export interface Curl {
  readonly failure: Failure | null
  /** What the failure is about. */
  readonly about: string
  readonly request: CurlRequest | null
  readonly credentials: readonly Credential[]
  /** Options that are done anyway, that have no counterpart, and files that have to be chosen here. */
  readonly anyway: readonly string[]
  readonly unknown: readonly string[]
  readonly files: readonly string[]
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Options by their long names; those that take a value, and the letters that stand for them. */
const SHORT: Readonly<Record<string, string>> = {
  H: 'header',
  d: 'data',
  F: 'form',
  u: 'user',
  X: 'request',
  G: 'get',
  I: 'head',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  m: 'max-time',
  o: 'output',
  x: 'proxy',
  T: 'upload-file',
  k: 'insecure',
  L: 'location',
  s: 'silent',
  S: 'show-error',
  i: 'include',
  v: 'verbose',
  f: 'fail',
  O: 'remote-name',
  c: 'cookie-jar',
  w: 'write-out',
  E: 'cert',
  K: 'config',
  D: 'dump-header',
  r: 'range',
  '0': 'http1.0',
  '4': 'ipv4',
  '6': 'ipv6',
  g: 'globoff',
  j: 'junk-session-cookies',
  N: 'no-buffer',
  n: 'netrc',
  '#': 'progress-bar',
}
const TAKE_VALUE = new Set(
  (
    'header data data-ascii data-raw data-binary data-urlencode form form-string user request user-agent referer ' +
    'cookie url max-time output proxy upload-file json cookie-jar write-out cert key cacert capath config ' +
    'dump-header range connect-timeout retry retry-delay retry-max-time resolve connect-to oauth2-bearer proxy-user ' +
    'limit-rate interface max-redirs ciphers tls-max unix-socket noproxy pinnedpubkey url-query aws-sigv4'
  ).split(' '),
)
/** What makes no difference here, or is done in any case. */
const ANYWAY = new Set(
  (
    'silent show-error compressed location include verbose fail fail-with-body globoff no-buffer progress-bar ' +
    'http1.1 http2 ipv4 ipv6 output remote-name write-out no-progress-meter location-trusted tcp-nodelay keepalive'
  ).split(' '),
)
/** Headers that the request gets anyway. */
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'])
const SECRET_HEADER =
  /^(x-)?(api|auth|access|private|app|gitlab|subscription)[-_]?(key|token|secret)$|^cookie$|^authorization$|^ocp-apim-subscription-key$/i

interface Option {
  readonly name: string
  readonly written: string
  readonly value: string
}

class Failed extends Error {
  constructor(
    readonly failure: Failure,
    readonly about = '',
  ) {
    super(failure)
  }
}

/** The options of a command and its addresses. */
function optionsOf(words: readonly string[]): { options: Option[]; addresses: string[] } {
  const options: Option[] = []
  const addresses: string[] = []
  const queue = [...words]
  const take = (written: string) => {
    const value = queue.shift()
    if (value === undefined) throw new Failed('option_value', written)
    return value
  }
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') addresses.push(...queue.splice(0))
    else if (word.startsWith('--')) {
      const name = word.slice(2)
      options.push({ name, written: word, value: TAKE_VALUE.has(name) ? take(word) : '' })
    } else if (word.startsWith('-') && word.length > 1) {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at] ?? ''
        const name = SHORT[letter] ?? letter
        const written = `-${letter}`
        if (!TAKE_VALUE.has(name)) options.push({ name, written, value: '' })
        else {
          options.push({ name, written, value: word.slice(at + 1) || take(written) })
          break
        }
      }
    } else addresses.push(word)
  }
  return { options, addresses }
}

/** `{{` of a command is text, not an expression. */
export function literal(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('{{', '\\{{')
  if (Array.isArray(value)) return value.map(literal)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, literal(inner)]))
  return value
}

function put(values: Record<string, unknown>, name: string, value: string): void {
  const before = values[name]
  values[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function pairsOf(text: string, into: Record<string, unknown> = {}): Record<string, unknown> {
  for (const pair of text.split('&').filter(Boolean)) {
    const [name = '', ...rest] = pair.split('=')
    put(into, decoded(name), decoded(rest.join('=')))
  }
  return into
}

class Build {
  readonly headers: Record<string, unknown> = {}
  readonly query: Record<string, unknown> = {}
  readonly anyway: string[] = []
  readonly unknown: string[] = []
  readonly files: string[] = []
  readonly data: string[] = []
  readonly parts: Record<string, unknown> = {}
  auth: Auth | null = null
  credentials: Credential[] = []
  method: string | null = null
  json = false
  get = false
  head = false
  upload = false
  timeout: number | null = null
  url: string | null = null

  option({ name, written, value }: Option): void {
    const act = this.acts[name]
    if (act) act(value)
    else if (ANYWAY.has(name)) this.anyway.push(written)
    else this.unknown.push(written)
  }

  private readonly acts: Readonly<Record<string, (value: string) => void>> = {
    header: (value) => this.header(value),
    data: (value) => this.datum(value),
    'data-ascii': (value) => this.datum(value),
    'data-binary': (value) => this.datum(value),
    'data-raw': (value) => void this.data.push(value),
    'data-urlencode': (value) => this.encoded(value),
    json: (value) => {
      this.json = true
      this.datum(value)
    },
    form: (value) => this.part(value, true),
    'form-string': (value) => this.part(value, false),
    user: (value) => this.basic(value),
    'oauth2-bearer': (value) => this.bearer(value),
    request: (value) => {
      this.method = value.toUpperCase()
    },
    get: () => {
      this.get = true
    },
    head: () => {
      this.head = true
    },
    url: (value) => {
      this.url = value
    },
    'url-query': (value) => void pairsOf(value, this.query),
    'user-agent': (value) => this.header(`User-Agent: ${value}`),
    referer: (value) => this.header(`Referer: ${value}`),
    cookie: (value) => (value.includes('=') ? this.header(`Cookie: ${value}`) : void this.files.push(value)),
    'max-time': (value) => {
      this.timeout = Number(value) > 0 ? Math.min(Number(value), 600) : null
    },
    'upload-file': (value) => {
      this.upload = true
      this.files.push(value)
    },
  }

  private datum(value: string): void {
    if (!value.startsWith('@')) return void this.data.push(value)
    this.files.push(value.slice(1))
    this.upload = true
  }

  private encoded(value: string): void {
    const [, name = '', sign = '', content = ''] = /^([^=@]*)([=@]?)([\s\S]*)$/.exec(value) ?? []
    if (sign === '@') return void this.files.push(content)
    const text = encodeURIComponent(sign ? content : name)
    this.data.push(sign && name ? `${name}=${text}` : text)
  }

  private part(value: string, files: boolean): void {
    const at = value.indexOf('=')
    const name = at < 0 ? value : value.slice(0, at)
    const content = at < 0 ? '' : value.slice(at + 1)
    if (files && /^[@<]/.test(content)) {
      this.files.push(content.slice(1).split(';')[0] ?? '')
      put(this.parts, name, '')
    } else
      put(
        this.parts,
        name,
        files ? content.replace(/;type=[^;]*$/, '').replace(/^"([\s\S]*)"$/, '$1') : content,
      )
  }

  private bearer(value: string): void {
    this.signIn({ kind: 'bearer' }, value)
  }

  basic(value: string): void {
    const [user = '', ...rest] = value.split(':')
    this.signIn({ kind: 'basic', user }, rest.join(':'))
  }

  /** The last one counts, as with curl. */
  private signIn(auth: Auth, value: string): void {
    this.auth = auth
    this.credentials = this.credentials.filter((credential) => credential.at.kind !== 'auth')
    this.credentials.push({ at: { kind: 'auth' }, value })
  }

  private secretHeader(name: string, value: string): void {
    this.credentials.push({ at: { kind: 'header', name }, value })
    this.headers[name] = ''
  }

  header(text: string): void {
    const at = text.indexOf(':')
    if (at < 1) return
    const name = text.slice(0, at).trim()
    const value = text.slice(at + 1).trim()
    if (value === '') return
    if (OWN_HEADERS.has(name.toLowerCase())) return void this.anyway.push(`-H ${name}`)
    const [, scheme = '', token = ''] = /^(bearer|basic)\s+(\S+)$/i.exec(value) ?? []
    if (/^authorization$/i.test(name) && scheme) this.authorization(scheme.toLowerCase(), token)
    else if (SECRET_HEADER.test(name)) this.secretHeader(name, value)
    else put(this.headers, name, value)
  }

  private authorization(scheme: string, token: string): void {
    if (scheme === 'bearer') {
      this.bearer(token)
      return
    }
    try {
      this.basic(
        new TextDecoder().decode(Uint8Array.from(atob(token), (character) => character.charCodeAt(0))),
      )
    } catch {
      this.secretHeader('Authorization', `Basic ${token}`)
    }
  }

  request(): CurlRequest {
    const { url, host } = this.address()
    if (this.get) for (const text of this.data.splice(0)) pairsOf(text, this.query)
    const { bodyType, body } = this.body()
    const method = this.method ?? this.usual(bodyType)
    if (!METHODS.includes(method)) throw new Failed('method', method)
    return {
      method: method as Method,
      url: String(literal(url)),
      host,
      query: literal(this.query) as Values,
      headers: literal(this.headers) as Values,
      auth: this.auth,
      bodyType,
      body: literal(body),
      timeout: this.timeout,
    }
  }

  private usual(bodyType: BodyType | null): Method {
    if (this.head) return 'HEAD'
    if (this.get) return 'GET'
    return bodyType === null ? 'GET' : this.upload && this.data.length === 0 && !this.json ? 'PUT' : 'POST'
  }

  private address(): { url: string; host: string } {
    if (this.url === null) throw new Failed('no_url')
    const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(this.url) ? this.url : `http://${this.url}`
    const parsed = URL.canParse(absolute) ? new URL(absolute) : null
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Failed('url', this.url)
    if (parsed.username && !this.auth) this.basic(`${decoded(parsed.username)}:${decoded(parsed.password)}`)
    pairsOf(parsed.search.slice(1), this.query)
    const path = /^[^?#]*/.exec(absolute.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1'))?.[0] ?? absolute
    return { url: path, host: parsed.hostname }
  }

  private contentType(): string {
    const name = Object.keys(this.headers).find((key) => key.toLowerCase() === 'content-type')
    return name === undefined ? '' : String(this.headers[name]).toLowerCase()
  }

  private withoutContentType(): void {
    for (const key of Object.keys(this.headers))
      if (key.toLowerCase() === 'content-type') delete this.headers[key]
  }

  private body(): { bodyType: BodyType | null; body: unknown } {
    if (Object.keys(this.parts).length > 0) {
      this.withoutContentType()
      return { bodyType: 'multipart', body: this.parts }
    }
    if (this.data.length === 0)
      return this.upload ? { bodyType: 'file', body: null } : { bodyType: null, body: null }
    const text = this.data.join(this.json ? '' : '&')
    const kind = this.contentType()
    const value = jsonOf(text)
    if (this.json || kind.includes('json') || (kind === '' && typeof value === 'object' && value !== null)) {
      if (kind === 'application/json') this.withoutContentType()
      return { bodyType: 'json', body: value === undefined ? text : value }
    }
    const form = kind === '' || kind.startsWith('application/x-www-form-urlencoded')
    if (form && /^[^=&\s{[<]+=/.test(text)) {
      this.withoutContentType()
      return { bodyType: 'form', body: pairsOf(text) }
    }
    if (kind === '') this.headers['Content-Type'] = 'application/x-www-form-urlencoded'
    return { bodyType: 'text', body: text }
  }
}

/** The value of a text that is JSON and stays the same when it is written again; a text that is not, as it stands. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    const whole = /(?<!["\w.])-?\d{16,}/.test(text) || typeof value === 'string' ? undefined : value
    return whole
  } catch {
    return undefined
  }
}

const NOTHING = { request: null, credentials: [], anyway: [], unknown: [], files: [] }

/** What a curl command becomes; `failure` where it cannot be read. */
export function readCurl(text: string): Curl {
  const line = commandLine(text.trim().replace(/^\$\s+/, ''))
  const [first, ...words] = line.words
  const fail = (failure: Failure, about = ''): Curl => ({ ...NOTHING, failure, about })
  if (first === undefined) return fail('empty')
  if (!/^(.*[\\/])?curl(\.exe)?$/i.test(first)) return fail('not_curl', first)
  if (line.unclosed) return fail('unclosed')
  try {
    const { options, addresses } = optionsOf(words)
    const build = new Build()
    build.url = addresses[0] ?? null
    for (const option of options) build.option(option)
    if (line.rest) build.unknown.push(line.rest)
    build.unknown.push(...addresses.slice(1))
    const request = build.request()
    const { credentials, anyway, unknown, files } = build
    return { failure: null, about: '', request, credentials, anyway, unknown, files }
  } catch (error) {
    if (error instanceof Failed) return fail(error.failure, error.about)
    throw error
  }
}
