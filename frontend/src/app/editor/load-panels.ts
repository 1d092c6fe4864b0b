/** The one prefetch of the editor: the code and the words of its panels, fetched once its first paint stands. */
import type { ComponentType } from 'react'
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { afterFirstPaint, prefetch } from '@/ui/first-paint'

export const loadPanels = prefetch(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./panels')), loadRest()])
  return file
})

/** A panel of that file; whoever shows it from the beginning still lets the first paint go first. */
export function panel<Props>(choose: (file: typeof import('./panels')) => ComponentType<Props>) {
  return lazily(async () => {
    await afterFirstPaint()
    return { default: choose(await loadPanels()) }
  })
}

/** A screen of versions and drafts: its code and its words come when the first of them is opened. */
export function versionScreen<Props>(
  choose: (file: typeof import('../compare/screens')) => ComponentType<Props>,
) {
  return lazily(async () => {
    const [file] = await Promise.all([
      fetchCode(() => import('../compare/screens')),
      loadRest(),
      loadWords('versions'),
    ])
    return { default: choose(file) }
  })
}

/** Trying a trigger: its code and its words come when it is opened. */
export const TryInEditor = lazily(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/triggers/TryInEditor')),
    loadRest(),
    loadWords('triggers'),
  ])
  return { default: file.TryInEditor }
})
