/**
 * Rows of name and value of which some are secrets, and the way to and from the API's words. Pure.
 *
 * Secrets are write-only: a kept one comes as its hint with an empty value; empty means "as it is", and a row that is
 * taken away removes it.
 */
export type Pair = {
  readonly id: number
  readonly name: string
  readonly value: string
  readonly secret: boolean
  /** The hint of a secret that is stored already; null for a new row. */
  readonly kept: string | null
}

let lastId = 0

export const newPair = (secret = false): Pair => ({ id: ++lastId, name: '', value: '', secret, kept: null })

/** The rows for what the API shows. */
export const pairsOf = (
  plain: Readonly<Record<string, string>>,
  secret: Readonly<Record<string, { readonly hint: string }>>,
): Pair[] => [
  ...Object.entries(plain).map(([name, value]) => ({ ...newPair(), name, value })),
  ...Object.entries(secret).map(([name, { hint }]) => ({ ...newPair(true), name, kept: hint })),
]

/** What stands in the open. */
export const plainOf = (rows: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(rows.filter((row) => !row.secret && row.name).map((row) => [row.name, row.value]))

/** The secrets to send: new values, and null for each of `before` that is gone. */
export const secretOf = (
  rows: readonly Pair[],
  before: readonly string[],
): Record<string, string | null> => ({
  ...Object.fromEntries(
    before.filter((name) => !rows.some((row) => row.secret && row.name === name)).map((name) => [name, null]),
  ),
  ...Object.fromEntries(
    rows
      .filter((row) => row.secret && row.name && !(row.kept !== null && row.value === ''))
      .map((row) => [row.name, row.value]),
  ),
})
