/**
 * Which actions could do nothing without a test failing: each is made to do nothing in turn.
 *
 *     node tools/survivors/main.ts canvas            one folder of `src`
 *     node tools/survivors/main.ts canvas/menu.tsx   one file
 *     node tools/survivors/main.ts --list canvas     the actions, without running anything
 *     node tools/survivors/main.ts --tests src/canvas canvas   only with tests whose path contains this
 *     node tools/survivors/main.ts --json out.json canvas
 *     node tools/survivors/main.ts --tries 50 canvas   how many of the tests that reach an action are tried (12)
 *
 * First the test files that reach the folder run once and note what each test reaches; what none reaches survives. Then
 * every test runs again for each action it reaches, with that action switched off, until one fails. It leaves with 1
 * when something survived.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Plugin } from 'vite'
import { startVitest } from 'vitest/node'
import { type Action, findActions, withSwitches } from './actions.ts'

const HERE = import.meta.dirname
const SRC = resolve(HERE, '../../src')
const SOURCE = /\.tsx?$/
const NO_SOURCE = /\.(test|testing)\.tsx?$|\.d\.ts$|^testing\//

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    tests: { type: 'string' },
    json: { type: 'string' },
    workers: { type: 'string', default: '2' },
    tries: { type: 'string', default: '12' },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function filesOf(place: string): readonly string[] {
  const found = SOURCE.test(place) ? [place] : globSync(`${place}/**/*.{ts,tsx}`, { cwd: SRC })
  return found.filter((file) => !NO_SOURCE.test(file)).sort()
}

/** Puts the switches into the files that are tried, before anything else reads them. */
function switching(files: ReadonlySet<string>): Plugin {
  return {
    name: 'survivors',
    enforce: 'pre',
    transform(source, id) {
      const path = id.split('?')[0] ?? ''
      const file = path.startsWith(`${SRC}/`) ? path.slice(SRC.length + 1) : ''
      return files.has(file) ? { code: withSwitches(file, source), map: null } : undefined
    },
  }
}

interface Line {
  readonly file: string
  readonly test: string
  readonly reached?: readonly string[]
  readonly failed?: boolean
  readonly killed?: string
  readonly unsteady?: string
}

async function run(mode: 'record' | 'kill', files: readonly string[], tests: readonly string[], dir: string) {
  process.env.SURVIVORS_MODE = mode
  process.env.SURVIVORS_OUT = join(dir, `${mode}.jsonl`)
  process.env.SURVIVORS_IN = join(dir, 'record.jsonl')
  writeFileSync(process.env.SURVIVORS_OUT, '')
  const vitest = await startVitest(
    'test',
    [...tests],
    {
      run: true,
      watch: false,
      reporters: [{}],
      passWithNoTests: true,
      fsModuleCache: false, // modules with switches are not kept for who has none
      maxWorkers: Number(values.workers),
      runner: join(HERE, 'runner.ts'),
      setupFiles: ['src/testing/setup.ts', join(HERE, 'setup.ts')],
      dangerouslyIgnoreUnhandledErrors: true,
      silent: true,
      ...(mode === 'record' ? { related: files.map((file) => join(SRC, file)) } : { testTimeout: 30_000 }),
    },
    { plugins: [switching(new Set(files))] },
  )
  await vitest.close()
  process.exitCode = 0
  return readFileSync(process.env.SURVIVORS_OUT, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

/** What every test reaches is tried with some of them: those that reach least, which are about it most. */
function fewer(recorded: readonly Line[], tries: number): string {
  const tried = new Map<string, number>()
  const left = recorded
    .toSorted((one, other) => (one.reached?.length ?? 0) - (other.reached?.length ?? 0))
    .map((line) => ({
      ...line,
      reached: (line.reached ?? []).filter((id) => {
        const count = (tried.get(id) ?? 0) + 1
        tried.set(id, count)
        return count <= tries
      }),
    }))
  return left.map((line) => `${JSON.stringify(line)}\n`).join('')
}

async function main(): Promise<void> {
  const files = positionals.flatMap(filesOf)
  const actions: readonly Action[] = files.flatMap((file) =>
    findActions(file, readFileSync(join(SRC, file), 'utf8')),
  )
  if (values.list) {
    for (const action of actions) say(`${action.id}    ${action.text}`)
    say(`${actions.length} actions`)
    return
  }
  const dir = mkdtempSync(join(tmpdir(), 'survivors-'))
  try {
    const tried = files.filter((file) => actions.some((action) => action.file === file))
    const recorded = await run('record', tried, values.tests ? [values.tests] : [], dir)
    const broken = recorded.filter((line) => line.failed)
    const reached = new Set(recorded.flatMap((line) => line.reached ?? []))
    const reaching = new Set(recorded.filter((line) => line.reached?.length).map((line) => line.file))
    writeFileSync(join(dir, 'record.jsonl'), fewer(recorded, Number(values.tries)))
    const noted = reaching.size > 0 ? await run('kill', tried, [...reaching], dir) : []
    const killed = new Map(noted.flatMap((line) => (line.killed ? [[line.killed, line] as const] : [])))
    const survivors = actions.filter((action) => !killed.has(action.id))
    for (const line of broken) say(`fails with everything on: ${line.file} > ${line.test}`)
    for (const line of noted) if (line.unsteady) say(`fails twice in a row: ${line.test} (${line.unsteady})`)
    for (const action of survivors)
      say(`${reached.has(action.id) ? 'survives   ' : 'not reached'}  ${action.id}    ${action.text}`)
    say(`${positionals.join(' ')}: ${actions.length} actions, ${survivors.length} survivors`)
    if (values.json)
      writeFileSync(
        values.json,
        JSON.stringify(
          actions.map((action) => ({
            ...action,
            reached: reached.has(action.id),
            killed_by: killed.get(action.id)?.test ?? null,
          })),
          null,
          1,
        ),
      )
    process.exitCode = survivors.length > 0 ? 1 : 0
  } finally {
    rmSync(dir, { recursive: true })
  }
}

await main()
