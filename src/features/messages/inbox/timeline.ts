import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { windowMs } from '../../../domain/message.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import { type Caller, hasFeature } from '../../../http/caller.ts'
import { badRequest } from '../../../http/errors.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { type Call, findNamed, freshSoundUrls } from '../../calls/index.ts'
import { findLine, hasOptedOut } from '../lines/store.ts'
import { mediumUrl } from '../messages/links.ts'
import { lastInboundAt, type Message } from '../messages/store.ts'
import type { Conversation } from './conversations-store.ts'
import { callsBefore, messagesBefore } from './store.ts'
import {
  type Addresses,
  type ConversationContext,
  callItem,
  externalParties,
  type ItemShown,
  messageItem,
  type ReachableShown,
} from './view.ts'

// Timeline of a conversation, and the objects it refers to, loaded once per page.

interface ContextFor {
  conversations: readonly Conversation[]
  messages?: readonly Message[]
  calls?: readonly Call[]
}

export async function loadConversationContext(
  db: Db,
  companyId: CompanyId,
  { conversations, messages = [], calls = [] }: ContextFor,
): Promise<ConversationContext> {
  const phones = new Set(conversations.flatMap(externalParties))
  const named = await findNamed(db, companyId, {
    users: new Set([
      ...conversations.flatMap(({ assignedUserId }) => assignedUserId ?? []),
      ...messages.flatMap(({ userId }) => userId ?? []),
      ...calls.flatMap(({ userId }) => userId ?? []),
    ]),
    numbers: new Set(conversations.map(({ numberId }) => numberId)),
    teams: new Set(),
    digits: new Set([...phones].map(digitsOnly)),
  })
  const displays = await Promise.all(
    [...phones].map(async (phone) => [phone, (await describeNumber(phone)).display] as const),
  )
  return {
    numbers: new Map(named.numbers.map((number) => [number.id, number])),
    users: new Map(named.users.map((user) => [user.id, user])),
    contactOf: named.contactOf,
    displays: new Map(displays),
  }
}

export function addressesOf(services: Services): Addresses {
  const { vault, links, clock } = services
  const soundUrl = freshSoundUrls(services)
  return {
    medium: ({ companyId, rowId }, file) =>
      mediumUrl(vault, links, { companyId, messageRow: rowId, file }, clock.now()),
    voicemail: (call, file) => soundUrl(call, 'voicemail', file),
  }
}

/** Messages and calls have separate cursors: a position in the timeline is one in each. */
export interface TimelinePlace {
  message: number | undefined
  call: { at: number; id: number } | undefined
}

const placeForm = /^(\d{1,16}|-)\.(?:(\d{1,16})\.(\d{1,16})|-)$/

export function placeInTimeline(before: string | undefined): TimelinePlace {
  if (before === undefined) return { message: undefined, call: undefined }
  const [, message, at, id] = placeForm.exec(before) ?? []
  if (message === undefined) throw badRequest('`before` must be the `earlier` value of a response')
  return {
    message: message === '-' ? undefined : Number(message),
    call: at === undefined || id === undefined ? undefined : { at: Number(at), id: Number(id) },
  }
}

export const writtenPlace = ({ message, call }: TimelinePlace) =>
  `${message ?? '-'}.${call ? `${call.at}.${call.id}` : '-'}`

export interface ConversationTimeline {
  /** Oldest first. */
  items: ItemShown[]
  earlier: string | null
}

export async function timelineOf(
  services: Services,
  conversation: Conversation,
  before: string | undefined,
  limit: number,
): Promise<ConversationTimeline> {
  const { db } = services
  const { companyId, id, numberId, external } = conversation
  const place = placeInTimeline(before)
  const messages = await messagesBefore(db, companyId, id, { before: place.message, limit: limit + 1 })
  const calls =
    external === null
      ? []
      : await callsBefore(
          db,
          companyId,
          { digits: digitsOnly(external), numberId },
          { before: place.call, limit: limit + 1 },
        )
  const page = newestOf(messages, calls, limit)
  const company = await loadConversationContext(db, companyId, { conversations: [conversation], ...page })
  const addresses = addressesOf(services)
  const items = [
    ...page.calls.map((call) => callItem(company, addresses, call)).reverse(),
    ...page.messages.map((message) => messageItem(company, addresses, message)).reverse(),
  ].sort((a, b) => a.at - b.at)
  const lastCall = page.calls.at(-1)
  const next: TimelinePlace = {
    message: page.messages.at(-1)?.rowId ?? place.message,
    call: lastCall ? { at: lastCall.startedAt, id: lastCall.id } : place.call,
  }
  const isAll = page.messages.length === messages.length && page.calls.length === calls.length
  return { items, earlier: isAll ? null : writtenPlace(next) }
}

/** Merges two lists that are sorted newest first. */
export function newestOf(messages: readonly Message[], calls: readonly Call[], limit: number) {
  const taken: { messages: Message[]; calls: Call[] } = { messages: [], calls: [] }
  for (let n = 0; n < limit; n++) {
    const message = messages[taken.messages.length]
    const call = calls[taken.calls.length]
    if (message && (!call || message.createdAt >= call.startedAt)) taken.messages.push(message)
    else if (call) taken.calls.push(call)
  }
  return taken
}

export async function reachableIn(
  { db, clock, rules }: Services,
  { company }: Pick<Caller, 'company'>,
  conversation: Conversation,
  number: { validated: boolean },
): Promise<ReachableShown> {
  const { companyId, numberId, external } = conversation
  const line = await findLine(db, companyId, numberId)
  const now = clock.now()
  const hasWhatsapp = line.wabaId !== null && (line.whatsappCarrierId !== null || rules.sandbox)
  const wroteAt = external === null ? undefined : await lastInboundAt(db, companyId, numberId, external, now)
  const until = wroteAt === undefined ? null : wroteAt + windowMs
  const people = externalParties(conversation)
  const optedOut = await Promise.all(people.map((phone) => hasOptedOut(db, companyId, numberId, phone)))
  const [last] = await messagesBefore(db, companyId, conversation.id, { before: undefined, limit: 1 })
  return {
    texts: number.validated && line.texts && (line.carrierId !== null || rules.sandbox),
    whatsapp:
      number.validated &&
      external !== null &&
      hasWhatsapp &&
      line.whatsappStatus === 'ONLINE' &&
      hasFeature(company, 'whatsapp'),
    window_until: until !== null && until > now ? until : null,
    opted_out: people.filter((_, n) => optedOut[n]),
    last_channel: last ? (last.channel === 'whatsapp' ? 'whatsapp' : 'texts') : null,
  }
}
