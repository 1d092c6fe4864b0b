/** Sentences of forms. */
export const forms = {} as const
