/** The one prefetch of the canvas: its tools, fetched once its first paint stands. */
import { useEffect, useState } from 'react'
import { afterFirstPaint, prefetch } from '@/ui/first-paint'

export type CanvasTools = typeof import('./tools')

export const loadTools = prefetch(() => import('./tools'))

/** The tools; null in the moment before their code is there. What they do has keys, or the browser's own way. */
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
