/** Which run is asked to run again, from where: told by buttons and menus, heard by the dialog beside the dock. */
import { create } from 'zustand'

export interface RerunRequest {
  readonly run: string
  /** The step's node; null = from the step that failed. */
  readonly node: string | null
  /** Begin with the current draft in place of the run's own document. */
  readonly draft?: boolean
}

const useRequest = create<{ readonly asked: RerunRequest | null }>(() => ({ asked: null }))

/** Open the dialog that says what would run again; null closes it. */
export const requestRerun = (asked: RerunRequest | null): void => useRequest.setState({ asked })

export const useRerunRequest = (): RerunRequest | null => useRequest((state) => state.asked)
