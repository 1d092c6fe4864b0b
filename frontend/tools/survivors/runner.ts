/**
 * Runs every test once and notes which actions it reached; or runs it again with each of them switched off.
 *
 * A test that fails with an action switched off is run once more with all of them on: only if it passes then was it the
 * action. Modules, server and page are those of the first time, so trying an action costs what its test costs.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type RunnerTestCase, TestRunner } from 'vitest'
import './runtime'

interface Line {
  readonly file: string
  readonly test: string
  readonly reached?: readonly string[]
  readonly failed?: boolean
  readonly killed?: string
  readonly unsteady?: string
}

const { SURVIVORS_MODE: mode, SURVIVORS_OUT: out = '', SURVIVORS_IN: from = '' } = process.env

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
  private failed = false
  private idle = false

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    if (mode !== 'kill' || test.mode !== 'run') return
    const name = nameOf(test)
    const known = lines(from).find((line) => line.file === test.file.name && line.test === name)
    const killed = new Set(lines(out).map((line) => line.killed))
    this.tried = (known?.failed ? [] : (known?.reached ?? [])).filter((id) => !killed.has(id))
    if (this.tried.length === 0) test.mode = 'skip'
    else test.repeats = 2 * this.tried.length - 1
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options as never)
    globalThis.survivors.reached.clear()
    globalThis.survivors.disabled = null
    if (mode !== 'kill') return
    const action = this.tried[Math.floor(options.repeats / 2)] ?? ''
    const control = options.repeats % 2 === 1
    if (control) this.idle = !this.failed
    else {
      this.failed = false
      this.idle = lines(out).some((line) => line.killed === action)
      if (!this.idle) globalThis.survivors.disabled = action
    }
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
    if (mode !== 'kill') {
      note({ ...at, failed, reached: [...globalThis.survivors.reached] })
      return
    }
    const action = this.tried[Math.floor(options.repeats / 2)] ?? ''
    if (options.repeats % 2 === 0) this.failed = failed && !this.idle
    else if (this.failed) note(failed ? { ...at, unsteady: action } : { ...at, killed: action })
  }
}
