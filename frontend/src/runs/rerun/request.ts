/** Which run is asked to run again, from where: told by buttons and menus, heard by the dialog beside the dock. */
import { pageRequest, usePageRequest } from '@/ui/page-request'

export interface RerunRequest {
  readonly run: string
  /** The step's node; null = from the step that failed. */
  readonly node: string | null
  /** Begin with the current draft in place of the run's own document. */
  readonly draft?: boolean
}

const request = pageRequest<RerunRequest>()

/** Open the dialog that says what would run again; null closes it. */
export const requestRerun = (asked: RerunRequest | null): void => request.setState({ asked })

export const useRerunRequest = (): RerunRequest | null => usePageRequest(request)
