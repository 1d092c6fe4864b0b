/** The button at a problem that mends it with one click. */
import { type Key, useT } from '@/i18n'
import { Button } from '@/ui'
import { useGraph, useGraphStore } from './context'
import { type FixKind, fixOf } from './fixes'
import type { Problem } from './types'

const WORDS: Readonly<Record<FixKind, Key>> = {
  use: 'editor.fix_use',
  start: 'editor.fix_start',
  node: 'editor.fix_node',
  edge: 'editor.fix_edge',
  field: 'editor.fix_field',
  return: 'editor.fix_return',
}

export function FixButton({ problem }: { readonly problem: Problem }) {
  const say = useT() as unknown as (key: Key, params: Readonly<Record<string, string>>) => string
  const store = useGraphStore()
  const readOnly = useGraph((state) => state.readOnly)
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const fix = readOnly ? null : fixOf(problem, graph, types)
  if (!fix) return null
  return (
    <Button
      size="small"
      className="fix"
      // The field keeps the focus, and with it its place, until the click is done.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        const state = store.getState()
        const now = fixOf(problem, state.graph, state.types)
        if (now) state.commit(now.label, now.change)
      }}
    >
      {say(WORDS[fix.kind], { name: fix.name })}
    </Button>
  )
}
