/** Sentences of inbox. */
export const inbox = {} as const
