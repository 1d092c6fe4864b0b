/** A run to look at, made of a few lines of its log. */
import { type Line, logOf } from './fold.testing'
import { RunFeed, RunView } from './run-view'

/** The run as far as these events tell. */
export function runOf(lines: readonly Line[], run = 'r'): RunView {
  const due: (() => void)[] = []
  const feed = new RunFeed(run, null, (flush) => due.push(flush))
  feed.take(logOf(lines, run))
  for (const flush of due.splice(0)) flush()
  const view = new RunView(feed)
  view.attach()
  return view
}
