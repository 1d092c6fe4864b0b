/** The boxes that open over the canvas: finding a node, connecting one by keyboard. Their code comes after the canvas. */
import { Suspense } from 'react'
import { useCanvas } from '@/canvas/state'
import { later } from '@/ui/first-paint'

const OpenFindBox = later(async () => (await import('./FindBox')).OpenFindBox)
const OpenConnectMenu = later(async () => (await import('./ConnectMenu')).OpenConnectMenu)

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
