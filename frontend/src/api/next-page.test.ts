/** The next page of a list, beside refreshes of what is there. */
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it, onTestFinished, vi } from 'vitest'
import { loadNextPage } from './next-page'

const KEY = ['list']

/** A list of pages whose rows say how often they were read; each page is answered by hand. */
async function aList() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const open: { page: number; answer: () => void }[] = []
  const reads = new Map<number, number>()
  const observer = new InfiniteQueryObserver(client, {
    queryKey: KEY,
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      new Promise<{ row: string; next: number }>((resolve) => {
        const count = (reads.get(pageParam) ?? 0) + 1
        reads.set(pageParam, count)
        open.push({
          page: pageParam,
          answer: () => resolve({ row: `page ${pageParam}, read ${count}`, next: pageParam + 1 }),
        })
      }),
    getNextPageParam: (page) => page.next,
  })
  onTestFinished(observer.subscribe(() => {}))
  /** Answers the newest request of a page, once there is one more than before. */
  const answer = async (page: number, read: number) => {
    await vi.waitFor(() => expect(reads.get(page)).toBe(read))
    open.findLast((asked) => asked.page === page)?.answer()
  }
  await answer(0, 1)
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBeDefined())
  const rows = () => observer.getCurrentResult().data?.pages.map((page) => page.row)
  const refresh = () => void client.invalidateQueries({ queryKey: KEY })
  return { observer, answer, rows, refresh, more: () => loadNextPage(observer.getCurrentResult()) }
}

it('comes after a refresh that is under way, which is not lost', async () => {
  const { answer, rows, refresh, more } = await aList()
  refresh()
  const loaded = more()
  await answer(0, 2)
  await answer(1, 1)
  await loaded
  expect(rows()).toEqual(['page 0, read 2', 'page 1, read 1'])
})

it('comes though a refresh begins meanwhile, which is not lost either', async () => {
  const { observer, answer, rows, refresh, more } = await aList()
  const loaded = more()
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetchingNextPage).toBe(true))
  refresh()
  await answer(0, 2)
  await answer(1, 2)
  await loaded
  expect(rows()).toEqual(['page 0, read 2', 'page 1, read 2'])
})
