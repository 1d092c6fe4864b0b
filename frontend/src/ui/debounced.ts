/** A value once it rests: what is typed is asked for when the fingers pause, not with every letter. */
import { useEffect, useState } from 'react'

const PAUSE_MS = 200

export function useDebounced<Value>(value: Value): Value {
  const [debounced, setRested] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [value])
  return debounced
}
