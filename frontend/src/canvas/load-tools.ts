/** The one prefetch of the canvas: its tools, fetched once its first paint stands. */
import { useEffect, useState } from 'react'
import { fetchCode } from '@/loading/fetch-code'
import { afterFirstPaint, prefetch } from '@/ui/first-paint'

export type CanvasTools = typeof import('./tools')

export const loadTools = prefetch(() => fetchCode(() => import('./tools')))

/** The tools; null in the moment before their code is there: what they do has keys, and a menu that is asked for waits. */
export function useTools(): CanvasTools | null {
  const [tools, setTools] = useState<CanvasTools | null>(null)
  useEffect(() => {
    let mounted = true
    afterFirstPaint()
      .then(loadTools)
      .then((file) => {
        if (mounted) setTools(file)
      })
      .catch(() => {})
    return () => {
      mounted = false
    }
  }, [])
  return tools
}
