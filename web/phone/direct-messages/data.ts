import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { readAgain } from '../../kit/read-again.ts'
import type { OutgoingDirect } from './model.ts'

// Conversations with colleagues, as the server has them.

type Conversations = ResponseOf<'/v1/me/direct_messages'>
export type DirectConversationItem = Conversations['conversations'][number]
type Page = ResponseOf<'/v1/me/direct_messages/{user_id}'>
export type DirectMessageItem = Page['messages'][number]
export type DirectColleague = Page['user']

const listKey = ['direct', 'list']
const threadKey = (colleagueId: number) => ['direct', 'thread', colleagueId]
// In case a WebSocket message is lost.
const refetchIntervalMs = 60_000

/** All conversations, at most one per colleague, by the id of the colleague. */
export const useDirectConversations = () =>
  useQuery({ queryKey: listKey, queryFn: readConversations, refetchInterval: refetchIntervalMs })

async function readConversations() {
  const found = new Map<number, DirectConversationItem>()
  let before: number | undefined
  for (;;) {
    const page: Conversations = await api.get('/v1/me/direct_messages', { query: { before, limit: 100 } })
    // A conversation that moved to the top meanwhile was on an earlier page.
    for (const one of page.conversations) if (!found.has(one.user.id)) found.set(one.user.id, one)
    if (page.next === null) return found
    before = page.next
  }
}

export const useUnreadDirect = (): number =>
  [...(useDirectConversations().data?.values() ?? [])].reduce((sum, { unread }) => sum + unread, 0)

export const useDirectThread = (colleagueId: number) =>
  useInfiniteQuery({
    queryKey: threadKey(colleagueId),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before }) =>
      api.get('/v1/me/direct_messages/{user_id}', { params: { user_id: colleagueId }, query: { before } }),
    getNextPageParam: ({ earlier }) => earlier ?? undefined,
    refetchInterval: refetchIntervalMs,
  })

/** All pages, the oldest message first. */
export const directMessagesIn = (data: InfiniteData<Page> | undefined): DirectMessageItem[] =>
  data ? [...data.pages].reverse().flatMap(({ messages }) => messages) : []

/** Reads a conversation again after a change; without an id, all of them. */
export function refreshDirect(queries: QueryClient, colleagueId?: number): void {
  for (const queryKey of colleagueId === undefined ? [['direct']] : [listKey, threadKey(colleagueId)]) {
    readAgain(queries, queryKey)
  }
}

export async function postDirect(queries: QueryClient, { key, colleagueId, text }: OutgoingDirect): Promise<void> {
  try {
    await api.post('/v1/me/direct_messages/{user_id}', { params: { user_id: colleagueId }, body: { text }, key })
  } catch (error) {
    if (!isSentBefore(error)) throw error
  }
  // Read before the unsent message is removed, so that it does not flicker.
  await queries.invalidateQueries({ queryKey: threadKey(colleagueId) })
  refreshDirect(queries, colleagueId)
}

/** Accepted in an earlier session of the user: the server knows the key, with other credentials. */
const isSentBefore = (error: unknown) =>
  error instanceof ApiError && error.status === 422 && error.message.includes('Idempotency-Key')

export const markDirectRead = (colleagueId: number, readTo: number) =>
  api.put('/v1/me/direct_messages/{user_id}', { params: { user_id: colleagueId }, body: { read_to: readTo } })
