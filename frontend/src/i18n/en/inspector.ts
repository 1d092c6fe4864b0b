/** Sentences of inspector. */
export const inspector = {} as const
