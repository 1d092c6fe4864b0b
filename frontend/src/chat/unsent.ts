/** What was typed and not sent yet: it outlives the page, until it is sent. */
import { useCallback, useState } from 'react'

const PREFIX = 'chat:unsent:'

function kept(place: string): string {
  try {
    return localStorage.getItem(PREFIX + place) ?? ''
  } catch {
    return ''
  }
}

function keep(place: string, text: string): void {
  try {
    if (text) localStorage.setItem(PREFIX + place, text)
    else localStorage.removeItem(PREFIX + place)
  } catch {
    // a browser that keeps nothing loses it with the page
  }
}

/** The text of a field, kept under the place it belongs to. */
export function useUnsent(place: string): [text: string, change: (text: string) => void] {
  const [at, setAt] = useState(place)
  const [text, setText] = useState(() => kept(place))
  if (at !== place) {
    setAt(place)
    setText(kept(place))
  }
  const change = useCallback(
    (next: string) => {
      keep(place, next)
      setText(next)
    },
    [place],
  )
  return [text, change]
}

const ANSWERS = 'answer:'

/** What was filled into a question's form before the page was left; null where nothing was. */
export function keptAnswers(question: string): unknown {
  const text = kept(ANSWERS + question)
  try {
    return text ? JSON.parse(text) : null
  } catch {
    return null
  }
}

export const keepAnswers = (question: string, values: unknown): void =>
  keep(ANSWERS + question, JSON.stringify(values) ?? '')

export const forgetAnswers = (question: string): void => keep(ANSWERS + question, '')
