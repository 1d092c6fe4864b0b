/** Node types of the installation, put into a graph store; their texts follow the language. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { nodeTypesQuery } from '@/api/workflows'
import type { GraphStore } from '@/graph/store'
import { useLanguage } from '@/i18n'

export function useNodeTypes(store: GraphStore): void {
  const language = useLanguage()
  const { data } = useQuery(nodeTypesQuery(language))
  useEffect(() => {
    if (data) store.getState().setTypes(data)
  }, [store, data])
}
