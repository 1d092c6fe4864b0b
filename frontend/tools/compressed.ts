/** Writes `.br` and `.gz` beside every built file that becomes smaller by it; the server gives what a browser takes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(js|css|svg|json|html|txt|map|wasm)$/
/** Below this the headers weigh as much. */
const LEAST = 512

/** The plugin: compresses what the build wrote, once, as small as it goes. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle: (options, bundle) => {
      const dir = options.dir ?? ''
      for (const name of Object.keys(bundle)) {
        if (TEXT.test(name) && !name.startsWith('.vite/')) compress(join(dir, name))
      }
    },
  }
}

function compress(file: string): void {
  const plain = readFileSync(file)
  if (plain.length < LEAST) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  const sizes = { br: brotliCompressSync(plain, { params }), gz: gzipSync(plain, { level: 9 }) }
  for (const [ending, small] of Object.entries(sizes)) {
    if (small.length < plain.length) writeFileSync(`${file}.${ending}`, small)
  }
}
