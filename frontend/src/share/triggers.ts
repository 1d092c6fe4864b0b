/** All triggers of a workflow: there are few, and each belongs to one of its doors. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { flatten } from '@/api/runs'
import { type Trigger, triggersQuery } from '@/api/triggers'

export function useTriggers(workflow: string): readonly Trigger[] {
  const query = useInfiniteQuery(triggersQuery(workflow))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return flatten(query.data)
}
