/**
 * What of the editor stands in its address: the node that is looked at, the version that is shown, what is compared.
 *
 * A version has an entry of its own in the browser's history, so that Back leads to the draft. A node replaces the one
 * before it: whoever clicked through ten of them leaves the editor with one step back.
 */
import { useEffect, useRef, useState } from 'react'
import { navigate, useLocationProperty } from 'wouter/use-browser-location'
import type { CanvasController } from '@/canvas/controller'
import { nodesById } from '@/graph/lookup'
import { afterFirstPaint } from '@/ui/first-paint'

/** How long a node is selected before it stands in the address, ms: browsers count how often it changes. */
const REST_MS = 150

const parameter = (name: string): string => new URLSearchParams(window.location.search).get(name) ?? ''

function put(name: string, value: string, replace: boolean): void {
  const search = new URLSearchParams(window.location.search)
  if (value) search.set(name, value)
  else search.delete(name)
  const text = search.toString()
  navigate(window.location.pathname + (text ? `?${text}` : ''), { replace, state: window.history.state })
}

/** The version in the address; null = the draft. One that is no number is asked for as 0, which no version is. */
export function useVersionInAddress(): readonly [number | null, (version: number | null) => void] {
  const text = useLocationProperty(() => parameter('version'))
  const version = text === '' ? null : /^\d{1,9}$/.test(text) ? Number(text) : 0
  return [version, (next) => put('version', next === null ? '' : String(next), false)]
}

/** What the address compares, such as `6..draft`; null = nothing. An entry of its own, so that Back leaves it. */
export function useCompareInAddress(): readonly [string | null, (compared: string | null) => void] {
  const text = useLocationProperty(() => parameter('compare'))
  const set = (next: string | null) =>
    navigate(window.location.pathname + (next === null ? '' : `?compare=${next}`), {
      replace: next !== null && text !== '',
    })
  return [text === '' ? null : text, set]
}

/** Keeps the selected node and the address alike. Gives the id of a node that the address names and that is not there. */
export function useNodeInAddress(controller: CanvasController, selected: string | null): string | null {
  const node = useLocationProperty(() => parameter('node'))
  const [missing, setMissing] = useState<string | null>(null)
  const written = useRef<string | null>(null) // by us: whoever selected something else since then keeps it

  useEffect(() => {
    if (node === written.current) {
      setMissing(null)
      return
    }
    written.current = null
    const { graph, selection, select } = controller.graph.getState()
    const there = node === '' || nodesById(graph).has(node)
    setMissing(there ? null : node)
    if (node === '' || !there) return
    if (selection.nodes.length !== 1 || selection.nodes[0] !== node) select({ nodes: [node] })
    let here = true
    void afterFirstPaint().then(() => {
      const { nodes } = controller.graph.getState().selection
      if (here && nodes.length === 1 && nodes[0] === node) controller.view.reveal(node)
    })
    return () => {
      here = false
    }
  }, [node, controller])

  useEffect(() => {
    if (selected === null && missing !== null) return
    const timer = setTimeout(() => {
      if ((selected ?? '') === parameter('node')) return
      written.current = selected ?? ''
      put('node', written.current, true)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [selected, missing])

  return missing
}
