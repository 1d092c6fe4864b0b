/** What a button, a menu or a key of a page asks for, heard by a dialog that stands elsewhere on that page. */
import { useEffect } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'

export type PageRequest<Asked> = StoreApi<{ readonly asked: Asked | null }>

/** Nothing is asked for yet. */
export const pageRequest = <Asked>(): PageRequest<Asked> => createStore(() => ({ asked: null }))

/**
 * For the dialog's host: what is asked for, null = nothing.
 *
 * It belongs to the page that the host stands on: when that goes, nothing is asked for any more, so that no dialog of
 * one page opens on the next.
 */
export function usePageRequest<Asked>(request: PageRequest<Asked>): Asked | null {
  useEffect(() => () => request.setState({ asked: null }), [request])
  return useStore(request, (state) => state.asked)
}
