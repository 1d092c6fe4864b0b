/** Sentences of registry. */
export const registry = {} as const
