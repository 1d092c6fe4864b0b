/** The ways out where the code of a node imports what is not there: what fetches is a node of its own, before it. */
import { Globe, Server } from 'lucide-react'
import { createContext, useContext } from 'react'
import type { RunError } from '@/api/run-types'
import { useT } from '@/i18n'
import { Button } from '@/ui'

export type Way = 'http' | 'tool'

/** Adds a node before another one: an HTTP node at once, a tool as it is chosen. Absent where nothing may be edited. */
export type AddBefore = (way: Way, node: string) => void

export const AddBeforeContext = createContext<AddBefore | undefined>(undefined)

export function ModuleWays({ node, error }: { readonly node: string; readonly error: RunError }) {
  const t = useT()
  const add = useContext(AddBeforeContext)
  if (!add || error.code !== 'CODE_ERROR' || error.params?.reason !== 'module') return null
  return (
    <div className="flex flex-wrap gap-1.5">
      <Button size="small" icon={<Globe aria-hidden />} onClick={() => add('http', node)}>
        {t('inspector.module_http')}
      </Button>
      <Button size="small" icon={<Server aria-hidden />} onClick={() => add('tool', node)}>
        {t('inspector.module_tool')}
      </Button>
    </div>
  )
}
