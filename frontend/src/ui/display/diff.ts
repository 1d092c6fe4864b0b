/** A line diff by longest common subsequence; the ends that agree are cut off first. */

export interface DiffLine {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

/** A stretch of equal lines that was left out. */
export interface DiffGap {
  readonly kind: 'gap'
  readonly text: string
}

/** Only what changed, with `around` equal lines before and after; the rest as gaps that say how much they hide. */
export function hunks(lines: readonly DiffLine[], around: number): (DiffLine | DiffGap)[] {
  const near = new Set<number>()
  lines.forEach((line, index) => {
    if (line.kind === 'same') return
    for (let i = index - around; i <= index + around; i++) near.add(i)
  })
  const out: (DiffLine | DiffGap)[] = []
  let hidden = 0
  const flush = () => {
    if (hidden > 0) out.push({ kind: 'gap', text: `⋯ ${hidden}` })
    hidden = 0
  }
  lines.forEach((line, index) => {
    if (!near.has(index)) {
      hidden++
      return
    }
    flush()
    out.push(line)
  })
  flush()
  return out
}

const MOST_CELLS = 4_000_000

/** The lines of both texts in order. Texts too large to compare come out as removed and added whole. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ]
}

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const width = b.length + 1
  const out: DiffLine[] = []
  if ((a.length + 1) * width > MOST_CELLS) {
    return [
      ...a.map((text) => ({ kind: 'del' as const, text })),
      ...b.map((text) => ({ kind: 'add' as const, text })),
    ]
  }
  const longest = new Uint32Array((a.length + 1) * width)
  const place = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j] ? place(i + 1, j + 1) + 1 : Math.max(place(i + 1, j), place(i, j + 1))
    }
  }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const del = a[i]
    const add = b[j]
    if (del !== undefined && del === add) {
      out.push({ kind: 'same', text: del })
      i++
      j++
    } else if (del !== undefined && (add === undefined || place(i + 1, j) >= place(i, j + 1))) {
      out.push({ kind: 'del', text: del })
      i++
    } else if (add !== undefined) {
      out.push({ kind: 'add', text: add })
      j++
    }
  }
  return out
}
