/** All triggers of a workflow: there are few, and each belongs to one of its doors. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { loadNextPage } from '@/api/next-page'
import { flatten } from '@/api/runs'
import { type Trigger, triggersQuery } from '@/api/triggers'

export function useTriggers(workflow: string): readonly Trigger[] {
  const query = useInfiniteQuery(triggersQuery(workflow))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is another object with each render
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void loadNextPage(query)
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError])
  return flatten(query.data)
}
