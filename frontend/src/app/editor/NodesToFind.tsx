/** The nodes of the open workflow in the command palette: choosing one shows it. */
import { useEffect } from 'react'
import { offerNodes } from '@/app/frame/findable'
import { useController } from '@/canvas/CanvasProvider'
import { useGraphStore } from '@/graph/context'
import { subtitleOf, titleOf } from '@/graph/nodes/describe'

export function NodesToFind() {
  const store = useGraphStore()
  const controller = useController()
  useEffect(
    () =>
      offerNodes(() => {
        const { graph, types } = store.getState()
        return graph.nodes.map((node) => {
          const { lead, tail } = subtitleOf(node)
          return {
            id: node.id,
            title: titleOf(node, types),
            about: lead ? `${lead}/${tail}` : tail,
            run: () => controller.reveal(node.id),
          }
        })
      }),
    [store, controller],
  )
  return null
}
