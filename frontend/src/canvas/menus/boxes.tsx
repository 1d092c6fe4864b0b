/** The boxes that open over the canvas: finding a node, connecting one by keyboard. Their code comes after the canvas. */
import { Suspense } from 'react'
import { loadTools } from '@/canvas/load-tools'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { useT } from '@/i18n'
import { lazily } from '@/loading/lazily'
import { TypedAhead } from '@/ui'

const OpenFindBox = lazily(async () => ({ default: (await loadTools()).OpenFindBox }))
const OpenConnectMenu = lazily(async () => ({ default: (await loadTools()).OpenConnectMenu }))

export function FindBox() {
  const t = useT()
  const canvas = useCanvasStore()
  const finding = useCanvas((state) => state.finding)
  const close = () => canvas.setState({ finding: false, replacing: false })
  return (
    <Suspense
      fallback={
        <div className="canvas-find">
          <div className="input">
            <TypedAhead label={t('canvas.find')} onClose={close} />
          </div>
        </div>
      }
    >
      {finding ? <OpenFindBox /> : null}
    </Suspense>
  )
}

export function ConnectMenu() {
  const from = useCanvas((state) => state.connecting)
  return (
    <Suspense fallback={null}>{from === null ? null : <OpenConnectMenu key={from} from={from} />}</Suspense>
  )
}
