/** Two texts shown line against line. */
import { diffLines, hunks } from './diff'
import { visible } from './visible'

/** Two texts, line against line; with `around` only what changed and that many lines beside it. */
export function Diff({ before, after, around }: { before: string; after: string; around?: number }) {
  const lines = diffLines(before, after)
  return (
    <div className="diff">
      {(around === undefined ? lines : hunks(lines, around)).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <div key={index} data-line={line.kind}>
          {visible(line.text)}
        </div>
      ))}
    </div>
  )
}
