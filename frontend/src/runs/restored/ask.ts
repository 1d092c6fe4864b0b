/** Whether the dialog of restored runs is open, and for which run: told by notes and buttons, heard by its host. */
import { pageRequest, usePageRequest } from '@/ui/page-request'

export interface RestoredRequest {
  /** null = all of the team's. */
  readonly run: string | null
}

const request = pageRequest<RestoredRequest>()

/** Open the dialog; null closes it. */
export const askRestored = (asked: RestoredRequest | null): void => request.setState({ asked })

export const useRestoredRequest = (): RestoredRequest | null => usePageRequest(request)
