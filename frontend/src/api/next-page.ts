/** The next page of a list that changes meanwhile: neither the page nor a refresh makes the other be forgotten. */

/** As much of an infinite query as it takes. */
export interface PagedQuery {
  readonly data: Pages
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<{
    readonly data: Pages
    readonly hasNextPage: boolean
    readonly isError: boolean
  }>
}
type Pages = { readonly pages: readonly unknown[] } | undefined

/** A list that is refreshed without end gives its next page at the next press. */
const MOST_TRIES = 5

/**
 * Loads the next page, after what is being read at the moment.
 *
 * By itself the library ends a refresh that is under way, so that the list misses what changed, and a refresh that comes
 * later ends the page.
 */
export async function loadNextPage(query: PagedQuery): Promise<void> {
  const before = query.data?.pages.length ?? 0
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { data, hasNextPage, isError } = await query.fetchNextPage({ cancelRefetch: false })
    if (isError || !hasNextPage || (data?.pages.length ?? 0) > before) return
  }
}
