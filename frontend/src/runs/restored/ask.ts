/** Whether the dialog of restored runs is open, and for which run: told by notes and buttons, heard by its host. */
import { create } from 'zustand'

export interface AskedRestored {
  /** null = all of the team's. */
  readonly run: string | null
}

const useAsk = create<{ readonly asked: AskedRestored | null }>(() => ({ asked: null }))

/** Open the dialog; null closes it. */
export const askRestored = (asked: AskedRestored | null): void => useAsk.setState({ asked })

export const useAskedRestored = (): AskedRestored | null => useAsk((state) => state.asked)
