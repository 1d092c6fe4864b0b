/**
 * Writes src/api/schema.d.ts from the backend's OpenAPI document.
 *
 * Runs `manage.py spectacular` of this checkout (PYTHON names another interpreter than the checkout's own); with
 * `--check` it writes nothing and fails when the committed file is not what would be written.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'

const root = resolve(import.meta.dirname, '../../..')
const target = join(root, 'frontend/src/api/schema.d.ts')
const own = join(root, '.venv/bin/python')
const python = process.env.PYTHON ?? (existsSync(own) ? own : 'python3')

const data = mkdtempSync(join(tmpdir(), 'patchbay-apigen-'))
let document
try {
  document = execFileSync(python, ['manage.py', 'spectacular', '--format', 'openapi-json', '--validate'], {
    cwd: root,
    env: { ...process.env, PATCHBAY_DATA_DIR: data },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString()
} finally {
  rmSync(data, { recursive: true, force: true })
}

const types = astToString(await openapiTS(JSON.parse(document), { defaultNonNullable: false }))
const text = `/** Types of the API, generated from its OpenAPI document by \`npm run apigen\`. Not to be edited. */\n\n${types}`

if (process.argv.includes('--check')) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    process.stderr.write(
      'src/api/schema.d.ts is not what the API says. Run `npm run apigen` and commit it.\n',
    )
    process.exitCode = 1
  }
} else {
  writeFileSync(target, text)
}
