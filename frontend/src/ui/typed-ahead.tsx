/**
 * What is typed into a box that was just opened and whose code is still on its way.
 *
 * `TypedAhead` stands for the box until it is there (a `fallback` of Suspense): a field that has the focus, so that no
 * letter gets lost or is taken for a shortcut. The box begins with what was typed: `useTypedAhead`.
 */
import { useEffect, useLayoutEffect } from 'react'

let typed = ''

interface TypedAheadProps {
  /** What the field of the box is called. */
  readonly label: string
  readonly className?: string
  readonly onClose: () => void
}

export function TypedAhead({ label, className, onClose }: TypedAheadProps) {
  useEffect(() => {
    typed = ''
  }, [])
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person just opened it to type
      autoFocus
      aria-label={label}
      aria-busy
      className={className}
      placeholder={label}
      onChange={(event) => {
        typed = event.target.value
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        typed = ''
        onClose()
      }}
    />
  )
}

/** Gives the box what was typed until it took the field's place, which is some time after its first rendering. */
export function useTypedAhead(take: (text: string) => void): void {
  useLayoutEffect(() => {
    if (typed) take(typed)
    typed = ''
  }, [take])
}
