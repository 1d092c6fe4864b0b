/**
 * What is typed into a box that was just opened and whose code is still on its way.
 *
 * `TypedAhead` stands for the box until it is there (a `fallback` of Suspense): a field that has the focus, so that no
 * letter gets lost or is taken for a shortcut. The box begins with what was typed, and does what Enter asked for once it
 * knows all that it could do: `useTypedAhead`.
 */
import { useEffect, useLayoutEffect, useState } from 'react'

let typed = ''
/** Enter came after the letters: they are final. */
let entered = false

function forget(): void {
  typed = ''
  entered = false
}

interface TypedAheadProps {
  /** What the field of the box is called. */
  readonly label: string
  readonly className?: string
  readonly onClose: () => void
}

export function TypedAhead({ label, className, onClose }: TypedAheadProps) {
  useEffect(forget, [])
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
        entered = false
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') entered = typed.trim() !== ''
        if (event.key !== 'Escape') return
        forget()
        onClose()
      }}
    />
  )
}

/**
 * Gives the box what was typed until it took the field's place, which is some time after its first rendering.
 *
 * `enter` is what Enter does in the box; one that came before is done once the box is `ready`. What it gives asks for
 * that (true) or takes it back (false): whoever goes on typing or pointing wants to choose for themself.
 */
export function useTypedAhead(
  take: (text: string) => void,
  enter?: () => void,
  ready = true,
): (due: boolean) => void {
  const [due, setDue] = useState(false)
  useLayoutEffect(() => {
    if (typed) take(typed)
    if (entered) setDue(true)
    forget()
  }, [take])
  useEffect(() => {
    if (!due || !ready) return
    setDue(false)
    enter?.()
  })
  return setDue
}
