/** Sentences of palette. */
export const palette = {} as const
