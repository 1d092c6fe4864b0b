/** The boxes that open over the canvas: finding a node, connecting one by keyboard. Their code comes after the canvas. */
import { lazy, Suspense } from 'react'
import { loadTools } from '@/canvas/load-tools'
import { useCanvas } from '@/canvas/state'

const OpenFindBox = lazy(async () => ({ default: (await loadTools()).OpenFindBox }))
const OpenConnectMenu = lazy(async () => ({ default: (await loadTools()).OpenConnectMenu }))

export function FindBox() {
  const finding = useCanvas((state) => state.finding)
  return <Suspense fallback={null}>{finding ? <OpenFindBox /> : null}</Suspense>
}

export function ConnectMenu() {
  const from = useCanvas((state) => state.connecting)
  return (
    <Suspense fallback={null}>{from === null ? null : <OpenConnectMenu key={from} from={from} />}</Suspense>
  )
}
