/** Sentences of runs. */
export const runs = {} as const
