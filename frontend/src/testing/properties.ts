/** fast-check with one seed, so that a failure is met by who made it; `PATCHBAY_DRAW=anew` draws other examples. */
import fc from 'fast-check'

const anew = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env
  .PATCHBAY_DRAW
if (anew !== 'anew') fc.configureGlobal({ seed: 1 })

export { fc }
