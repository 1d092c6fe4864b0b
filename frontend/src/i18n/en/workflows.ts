/** Sentences of workflows. */
export const workflows = {} as const
