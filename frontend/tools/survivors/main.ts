/**
 * Which actions could do nothing without a test failing: each is made to do nothing in turn.
 *
 *     node tools/survivors/main.ts canvas            one folder of `src`
 *     node tools/survivors/main.ts canvas/menu.tsx   one file
 *     node tools/survivors/main.ts --list canvas     the actions, without running anything
 *     node tools/survivors/main.ts --reach canvas    the actions that no test beside them reaches; every test runs once
 *     node tools/survivors/main.ts --tests src/canvas canvas   only with tests whose path contains this, or one of these: a,b
 *     node tools/survivors/main.ts --left canvas     only what no count has noticed yet
 *     node tools/survivors/main.ts --near canvas     without the tests of other folders
 *     node tools/survivors/main.ts --json out.json canvas
 *     node tools/survivors/main.ts --tries 50 canvas   how many of the tests that reach an action are tried (12)
 *     node tools/survivors/main.ts --workers 1 canvas  how many processes (2)
 *
 * First the tests of the folder run once and note what each reaches. Then every test runs again for each action it
 * reaches, with that action switched off, until one fails. What is left is tried so with the tests of other folders that
 * import it. Which test noticed an action is kept in `.stamps/survivors.json` and is the first to be tried next time.
 * It leaves with 1 when something survived.
 */
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type Vitest } from 'vitest/node'
import { type Action, findActions } from './actions.ts'

const HERE = import.meta.dirname
const SRC = resolve(HERE, '../../src')
/** Which test noticed which action, of earlier counts. */
const KEPT = resolve(HERE, '../../../.stamps/survivors.json')
const SOURCE = /\.tsx?$/
const NO_SOURCE = /\.(test|testing)\.tsx?$|\.d\.ts$|^testing\//

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    reach: { type: 'boolean', default: false },
    left: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
    tests: { type: 'string' },
    json: { type: 'string' },
    workers: { type: 'string', default: '2' },
    tries: { type: 'string', default: '12' },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function filesOf(place: string): readonly string[] {
  const files = SOURCE.test(place) ? [place] : globSync(`${place}/**/*.{ts,tsx}`, { cwd: SRC })
  return files.filter((file) => !NO_SOURCE.test(file)).sort()
}

interface Line {
  readonly file: string
  readonly test: string
  readonly reached?: readonly string[]
  readonly failed?: boolean
  readonly killed?: string
  readonly unsteady?: string
}

/** Which tests can run at all: those that import what is tried, and not those of these places. */
interface Chosen {
  readonly related?: readonly string[]
  readonly exclude?: readonly string[]
}

const linesOf = (path: string): readonly Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

/** Some of the tests, to be run again and again: what they import is made ready once. */
class Tests {
  private readonly vitest: Vitest
  private readonly dir: string

  private constructor(vitest: Vitest, dir: string) {
    this.vitest = vitest
    this.dir = dir
  }

  static async open({ related, exclude }: Chosen, dir: string): Promise<Tests> {
    const vitest = await createVitest('test', {
      config: join(HERE, 'vitest.config.ts'),
      root: resolve(HERE, '../..'),
      run: true,
      watch: false,
      reporters: [{}],
      maxWorkers: Number(values.workers),
      dangerouslyIgnoreUnhandledErrors: true,
      ...(related ? { related: related.map((file) => join(SRC, file)) } : {}),
      ...(exclude ? { exclude: [...exclude] } : {}),
    })
    return new Tests(vitest, dir)
  }

  async run(mode: 'record' | 'kill', filters: readonly string[]): Promise<readonly Line[]> {
    const out = join(this.dir, 'out.jsonl')
    writeFileSync(join(this.dir, 'mode'), mode)
    writeFileSync(out, '')
    const tests = await this.vitest.globTestSpecifications([...filters])
    if (tests.length > 0) await this.vitest.runTestSpecifications(tests)
    process.exitCode = 0
    return linesOf(out)
  }

  close(): Promise<void> {
    return this.vitest.close()
  }
}

const stemOf = (file: string): string => file.replace(/(\.alone)?(\.test)?\.tsx?$/, '')

/** Whether a test stands in the file of tests beside the action's source. */
const isBeside = (line: Line, action: string): boolean =>
  stemOf(line.file) === `src/${stemOf(action.split(':')[0] ?? '')}`

/** What many tests reach is tried with some of them: those beside it, and those that reach least, which are about it most. */
function fewer(recorded: readonly Line[], tries: number): readonly Line[] {
  const ordered = recorded
    .filter((line) => !line.failed)
    .toSorted((one, other) => (one.reached?.length ?? 0) - (other.reached?.length ?? 0))
  const ids = new Set(ordered.flatMap((line) => line.reached ?? []))
  const tried = new Map(
    [...ids].map((id) => {
      const reaching = ordered.filter((line) => line.reached?.includes(id))
      const beside = reaching.filter((line) => isBeside(line, id))
      return [id, [...new Set([...beside, ...reaching])].slice(0, tries)] as const
    }),
  )
  return ordered.map((line) => ({
    ...line,
    reached: (line.reached ?? []).filter((id) => tried.get(id)?.includes(line)),
  }))
}

const nameOf = (line: Line): string => `${line.file} > ${line.test}`
/** The same action, although it moved to another line. */
const keyOf = (action: Action): string => `${action.file} ${action.name} ${action.text}`

const readKept = (): Record<string, string> =>
  existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, string>) : {}

function keep(noticed: ReadonlyMap<Action, Line>): void {
  const kept = readKept()
  for (const [action, line] of noticed) kept[keyOf(action)] = nameOf(line)
  mkdirSync(dirname(KEPT), { recursive: true })
  writeFileSync(KEPT, JSON.stringify(kept, null, 1))
}

/** A count of the actions of some files. */
class Count {
  readonly noticed = new Map<Action, Line>()
  readonly reached = new Set<string>()
  readonly broken: Line[] = []
  readonly unsteady: Line[] = []
  private readonly tried = new Set<string>()
  private readonly actions: readonly Action[]
  private readonly dir: string

  constructor(actions: readonly Action[], dir: string) {
    this.actions = actions
    this.dir = dir
  }

  get left(): readonly Action[] {
    return this.actions.filter((action) => !this.noticed.has(action))
  }

  /** The files whose actions are left. */
  get files(): readonly string[] {
    return [...new Set(this.left.map((action) => action.file))]
  }

  /** Which of these tests reach what. */
  async record(tests: Tests, filters: readonly string[]): Promise<readonly Line[]> {
    const recorded = await tests.run('record', filters)
    this.broken.push(...recorded.filter((line) => line.failed))
    for (const id of recorded.flatMap((line) => line.reached ?? [])) this.reached.add(id)
    return recorded
  }

  /** What of it is noticed: by the test that noticed it last time, and if not, by any. */
  async kill(tests: Tests, recorded: readonly Line[]): Promise<void> {
    const kept = readKept()
    const before = new Map(this.actions.map((action) => [action.id, kept[keyOf(action)]]))
    const known = recorded.map((line) => ({
      ...line,
      reached: (line.reached ?? []).filter((id) => before.get(id) === nameOf(line)),
    }))
    await this.tryWith(tests, known)
    // the test that is most about it first: one that notices saves all the others
    for (const tries of [1, 4, Number(values.tries)]) await this.tryWith(tests, fewer(recorded, tries))
  }

  private async tryWith(tests: Tests, recorded: readonly Line[]): Promise<void> {
    const left = new Set(this.left.map((action) => action.id))
    const isNew = (line: Line, id: string) => left.has(id) && !this.tried.has(`${nameOf(line)} ${id}`)
    const lines = recorded
      .map((line) => ({ ...line, reached: (line.reached ?? []).filter((id) => isNew(line, id)) }))
      .filter((line) => line.reached.length > 0)
    for (const line of lines) for (const id of line.reached) this.tried.add(`${nameOf(line)} ${id}`)
    if (lines.length === 0) return
    writeFileSync(join(this.dir, 'record.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const noted = await tests.run('kill', [...new Set(lines.map((line) => line.file))])
    for (const line of noted) {
      const action = this.actions.find(({ id }) => id === line.killed)
      if (action) this.noticed.set(action, line)
      if (line.unsteady) this.unsteady.push(line)
    }
    keep(this.noticed)
  }

  report(): void {
    for (const line of this.broken) say(`fails with everything on: ${nameOf(line)}`)
    for (const line of this.unsteady) say(`fails twice in a row: ${line.test} (${line.unsteady})`)
    for (const action of this.left)
      say(`${this.reached.has(action.id) ? 'survives   ' : 'not reached'}  ${action.id}    ${action.text}`)
  }

  json(): string {
    const all = this.actions.map((action) => ({
      ...action,
      reached: this.reached.has(action.id),
      killed_by: this.noticed.get(action)?.test ?? null,
    }))
    return JSON.stringify(all, null, 1)
  }
}

/** The folder of `src` that a file or folder lies in. */
const roomOf = (place: string): string => `src/${place.split('/')[0]}/`

async function count(actions: readonly Action[], dir: string): Promise<void> {
  const counted = new Count(actions, dir)
  const rooms = [...new Set(positionals.map(roomOf))]
  writeFileSync(join(dir, 'files.json'), JSON.stringify(counted.files))
  const near = await Tests.open({}, dir)
  const recorded = await counted.record(near, values.tests ? values.tests.split(',') : rooms)
  if (values.reach) {
    await near.close()
    const missed = actions.filter((action) => !counted.reached.has(action.id))
    for (const action of missed) say(`${action.id}    ${action.text}`)
    say(`${positionals.join(' ')}: ${actions.length} actions, ${missed.length} not reached from beside`)
    return
  }
  await counted.kill(near, recorded)
  await near.close()
  if (counted.left.length > 0 && !values.tests && !values.near) {
    const exclude = ['**/node_modules/**', ...rooms.map((room) => `${room}**`)]
    const far = await Tests.open({ related: counted.files, exclude }, dir)
    await counted.kill(far, await counted.record(far, []))
    await far.close()
  }
  counted.report()
  say(`${positionals.join(' ')}: ${actions.length} actions, ${counted.left.length} survivors`)
  if (values.json) writeFileSync(values.json, counted.json())
  process.exitCode = counted.left.length > 0 ? 1 : 0
}

async function main(): Promise<void> {
  const files = positionals.flatMap(filesOf)
  const kept = values.left ? readKept() : {}
  const actions = files
    .flatMap((file) => findActions(file, readFileSync(join(SRC, file), 'utf8')))
    .filter((action) => !(keyOf(action) in kept))
  if (values.list) {
    for (const action of actions) say(`${action.id}    ${action.text}`)
    say(`${actions.length} actions`)
    return
  }
  const dir = mkdtempSync(join(tmpdir(), 'survivors-'))
  try {
    process.env.SURVIVORS_DIR = dir
    await count(actions, dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

await main()
