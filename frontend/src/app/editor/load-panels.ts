/** The one prefetch of the editor: the code and the words of its panels, fetched once its first paint stands. */
import { type ComponentType, lazy } from 'react'
import { loadRest } from '@/i18n'
import { afterFirstPaint, prefetch } from '@/ui/first-paint'

export const loadPanels = prefetch(async () => {
  const [file] = await Promise.all([import('./panels'), loadRest()])
  return file
})

/** A panel of that file; whoever shows it from the beginning still lets the first paint go first. */
export function panel<Props>(choose: (file: typeof import('./panels')) => ComponentType<Props>) {
  return lazy(async () => {
    await afterFirstPaint()
    return { default: choose(await loadPanels()) }
  })
}
