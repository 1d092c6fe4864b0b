/**
 * Where a value chosen elsewhere goes: the field that was focused last.
 *
 * A row of the input tree is dragged with the mouse; with the keyboard it is chosen with Enter and lands here.
 */
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'

export interface InsertTarget {
  /** The field's label, so that the tree can say where a value will go. */
  label: string
  insert: (expression: string) => void
}

interface Slot {
  current: InsertTarget | undefined
  listeners: Set<() => void>
}

const SlotContext = createContext<Slot | undefined>(undefined)

export function InsertTargetProvider({ children }: { children: ReactNode }) {
  const [slot] = useState<Slot>(() => ({ current: undefined, listeners: new Set() }))
  return <SlotContext value={slot}>{children}</SlotContext>
}

/** For a field: gives the function to call on focus; the field is forgotten when it goes. */
export function useInsertTarget(label: string, insert: (expression: string) => void): () => void {
  const slot = useContext(SlotContext)
  const target = useRef<InsertTarget>({ label, insert })
  target.current.label = label
  target.current.insert = insert
  useEffect(() => {
    const mine = target.current
    return () => {
      if (slot?.current === mine) slot.current = undefined
    }
  }, [slot])
  return () => {
    if (slot) slot.current = target.current
  }
}

/** For the tree: puts an expression into the field that was focused last; false when there is none. */
export function useInsert(): (expression: string) => string | undefined {
  const slot = useContext(SlotContext)
  return (expression) => {
    slot?.current?.insert(expression)
    return slot?.current?.label
  }
}
