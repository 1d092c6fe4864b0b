/** Commands as people paste them: from documentation, from browsers, from their own shells. */
import { describe, expect, it } from 'vitest'
import { type CurlRequest, readCurl } from './curl'

function request(text: string): CurlRequest {
  const { request, failure } = readCurl(text)
  if (!request) throw new Error(String(failure))
  return request
}

describe('quotes', () => {
  it.each([
    [`curl 'https://a.example/x y'`, 'https://a.example/x y'],
    [`curl "https://a.example/\\"q\\" \\$HOME \\n"`, 'https://a.example/"q" $HOME \\n'],
    [`curl https://a.example/it\\'s`, "https://a.example/it's"],
    [`curl 'https://a.example/'"it's"'/end'`, "https://a.example/it's/end"],
    [`curl $'https://a.example/it\\'s\\u4f60\\x41\\t'`, "https://a.example/it's你A\t"],
    [`$ curl \\\n  https://a.example/next`, 'https://a.example/next'],
    [`curl ^\n  "https://a.example/cmd" ^\r\n  -s`, 'https://a.example/cmd'],
    [`/usr/bin/curl a.example/bare`, 'http://a.example/bare'],
  ])('%s', (text, url) => {
    expect(request(text).url).toBe(url)
  })

  it('says what cannot be read', () => {
    expect(readCurl('')).toMatchObject({ failure: 'empty' })
    expect(readCurl('wget https://a.example')).toMatchObject({ failure: 'not_curl', about: 'wget' })
    expect(readCurl("curl 'https://a.example")).toMatchObject({ failure: 'unclosed' })
    expect(readCurl('curl -s')).toMatchObject({ failure: 'no_url' })
    expect(readCurl('curl ftp://a.example')).toMatchObject({ failure: 'url' })
    expect(readCurl('curl -X BREW https://a.example')).toMatchObject({ failure: 'method', about: 'BREW' })
    expect(readCurl('curl https://a.example -H')).toMatchObject({ failure: 'option_value', about: '-H' })
  })

  it('reads one command and says what it leaves out', () => {
    const curl = readCurl('curl -sSL --compressed --insecure https://a.example | jq .')
    expect(curl).toMatchObject({
      request: { method: 'GET', url: 'https://a.example' },
      anyway: ['-s', '-S', '-L', '--compressed'],
      unknown: ['--insecure', '| jq .'],
    })
  })

  it('writes braces so that they are no expression', () => {
    expect(request(`curl https://a.example -H 'X-Note: {{ start.n }}' -d '{"a": "{{ b }}"}'`)).toMatchObject({
      headers: { 'X-Note': '\\{{ start.n }}' },
      body: { a: '\\{{ b }}' },
    })
  })
})

describe('address', () => {
  it('takes the query apart, and what comes twice as a list', () => {
    expect(request('curl "https://a.example/x?state=open&label=a%20b&label=c+d#end"')).toMatchObject({
      url: 'https://a.example/x',
      host: 'a.example',
      query: { state: 'open', label: ['a b', 'c d'] },
      bodyType: null,
    })
  })

  it('-G puts the data there', () => {
    expect(request('curl -G https://a.example -d q=1 --data-urlencode "name=a b&c"')).toMatchObject({
      method: 'GET',
      query: { q: '1', name: 'a b&c' },
      bodyType: null,
    })
  })

  it('-X, -I and -m', () => {
    expect(request('curl -XDELETE https://a.example').method).toBe('DELETE')
    expect(request('curl -X patch https://a.example').method).toBe('PATCH')
    expect(request('curl -I https://a.example').method).toBe('HEAD')
    expect(request('curl -m 5 https://a.example').timeout).toBe(5)
  })
})

describe('secrets', () => {
  it('takes a bearer token out', () => {
    const curl = readCurl(
      `curl https://api.example -H 'Accept: application/json' -H 'Authorization: Bearer ghp_0000000000'`,
    )
    expect(curl.request).toMatchObject({ headers: { Accept: 'application/json' }, auth: { kind: 'bearer' } })
    expect(curl.credentials).toEqual([{ at: { kind: 'auth' }, value: 'ghp_0000000000' }])
    expect(JSON.stringify(curl.request)).not.toContain('ghp_')
  })

  it.each([
    [`-u ann:pa:ss`, { kind: 'basic', user: 'ann' }, 'pa:ss'],
    [`-H "authorization: basic ${btoa('ann:pass')}"`, { kind: 'basic', user: 'ann' }, 'pass'],
    [`--oauth2-bearer t0ken`, { kind: 'bearer' }, 't0ken'],
  ])('%s', (option, auth, value) => {
    const curl = readCurl(`curl https://api.example ${option}`)
    expect(curl.request?.auth).toEqual(auth)
    expect(curl.credentials).toEqual([{ at: { kind: 'auth' }, value }])
  })

  it('from the address', () => {
    const curl = readCurl('curl https://ann:pass@api.example/x')
    expect(curl.request).toMatchObject({ url: 'https://api.example/x', auth: { kind: 'basic', user: 'ann' } })
    expect(curl.credentials).toEqual([{ at: { kind: 'auth' }, value: 'pass' }])
  })

  it('keys in headers of their own, and cookies', () => {
    const curl = readCurl(`curl https://api.example -H 'X-API-Key: k3y' -b 'session=5' -H 'X-Request-Id: 7'`)
    expect(curl.request?.headers).toEqual({ 'X-API-Key': '', Cookie: '', 'X-Request-Id': '7' })
    expect(curl.credentials).toEqual([
      { at: { kind: 'header', name: 'X-API-Key' }, value: 'k3y' },
      { at: { kind: 'header', name: 'Cookie' }, value: 'session=5' },
    ])
  })
})

describe('body', () => {
  it.each([
    [`-d a=1 -d 'b=x%20y'`, 'form', { a: '1', b: 'x y' }],
    [`--data-raw '{"a": [1, true]}'`, 'json', { a: [1, true] }],
    [`--json '{"a": 1}'`, 'json', { a: 1 }],
    [
      `-H 'Content-Type: application/json' -d '{"id": 12345678901234567890}'`,
      'json',
      '{"id": 12345678901234567890}',
    ],
    [`-H 'Content-Type: text/plain' -d hello`, 'text', 'hello'],
    [`-d 'just words'`, 'text', 'just words'],
    [
      `-F 'note=two words' -F note=more -F 'file=@/tmp/a.png;type=image/png'`,
      'multipart',
      { note: ['two words', 'more'], file: '' },
    ],
    [`--form-string 'note=@as it is'`, 'multipart', { note: '@as it is' }],
  ])('%s', (options, bodyType, body) => {
    expect(request(`curl https://a.example ${options}`)).toMatchObject({ method: 'POST', bodyType, body })
  })

  it('names the files that are to be chosen', () => {
    expect(readCurl('curl https://a.example -F file=@a.png')).toMatchObject({ files: ['a.png'] })
    expect(readCurl('curl -T b.bin https://a.example')).toMatchObject({
      files: ['b.bin'],
      request: { method: 'PUT', bodyType: 'file', body: null },
    })
    expect(readCurl('curl --data-binary @c.json https://a.example')).toMatchObject({ files: ['c.json'] })
  })

  it('leaves out a content type that the body has anyway', () => {
    const json = request(`curl https://a.example -H 'content-type: application/json' -d '{}'`)
    expect(json.headers).toEqual({})
    const api = request(`curl https://a.example -H 'Content-Type: application/vnd.api+json' -d '{}'`)
    expect(api.headers).toEqual({ 'Content-Type': 'application/vnd.api+json' })
  })
})
