/** Sentences of canvas. */
export const canvas = {} as const
