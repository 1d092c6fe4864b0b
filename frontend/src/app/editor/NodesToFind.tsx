/** The nodes of the open workflow in the command palette: choosing one shows it. */
import { useEffect } from 'react'
import { offerNodes } from '@/app/frame/findable'
import { useController } from '@/canvas/CanvasProvider'
import { useGraphStore } from '@/graph/context'
import { distinctTitles, shownSubtitle } from '@/graph/nodes/describe'

export function NodesToFind() {
  const store = useGraphStore()
  const controller = useController()
  useEffect(
    () =>
      offerNodes(() => {
        const { graph, types } = store.getState()
        const titles = distinctTitles(graph.nodes, types)
        return graph.nodes.map((node) => {
          const { lead, tail } = shownSubtitle(node, types)
          return {
            id: node.id,
            title: titles.get(node.id) ?? node.id,
            about: lead ? `${lead}/${tail}` : tail,
            run: () => controller.view.reveal(node.id),
          }
        })
      }),
    [store, controller],
  )
  return null
}
