/** The words of a command line as a shell would read them: quotes, escapes and continued lines, nothing is expanded. */

export interface CommandLine {
  readonly words: readonly string[]
  /** What stands behind the command: a pipe, a redirection, a second command. */
  readonly rest: string
  /** A quote that was never closed. */
  readonly unclosed: boolean
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
}
/** In double quotes a backslash says something only before these. */
const IN_DOUBLE = '"\\$`\n'
const ENDS = new Set([';', '|', '&', '>', '<', '\n'])

/** A command line of Windows' `cmd`, written as others are: `^` quotes the next character. */
function fromCmd(text: string): string {
  return /\^\s*\r?\n|\^"/.test(text) ? text.replace(/\^\s*\r?\n/g, ' ').replace(/\^([\s\S])/g, '$1') : text
}

class Reader {
  private at = 0
  readonly words: string[] = []
  private word: string | null = null
  unclosed = false
  rest = ''

  constructor(private readonly text: string) {}

  read(): this {
    while (this.at < this.text.length && this.rest === '') this.step(this.text[this.at] ?? '')
    this.end()
    return this
  }

  private step(character: string): void {
    this.at++
    if (character === "'") this.single()
    else if (character === '"') this.double()
    else if (character === '$' && this.text[this.at] === "'") this.ansi()
    else if (character === '\\') this.escaped()
    else if (ENDS.has(character)) this.stop(character)
    else if (/\s/.test(character)) this.end()
    else if (character === '#' && this.word === null) this.rest = this.text.slice(this.at - 1)
    else this.add(character)
  }

  private add(text: string): void {
    this.word = (this.word ?? '') + text
  }

  private end(): void {
    if (this.word !== null) this.words.push(this.word)
    this.word = null
  }

  /** A line break before anything was said is a blank. */
  private stop(character: string): void {
    this.end()
    if (character === '\n' && (this.words.length === 0 || this.text.slice(this.at).trim() === '')) return
    this.rest = this.text.slice(this.at - 1).trim()
  }

  private escaped(): void {
    const next = this.text[this.at] ?? ''
    this.at += next === '\r' && this.text[this.at + 1] === '\n' ? 2 : 1
    if (next !== '\n' && next !== '\r') this.add(next)
  }

  private single(): void {
    const close = this.text.indexOf("'", this.at)
    this.unclosed ||= close < 0
    const end = close < 0 ? this.text.length : close
    this.add(this.text.slice(this.at, end))
    this.at = end + 1
  }

  private double(): void {
    this.add('')
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] ?? ''
      if (character === '"') {
        this.at++
        return
      }
      const next = this.text[this.at + 1] ?? ''
      if (character !== '\\' || !IN_DOUBLE.includes(next)) this.add(character)
      else {
        this.at++
        if (next !== '\n') this.add(next)
      }
    }
    this.unclosed = true
  }

  /** `$'…'`, as browsers copy what has quotes or other letters in it. */
  private ansi(): void {
    const pattern =
      /\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))|([^'\\]+)/y
    this.at++
    this.add('')
    for (;;) {
      pattern.lastIndex = this.at
      const match = pattern.exec(this.text)
      if (!match) break
      this.at = pattern.lastIndex
      const [, u, U, x, octal, other, plain] = match
      const code = u ?? U ?? x
      if (plain !== undefined) this.add(plain)
      else if (code !== undefined) this.add(codePoint(Number.parseInt(code, 16)))
      else if (octal !== undefined) this.add(codePoint(Number.parseInt(octal, 8)))
      else this.add(ESCAPES[other ?? ''] ?? other ?? '')
    }
    this.unclosed ||= this.text[this.at] !== "'"
    this.at++
  }
}

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '�')

export function commandLine(text: string): CommandLine {
  const { words, rest, unclosed } = new Reader(fromCmd(text.replace(/\r\n/g, '\n'))).read()
  return { words, rest, unclosed }
}
