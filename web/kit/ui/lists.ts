import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../api.ts'

// Complete lists for pickers, cached for a minute.

export type UserItem = ResponseOf<'/v2/users'>['users'][number]
export type TeamItem = ResponseOf<'/v1/teams'>['teams'][number]
export type TagItem = ResponseOf<'/v1/tags'>['tags'][number]
/** All items of a list, read page by page. */
export async function everyPage<R extends { meta: { total: number } }, T>(
  read: (query: { page: number; per_page: number }) => Promise<R>,
  itemsOf: (response: R) => readonly T[],
): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const response = await read({ page, per_page: 50 })
    const items = itemsOf(response)
    found.push(...items)
    if (items.length === 0 || found.length >= response.meta.total) return found
  }
}

const staleTime = 60_000

export const useUsers = () =>
  useQuery({
    queryKey: ['users', 'all'],
    staleTime,
    queryFn: () =>
      everyPage(
        (query) => api.get('/v2/users', { query }),
        ({ users }) => users,
      ),
  })

export const useTeams = () =>
  useQuery({
    queryKey: ['teams', 'all'],
    staleTime,
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/teams', { query }),
        ({ teams }) => teams,
      ),
  })

export const useTags = () =>
  useQuery({
    queryKey: ['tags', 'all'],
    staleTime,
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/tags', { query }),
        ({ tags }) => tags,
      ),
  })

export const useNumbers = () =>
  useQuery({
    queryKey: ['numbers', 'all'],
    staleTime,
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/numbers', { query }),
        ({ numbers }) => numbers,
      ),
  })
