/** Files as a form sends them: with everything else, in base64. */
import type { Chosen, Field } from './fields'

/** Bytes that are written at once: more are too many arguments for some browsers. */
const AT_ONCE = 0x8000

async function upload(file: File) {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += AT_ONCE)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + AT_ONCE)))
  return { $upload: { name: file.name, mime: file.type, base64: btoa(parts.join('')) } }
}

/** The values of the fields for which files were chosen. */
export async function uploadsOf(fields: readonly Field[], chosen: Chosen): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const files = chosen[name] ?? []
    const [first] = files
    if (kind === 'file' && first) values[name] = await upload(first)
    if (kind === 'files' && first) values[name] = await Promise.all(files.map(upload))
  }
  return values
}
