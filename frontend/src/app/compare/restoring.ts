/** What a comparison can do to the draft. */
import { restoreGraph, takeNode } from '@/graph/compare/restore'
import type { GraphStore } from '@/graph/store'
import { type Translate, useT } from '@/i18n'
import { toast } from '@/ui'
import type { TakeBack } from '@/versions/ChangeDetail'
import { type SideDocument, sideName } from '@/versions/documents'
import { DRAFT, writePair } from '@/versions/sides'

/** Says what was done, with the way back as long as nothing else was done since. */
function offerUndo(draft: GraphStore, words: string, t: Translate): void {
  const step = draft.getState().past.at(-1)
  toast.ok({
    title: words,
    action: {
      label: t('editor.undo'),
      run: () => {
        if (draft.getState().past.at(-1) === step) draft.getState().undo()
      },
    },
  })
}

interface Restoring {
  readonly before: SideDocument
  readonly after: SideDocument
  readonly onAddress: (address: string | null) => void
}

export interface Restored {
  /** Putting a whole document in place of the draft; null where both sides are the draft. */
  readonly whole: { readonly from: SideDocument; readonly restore: () => void } | null
  /** Taking one node; null where the draft is not beside, or may not be edited. */
  readonly back: TakeBack | null
}

/**
 * Restoring the side that is not the draft. Where neither is, the first click compares it with the draft: nothing is
 * put over a draft that one has not seen.
 */
export function useRestore({ before, after, onAddress }: Restoring, draft: GraphStore): Restored {
  const t = useT()
  const [from, other] = before.side.kind === 'draft' ? [after, before] : [before, after]
  if (from.side.kind === 'draft' || draft.getState().readOnly) return { whole: null, back: null }
  const preview = other.side.kind !== 'draft'
  const name = sideName(from.side, t)
  const restore = () => {
    if (preview) return onAddress(writePair({ before: from.side, after: DRAFT }))
    const changes = draft.getState().commit('restore', (graph) => restoreGraph(graph, from.graph))
    if (!changes) return toast.info(t('versions.equal'))
    onAddress(null)
    offerUndo(draft, t('versions.restored', { side: name }), t)
  }
  const take = (node: string) => {
    const changes = draft.getState().commit('restore', (graph) => takeNode(graph, from.graph, node))
    if (changes) offerUndo(draft, t('versions.taken', { side: name }), t)
  }
  return { whole: { from, restore }, back: preview ? null : { from, take } }
}
