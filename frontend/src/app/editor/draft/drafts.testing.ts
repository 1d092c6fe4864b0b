/** A draft that is saved, for tests: its server is what `put` says. */
import { sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import { type DraftOptions, DraftSaver } from './drafts'

/** The saver of revision 5 of a workflow; nothing is saved unless `put` is given. */
export function aSaver(options: Partial<DraftOptions> = {}) {
  const { store = createGraphStore(sample()) } = options
  const put = () => Promise.reject(new Error('nothing is saved here'))
  const saver = new DraftSaver({
    workflow: 'wf_1',
    revision: 5,
    savedAt: null,
    put,
    onProblems: () => {},
    ...options,
    store,
  })
  return { saver, store }
}
