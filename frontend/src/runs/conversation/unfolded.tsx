/** Which parts of a conversation are unfolded. Kept above its rows, which come and go while one scrolls. */

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

interface Folds {
  readonly isOpen: (id: string, usually: boolean) => boolean
  readonly set: (id: string, open: boolean) => void
  /** Unfold or fold everything there is, also what comes later. */
  readonly setAll: (open: boolean) => void
  readonly all: boolean | null
}

const FoldsContext = createContext<Folds | null>(null)

export function FoldsProvider({ children }: { children: ReactNode }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [all, setEvery] = useState<boolean | null>(null)
  const folds = useMemo<Folds>(
    () => ({
      isOpen: (id, usually) => chosen.get(id) ?? all ?? usually,
      set: (id, open) => setChosen((before) => new Map(before).set(id, open)),
      setAll: (open) => {
        setChosen(new Map())
        setEvery(open)
      },
      all,
    }),
    [chosen, all],
  )
  return <FoldsContext value={folds}>{children}</FoldsContext>
}

/** Whether a part is unfolded, and the way to change that. */
export function useFold(
  id: string,
  usually: boolean,
): readonly [open: boolean, set: (open: boolean) => void] {
  const folds = useContext(FoldsContext)
  const [own, setOwn] = useState<boolean | null>(null)
  if (!folds) return [own ?? usually, setOwn]
  return [folds.isOpen(id, usually), (open) => folds.set(id, open)]
}

export function useFolds(): Folds | null {
  return useContext(FoldsContext)
}
