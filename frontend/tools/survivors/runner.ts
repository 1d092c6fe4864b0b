/**
 * Runs every test once and notes which actions it reached; or runs it again with each of them switched off.
 *
 * A test that failed with some action switched off is run a last time with all of them on: only if it passes then was it
 * the actions. Modules, server and page are those of the first time, so trying an action costs what its test costs.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunnerTestCase, TestRunner } from 'vitest'
import './runtime'

interface Line {
  readonly file: string
  readonly test: string
  readonly reached?: readonly string[]
  readonly failed?: boolean
  /** How long it took with everything on, in milliseconds. */
  readonly took?: number
  readonly killed?: string
  readonly unsteady?: string
}

const { SURVIVORS_DIR: dir = '' } = process.env
const out = join(dir, 'out.jsonl')
const from = join(dir, 'record.jsonl')
const isKilling = (): boolean => readFileSync(join(dir, 'mode'), 'utf8') === 'kill'

const lines = (path: string): readonly Line[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : []

const note = (line: Line): void => appendFileSync(out, `${JSON.stringify(line)}\n`)

function nameOf(test: RunnerTestCase): string {
  const names = [test.name]
  for (let suite = test.suite; suite?.name; suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}

// biome-ignore lint/style/noDefaultExport: Vitest takes a runner's default export
export default class SurvivorsRunner extends TestRunner {
  /** Which actions are tried with the test that runs now. */
  private tried: readonly string[] = []
  /** Those with which it failed. */
  private failed: string[] = []
  private idle = false
  private began = 0
  /** How long it took with everything on. */
  private took = 0
  private readonly killing = isKilling()

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    if (!this.killing || test.mode !== 'run') return
    const name = nameOf(test)
    const known = lines(from).find((line) => line.file === test.file.name && line.test === name)
    const killed = new Set(lines(out).map((line) => line.killed))
    this.took = known?.took ?? 0
    this.tried = (known?.failed ? [] : (known?.reached ?? [])).filter((id) => !killed.has(id))
    if (this.tried.length === 0) test.mode = 'skip'
    else test.repeats = this.tried.length
    this.failed = []
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options as never)
    globalThis.survivors.reached.clear()
    globalThis.survivors.disabled = null
    this.began = performance.now()
    if (!this.killing) return
    const action = this.tried[options.repeats]
    this.idle =
      action === undefined ? this.failed.length === 0 : lines(out).some((line) => line.killed === action)
    if (action !== undefined && !this.idle) globalThis.survivors.disabled = action
    // what is awaited and cannot come, because its action is off, is awaited for as long as the whole test took
    globalThis.survivors.patience(action === undefined ? 20_000 : Math.min(Math.max(this.took, 800), 5000))
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    if (this.idle) return
    await TestRunner.getTestFn(test)?.()
  }

  override async onAfterRetryTask(
    test: RunnerTestCase,
    options: { retry: number; repeats: number },
  ): Promise<void> {
    await super.onAfterRetryTask(test, options as never)
    const failed = test.result?.state === 'fail'
    const at = { file: test.file.name, test: nameOf(test) }
    globalThis.survivors.disabled = null
    if (!this.killing) {
      const took = Math.round(performance.now() - this.began)
      note({ ...at, failed, took, reached: [...globalThis.survivors.reached] })
      return
    }
    const action = this.tried[options.repeats]
    if (action !== undefined) {
      if (failed && !this.idle) this.failed.push(action)
      return
    }
    for (const noticed of this.failed)
      note(failed ? { ...at, unsteady: noticed } : { ...at, killed: noticed })
  }
}
