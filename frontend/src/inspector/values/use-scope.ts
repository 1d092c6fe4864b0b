/** The scope of a node, kept up with the graph, the run that is shown, and the tools' schemas. */
import { useQueries } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import { isRef } from '@/api/run-types'
import { toolsNamedQuery } from '@/api/servers'
import { EMPTY_SCOPE, type Scope } from '@/forms'
import { useGraph } from '@/graph/context'
import type { Graph } from '@/graph/types'
import { useT } from '@/i18n'
import { type StepValues, useRunInfo, useRunView } from '@/live/run-store'
import { relativeTime } from '@/ui'
import { type NodeValues, scopeNodes, scopeOf, scopeTools } from './scope-of'

/** Values of these nodes in the run shown; the same map until one of them changes. */
function useNodeValues(ids: readonly string[]): ReadonlyMap<string, NodeValues> {
  const view = useRunView()
  const last = useRef<{ parts: (StepValues | null)[]; map: ReadonlyMap<string, NodeValues> }>({
    parts: [],
    map: new Map(),
  })
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = ids.map((id) => view?.subscribeNode(id, listener))
      return () => {
        for (const entry of leave) entry?.()
      }
    },
    [view, ids],
  )
  const snapshot = () => {
    const parts = ids.map((id) => view?.stepValues(id) ?? null)
    const known = last.current
    if (parts.length === known.parts.length && parts.every((part, index) => part === known.parts[index]))
      return known.map
    const map = new Map<string, NodeValues>()
    ids.forEach((id, index) => {
      const part = parts[index]
      if (part) map.set(id, { input: seen(part.input), output: seen(part.output) })
    })
    last.current = { parts, map }
    return map
  }
  return useSyncExternalStore(subscribe, snapshot)
}

/** A payload that is stored elsewhere is not at hand: it counts as not seen. Inside an object its other keys are. */
function seen(value: unknown): unknown {
  if (value === null || isRef(value)) return undefined
  if (typeof value !== 'object' || Array.isArray(value) || value === undefined) return value
  const entries = Object.entries(value)
  return entries.some(([, inner]) => isRef(inner))
    ? Object.fromEntries(entries.filter(([, inner]) => !isRef(inner)))
    : value
}

export function useScope(id: string): Scope {
  const t = useT()
  const graph = useStill(useGraph((state) => state.graph))
  const types = useGraph((state) => state.types)
  const info = useRunInfo()
  const nodes = useStable(scopeNodes(graph, id))
  const named = [...scopeTools(graph, id)]
  const servers = useStable(named.map(([server]) => server))
  const values = useNodeValues(nodes)
  const tools = useQueries({
    queries: named.map(([server, names]) => toolsNamedQuery(server, names)),
    combine,
  })
  const startedAt = info?.startedAt ?? null
  const run = info?.run
  const version = info?.version ?? null
  return useMemo(() => {
    if (!graph.nodes.some((node) => node.id === id)) return EMPTY_SCOPE
    const time = startedAt === null ? undefined : new Date(startedAt).toISOString()
    return scopeOf(id, {
      graph,
      types,
      values,
      toolOutput: (server, tool) =>
        tools[servers.indexOf(String(server))]?.find((entry) => entry.name === tool)?.output_schema,
      note:
        time &&
        t(version === null ? 'inspector.from_draft_run' : 'inspector.from_run', {
          n: version ?? 0,
          when: relativeTime(time),
        }),
      run: run && time ? { id: run, time } : undefined,
      words: {
        variables: t('inspector.variables'),
        env: t('inspector.environment'),
        system: t('inspector.system'),
        thisFrame: t('inspector.this_frame'),
        pinned: t('inspector.pinned'),
        inside: t('inspector.inside'),
      },
    })
  }, [graph, types, values, tools, servers, id, run, startedAt, version, t])
}

/** The graph of before while nothing but places changed: what a node may speak of does not depend on them. */
function useStill(graph: Graph): Graph {
  const last = useRef(graph)
  if (!onlyMoved(last.current, graph)) last.current = graph
  return last.current
}

/** Whether two graphs differ in nothing but where their nodes stand. */
export function onlyMoved(before: Graph, after: Graph): boolean {
  if (before === after) return true
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const key of keys) {
    if (key !== 'nodes' && key !== 'annotations' && before[key] !== after[key]) return false
  }
  return (
    before.nodes.length === after.nodes.length &&
    before.nodes.every((node, index) => {
      const other = after.nodes[index]
      if (node === other) return true
      if (!other || node.position === other.position) return false
      const names = Object.keys({ ...node, ...other })
      return names.every((name) => name === 'position' || node[name] === other[name])
    })
  )
}

type Tools = readonly { name: string; output_schema: unknown }[]

function combine(results: readonly { data?: Tools | undefined }[]): readonly (Tools | undefined)[] {
  return results.map((result) => result.data)
}

/** The list of before while it says the same. */
function useStable(list: string[]): readonly string[] {
  const key = list.join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the list
  return useMemo(() => list, [key])
}
