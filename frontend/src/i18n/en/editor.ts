/** Sentences of editor. */
export const editor = {} as const
