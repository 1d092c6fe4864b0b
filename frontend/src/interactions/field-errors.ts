/** Errors of the API at their fields: `inputs.a.b` becomes `/a/b`, which is how forms name a place. */

export function fieldErrors(
  fields: Readonly<Record<string, readonly string[]>> | undefined,
  prefix: string,
): Record<string, readonly string[]> {
  const errors: Record<string, readonly string[]> = {}
  for (const [name, sentences] of Object.entries(fields ?? {})) {
    const rest = name === prefix ? '' : name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name
    const keys = rest.replace(/\[(\d+)\]/g, '.$1')
    const pointer = keys === '' ? '' : `/${keys.split('.').map(escaped).join('/')}`
    errors[pointer] = [...(errors[pointer] ?? []), ...sentences]
  }
  return errors
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
