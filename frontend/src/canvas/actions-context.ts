/** What cards ask of the page around the canvas: answering a question that a run has. */
import { createContext, useContext } from 'react'
import type { MenuEntry } from '@/ui'

export interface CanvasActions {
  /** Approve as proposed; absent for people who may not. Rejects with what the server said. */
  approve?: ((interaction: string) => Promise<unknown>) | undefined
  /** Show the whole question. */
  review?: ((node: string, interaction: string) => void) | undefined
  /** What else a card's menu offers. */
  menu?: ((node: string) => readonly MenuEntry[]) | undefined
}

export const CanvasActionsContext = createContext<CanvasActions>({})

export function useCanvasActions(): CanvasActions {
  return useContext(CanvasActionsContext)
}
