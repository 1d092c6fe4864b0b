/** Sentences of app. */
export const app = {} as const
