/** The layout in a worker, so that a big graph never blocks typing. */
import { type LayoutRequest, layout } from './layout'

self.onmessage = (event: MessageEvent<LayoutRequest>) => {
  self.postMessage(layout(event.data))
}
