/** What every field of one form shares; stable while the user types, so that a keystroke redraws one field. */
import { createContext, useContext } from 'react'
import type { Scope } from './expressions/scope'
import type { Path } from './pointer'

export interface FormSettings {
  mode: 'plain' | 'expression'
  scope: Scope
  /** The document in which references are looked up. */
  root: unknown
  disabled: boolean
  idPrefix: string
  labels: 'names' | 'titles'
  /** Which fields take expressions: all, or those whose schema says `x-expression`. */
  expressions: 'all' | 'marked'
  /** Replace what is at `path`; undefined removes the key. */
  update: (path: Path, value: unknown) => void
}

export type FieldErrors = Readonly<Record<string, readonly string[]>>

export const FormContext = createContext<FormSettings | undefined>(undefined)
export const ErrorsContext = createContext<FieldErrors>({})

export function useForm(): FormSettings {
  const settings = useContext(FormContext)
  if (!settings) throw new Error('A form field is used outside of a form')
  return settings
}

const NONE: readonly string[] = []

/** The sentences for one field. */
export function useErrors(pointer: string): readonly string[] {
  return useContext(ErrorsContext)[pointer] ?? NONE
}

/** Whether anything below `pointer` is wrong; for what is collapsed. */
export function useErrorsBelow(pointer: string): number {
  const errors = useContext(ErrorsContext)
  return Object.keys(errors).filter((key) => key.startsWith(`${pointer}/`)).length
}
