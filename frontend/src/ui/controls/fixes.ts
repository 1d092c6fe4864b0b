/** What stands behind a sentence about a field: a button that mends it, where there is one. */
import { createContext, type ReactNode } from 'react'

export const FixesContext = createContext<(sentence: string) => ReactNode>(() => null)
