/** Sentences of settings. */
export const settings = {} as const
