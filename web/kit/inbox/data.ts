import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { api, type RequestOf, type ResponseOf } from '../api.ts'
import { readAgain } from '../read-again.ts'
import { everyPage } from '../ui/lists.ts'
import { uploading } from '../upload.ts'
import type { Attachment, OutgoingMessage } from './model.ts'

// Queries and mutations of the inbox, used by both apps.

export interface InboxFilters {
  mine?: boolean
  number_id?: number
  unread?: boolean
  archived?: boolean
  assigned_to?: string
  search?: string
}

const listKey = ['inbox', 'list']
const unreadKey = ['inbox', 'unread']
const oneKey = (id: string) => ['inbox', 'one', id]
const timelineKey = (id: string) => ['inbox', 'timeline', id]
// In case a WebSocket message is lost.
const refetchIntervalMs = 60_000

export const useConversations = (filters: InboxFilters) =>
  useInfiniteQuery({
    queryKey: [...listKey, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => api.get('/v1/conversations', { query: { ...filters, after: pageParam } }),
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: refetchIntervalMs,
  })

export const useUnread = () =>
  useQuery({
    queryKey: unreadKey,
    queryFn: async () => (await api.get('/v1/conversations/unread')).unread,
    refetchInterval: refetchIntervalMs,
  })

export type One = ResponseOf<'/v1/conversations/{id}'>
export type ConversationShown = One['conversation']
export type ReachableShown = One['reachable']

export const readConversation = (id: string) => api.get('/v1/conversations/{id}', { params: { id } })

export const useConversation = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => readConversation(id), refetchInterval: refetchIntervalMs })

type Past = ResponseOf<'/v1/conversations/{id}/timeline'>
export type ItemShown = Past['items'][number]

export const useTimeline = (id: string) =>
  useInfiniteQuery({
    queryKey: timelineKey(id),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      api.get('/v1/conversations/{id}/timeline', { params: { id }, query: { before: pageParam } }),
    getNextPageParam: ({ earlier }) => earlier ?? undefined,
    refetchInterval: refetchIntervalMs,
  })

/** All pages, the oldest item first. */
export const itemsIn = (data: InfiniteData<Past> | undefined): ItemShown[] =>
  data ? [...data.pages].reverse().flatMap(({ items }) => items) : []

/** Reads a conversation again after a change; without an id, the whole inbox. */
export function refreshInbox(queries: QueryClient, id?: string): void {
  const changed = id === undefined ? [['inbox']] : [listKey, unreadKey, oneKey(id), timelineKey(id)]
  for (const queryKey of changed) readAgain(queries, queryKey)
}

export type Change = RequestOf<'/v1/conversations/{id}', 'put'>

/** Updates the conversation and the lists that show it. */
export function useChange(id: string) {
  const queries = useQueryClient()
  return async (change: Change) => {
    const { conversation } = await api.put('/v1/conversations/{id}', { params: { id }, body: change })
    queries.setQueryData<One>(oneKey(id), (before) => before && { ...before, conversation })
    refreshInbox(queries, id)
  }
}

export async function openWith(numberId: number, to: readonly string[]): Promise<ConversationShown> {
  const body = { number_id: numberId, to }
  return (await api.post('/v1/conversations', { body })).conversation
}

export const post = (id: string, { channel, text, files, template }: OutgoingMessage) =>
  api.post('/v1/conversations/{id}/messages', {
    params: { id },
    storesFiles: files.length > 0,
    body: {
      channel,
      ...(template ? { template } : { text, files: files.map(({ id: file, name }) => ({ id: file, name })) }),
    },
  })

export const maxFileBytes = 5_242_880
export const fileTypes =
  'image/jpeg,image/png,image/gif,image/webp,audio/mpeg,audio/ogg,video/mp4,application/pdf,text/vcard,.vcf'

export async function upload(file: File): Promise<Attachment> {
  if (file.size > maxFileBytes) throw new Error(`${file.name} is larger than 5 MB. Choose a smaller file.`)
  const data = await toBase64(file)
  const { upload: kept } = await uploading(api.post('/v1/message_uploads', { body: { data } }))
  return { ...kept, name: file.name }
}

/** In chunks, because the number of arguments of a call is limited. */
async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)))
  }
  return btoa(pieces.join(''))
}

export type SmsTemplate = ResponseOf<'/v1/sms/templates'>['templates'][number]

export type WhatsappTemplate = ResponseOf<'/v1/conversations/{id}/templates'>['templates'][number]

export const smsTemplatesKey = ['inbox', 'sms-templates']
export const useSmsTemplates = (enabled = true) =>
  useQuery({
    queryKey: smsTemplatesKey,
    enabled,
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/sms/templates', { query }),
        ({ templates }) => templates,
      ),
  })

export const useWhatsappTemplates = (id: string, enabled: boolean) =>
  useQuery({
    queryKey: ['inbox', 'whatsapp-templates', id],
    enabled,
    queryFn: async () => (await api.get('/v1/conversations/{id}/templates', { params: { id } })).templates,
  })
