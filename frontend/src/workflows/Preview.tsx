/** A small picture of a workflow: its nodes where they lie, and the edges among them. */
import type { components } from '@/api/schema'
import { nodeIcon } from '@/graph/nodes/icons'

type Preview = components['schemas']['Template']['preview']

const MARGIN = 14
const BOX = { width: 320, height: 120 }
/** The largest that a node is drawn; narrower ones show their icon alone. */
const NODE = { width: 44, height: 26 }
const WITH_LINES = 40
const CARD = { width: 200, height: 64, flat: 44, small: 120 }
/** Of the width of a card in the document, what is drawn: the rest is room for the edges. */
const DRAWN = 0.8
const PEOPLE: readonly string[] = ['approval', 'form']
const FLAT: readonly string[] = ['start', 'end']

/** Where the nodes come to stand in the picture: as in the document, at one scale, in the middle. */
function placed({ nodes, edges }: Preview) {
  const top = nodes
    .filter((node) => !node.parent)
    .map((node) => ({
      node,
      x: node.x + (FLAT.includes(node.type) ? CARD.small : CARD.width) / 2,
      y: node.y + (FLAT.includes(node.type) ? CARD.flat : CARD.height) / 2,
    }))
  const xs = top.map(({ x }) => x)
  const ys = top.map(({ y }) => y)
  const [left, up] = [Math.min(...xs), Math.min(...ys)]
  const wide = Math.max(...xs) - left
  const high = Math.max(...ys) - up
  const scale = Math.min(
    (BOX.width - 2 * MARGIN) / (wide + CARD.width),
    (BOX.height - 2 * MARGIN) / (high + CARD.height),
    NODE.width / CARD.width + 0.1,
  )
  const size = { width: Math.min(NODE.width, CARD.width * scale * DRAWN), small: 0, height: 0 }
  size.small = (size.width * CARD.small) / CARD.width
  size.height = Math.min(NODE.height, Math.max(12, CARD.height * scale * 0.9))
  const places = new Map(
    top.map(({ node, x, y }) => [
      node.id,
      {
        node,
        x: BOX.width / 2 + (x - left - wide / 2) * scale,
        y: BOX.height / 2 + (y - up - high / 2) * scale,
      },
    ]),
  )
  return { places, size, edges: edges.filter((edge) => places.has(edge.source) && places.has(edge.target)) }
}

export function TemplatePreview({ preview }: { preview: Preview }) {
  const { places, size, edges } = placed(preview)
  const lines = size.width >= WITH_LINES
  const icon = Math.min(12, size.height - 2)
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
        const small = FLAT.includes(node.type)
        const width = small ? size.small : size.width
        return (
          <g
            key={node.id}
            className="preview-node"
            data-person={PEOPLE.includes(node.type)}
            transform={`translate(${x} ${y})`}
          >
            <rect x={-width / 2} y={-size.height / 2} width={width} height={size.height} rx={4} />
            <Icon x={lines && !small ? -16 : -icon / 2} y={-icon / 2} size={icon} />
            {lines && !small ? <path d="M2 -3 h14 M2 3 h10" className="preview-line" /> : null}
          </g>
        )
      })}
    </svg>
  )
}
