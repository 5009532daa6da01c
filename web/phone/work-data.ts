import { keepPreviousData, type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../kit/api.ts'
import { readAgain } from '../kit/read-again.ts'
import { everyPage } from '../kit/ui/lists.ts'
import { notifyError, notifyWithUndo } from '../kit/ui/toast.tsx'
import { callKey, historyKey } from './data.ts'

// Queries of the lists and the item beside them.

export type ToDoItem = ResponseOf<'/v1/me/to_do'>['items'][number]
export type CustomerItem = ResponseOf<'/v1/customers/timeline'>['items'][number]
export type ContactShown = ResponseOf<'/v1/contacts/{id}'>['contact']

const toDoKey = ['to-do']
const customerKey = ['customer']
const contactKey = ['contact-of']
export const contactsKey = ['contacts']
// In case a WebSocket message is lost.
const refetchIntervalMs = 60_000

export interface ToDoFilters {
  kind?: 'missed' | 'voicemail' | undefined
  done?: boolean
  mine?: boolean
  number_id?: number | undefined
}

export const useToDo = (filters: ToDoFilters) =>
  useInfiniteQuery({
    queryKey: [...toDoKey, 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => api.get('/v1/me/to_do', { query: { ...filters, before: pageParam } }),
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: refetchIntervalMs,
  })

export const useToDoCount = () =>
  useQuery({
    queryKey: [...toDoKey, 'count'],
    queryFn: () => api.get('/v1/me/to_do/count'),
    refetchInterval: refetchIntervalMs,
  })

export interface OwnCallFilters {
  direction?: 'inbound' | 'outbound' | undefined
  missed?: boolean | undefined
  text?: string | undefined
}

const callsAtOnce = 30

export const useOwnCalls = (filters: OwnCallFilters) =>
  useInfiniteQuery({
    queryKey: [...historyKey, filters],
    initialPageParam: 1,
    queryFn: ({ pageParam: page }) =>
      api.get('/v1/me/calls', {
        query: { ...filters, order: 'desc', page, per_page: callsAtOnce, fetch_contact: true },
      }),
    getNextPageParam: ({ meta, calls }) => (calls.length < callsAtOnce ? undefined : meta.current_page + 1),
    placeholderData: keepPreviousData,
  })

export const useCustomer = (number: string) =>
  useInfiniteQuery({
    queryKey: [...customerKey, number],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      api.get('/v1/customers/timeline', { query: { phone_number: number, before: pageParam, limit: 20 } }),
    getNextPageParam: ({ earlier }) => earlier ?? undefined,
  })

/** The contact with this number; null for a stranger. */
export const useContactOf = (number: string) =>
  useQuery({
    queryKey: [...contactKey, number],
    queryFn: async (): Promise<ContactShown | null> => {
      const { contacts } = await api.get('/v1/contacts/search', { query: { phone_number: number, per_page: 1 } })
      return contacts[0] ?? null
    },
  })

export const useContacts = (text: string) =>
  useInfiniteQuery({
    queryKey: [...contactsKey, text],
    initialPageParam: 1,
    queryFn: ({ pageParam: page }) =>
      api.get('/v1/contacts/named', { query: { text, page, per_page: 30, order: 'desc' } }),
    getNextPageParam: ({ meta, contacts }) => (contacts.length < 30 ? undefined : meta.current_page + 1),
    placeholderData: keepPreviousData,
  })

const presenceIntervalMs = 5_000

/** The availability of every colleague by user, while a screen shows it. */
export const usePresences = () =>
  useQuery({
    queryKey: ['presences'],
    refetchInterval: presenceIntervalMs,
    queryFn: async () => {
      const users = await everyPage(
        (query) => api.get('/v1/users/availabilities', { query }),
        (page) => page.users,
      )
      return new Map(users.map(({ id, availability }) => [id, availability]))
    },
  })

/** Calls have changed on the server. */
export function refreshWork(queries: QueryClient): void {
  for (const queryKey of [toDoKey, customerKey, historyKey]) readAgain(queries, queryKey)
}

export function refreshContacts(queries: QueryClient): void {
  for (const queryKey of [contactsKey, contactKey]) readAgain(queries, queryKey)
  refreshWork(queries)
}

/** Archived or not, read or unread. */
export function useToDoWriter() {
  const queries = useQueryClient()
  const refresh = async (id: number) => {
    refreshWork(queries)
    await queries.invalidateQueries({ queryKey: callKey(id) })
  }
  const setArchived = async (id: number, isArchived: boolean) => {
    await api.put(isArchived ? '/v1/calls/{id}/archive' : '/v1/calls/{id}/unarchive', { params: { id } })
    await refresh(id)
  }
  return {
    async archive(id: number, isArchived: boolean) {
      try {
        await setArchived(id, isArchived)
        notifyWithUndo(isArchived ? 'Call archived' : 'Call unarchived', () => setArchived(id, !isArchived))
      } catch (error) {
        notifyError(error, isArchived ? 'Call not archived' : 'Call not unarchived')
      }
    },
    async read(id: number, isRead: boolean) {
      try {
        await api.put('/v1/me/to_do/{id}', { params: { id }, body: { read: isRead } })
        await queries.invalidateQueries({ queryKey: toDoKey })
      } catch (error) {
        // Opening a call must not fail: it stays unread.
        if (!isRead) notifyError(error, 'Not marked as unread')
      }
    },
  }
}
