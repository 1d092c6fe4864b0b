// Bundles a script for the browser: the frontend's bundler, packages out of another folder. Arguments: script, folder of
// packages, output file, folder of the bundler.
import { pathToFileURL } from 'node:url'

const [script, packages, file, bundler] = process.argv.slice(2)
const { rolldown } = await import(pathToFileURL(`${bundler}/dist/index.mjs`).href)
const bundle = await rolldown({ input: script, platform: 'browser', resolve: { modules: [packages] } })
await bundle.write({ file, format: 'es' })
await bundle.close()
