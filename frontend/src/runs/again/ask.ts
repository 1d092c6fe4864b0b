/** Which run is asked to run again, from where: told by buttons and menus, heard by the dialog beside the dock. */
import { create } from 'zustand'

export interface Asked {
  readonly run: string
  /** The step's node; null = from the step that failed. */
  readonly node: string | null
}

const useAsk = create<{ readonly asked: Asked | null }>(() => ({ asked: null }))

/** Open the dialog that says what would run again; null closes it. */
export const askAgain = (asked: Asked | null): void => useAsk.setState({ asked })

export const useAsked = (): Asked | null => useAsk((state) => state.asked)
