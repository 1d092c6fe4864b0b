/** Whether the dialog of restored runs is open, and for which run: told by notes and buttons, heard by its host. */
import { pageRequest, useAsked } from '@/ui/page-request'

export interface AskedRestored {
  /** null = all of the team's. */
  readonly run: string | null
}

const request = pageRequest<AskedRestored>()

/** Open the dialog; null closes it. */
export const askRestored = (asked: AskedRestored | null): void => request.setState({ asked })

export const useAskedRestored = (): AskedRestored | null => useAsked(request)
