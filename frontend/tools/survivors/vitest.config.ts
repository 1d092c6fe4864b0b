/** The component tests as they always run, with this runner, and a switch in front of each action that is tried. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import plain from '../../vitest.config.ts'
import { withSwitches } from './actions.ts'

const HERE = import.meta.dirname
const SRC = resolve(HERE, '../../src')
const { SURVIVORS_DIR: dir = '' } = process.env

/** Puts the switches into the files that are tried, before anything else reads them. */
function switching(): Plugin {
  const files = new Set(JSON.parse(readFileSync(join(dir, 'files.json'), 'utf8')) as readonly string[])
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

// biome-ignore lint/style/noDefaultExport: Vitest takes a configuration's default export
export default defineConfig({
  ...plain,
  plugins: [switching()],
  test: {
    ...plain.test,
    fsModuleCache: false, // modules with switches are not kept for who has none
    runner: join(HERE, 'runner.ts'),
    setupFiles: ['src/testing/setup.ts', join(HERE, 'setup.ts')],
    testTimeout: 30_000,
    silent: true,
  },
})
