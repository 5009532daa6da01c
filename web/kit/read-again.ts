import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * The server has changed what these queries read. A query whose first answer is still on its way ignores an invalidation
 * and would show what the server read before the change: it is read once more after that answer.
 */
export function readAgain(queries: QueryClient, queryKey: QueryKey): void {
  const unanswered = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined)
  void queries.invalidateQueries({ queryKey })
  for (const query of unanswered) {
    const again = () => void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, again)
  }
}
