/** A small picture of a workflow: its nodes where they lie, and the edges among them. */
import type { components } from '@/api/schema'
import { nodeIcon } from '@/graph/nodes/icons'

type Preview = components['schemas']['Template']['preview']

const WIDTH = 44
const HEIGHT = 26
const MARGIN = 12
const BOX = { width: 320, height: 120 }
const PEOPLE: readonly string[] = ['approval', 'form']

/** Where the nodes come to stand in the picture, left to right by their places in the document. */
function placed({ nodes, edges }: Preview) {
  const top = nodes.filter((node) => !node.parent)
  const scaleOf = (values: readonly number[], size: number, room: number) => {
    const least = Math.min(...values)
    const span = Math.max(...values) - least
    if (span === 0) return () => room / 2
    return (value: number) => MARGIN + size / 2 + ((value - least) / span) * (room - 2 * MARGIN - size)
  }
  const x = scaleOf(
    top.map((node) => node.x),
    WIDTH,
    BOX.width,
  )
  const y = scaleOf(
    top.map((node) => node.y),
    HEIGHT,
    BOX.height,
  )
  const places = new Map(top.map((node) => [node.id, { node, x: x(node.x), y: y(node.y) }]))
  return { places, edges: edges.filter((edge) => places.has(edge.source) && places.has(edge.target)) }
}

export function TemplatePreview({ preview }: { preview: Preview }) {
  const { places, edges } = placed(preview)
  return (
    <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} className="preview" aria-hidden>
      {edges.map((edge) => {
        const from = places.get(edge.source)
        const to = places.get(edge.target)
        if (!from || !to) return null
        const path = `M${from.x} ${from.y} H${(from.x + to.x) / 2} V${to.y} H${to.x}`
        return <path key={`${edge.source} ${edge.target}`} d={path} className="preview-edge" />
      })}
      {[...places.values()].map(({ node, x, y }) => {
        const Icon = nodeIcon({ type: node.type, config: { server: node.server } })
        return (
          <g
            key={node.id}
            className="preview-node"
            data-person={PEOPLE.includes(node.type)}
            transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
          >
            <rect width={WIDTH} height={HEIGHT} rx={5} />
            <Icon x={6} y={7} size={12} />
            <path d="M24 10 h14 M24 16 h10" className="preview-line" />
          </g>
        )
      })}
    </svg>
  )
}
