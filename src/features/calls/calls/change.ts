import { type Tx, transaction } from '../../../db/database.ts'
import type { CallCommand } from '../../../domain/call/commands.ts'
import { statusOf } from '../../../domain/call/record.ts'
import { withoutEmojis } from '../../../domain/emoji.ts'
import { type ApiError, badRequest, forbidden, notFound, unavailable, unprocessable } from '../../../http/errors.ts'
import type { Refused, RequestClaim, Services } from '../../../services.ts'
import { callWasTagged, findUser } from '../../accounts/index.ts'
import { type Fact, publish } from '../../publishing/index.ts'
import { insertComment, knownTags, putTags, removeCallTag } from './notes-store.ts'
import { type Call, findCall, lockCall, updateCall } from './store.ts'

// Changes to a call: comments, tags, assignment, and commands while it is active.

const maxComments = 5

export function commentCall(services: Services, call: Call, given: string, by: number | null): Promise<Call> {
  const content = withoutEmojis(given).trim()
  if (content === '') throw unprocessable('`content` is mandatory and must contain more than emojis')
  return changing(services, call, async (tx, { id, companyId, comments }) => {
    if (comments.length >= maxComments) {
      throw badRequest(`Maximum of ${maxComments} notes can be added to a call at once`)
    }
    await insertComment(tx, companyId, id, { content, by, at: services.clock.now() })
    return 'commented'
  })
}

/** Adds to the tags of the call. */
export function tagCall(services: Services, call: Call, tagIds: readonly number[], by: number | null): Promise<Call> {
  const wanted = [...new Set(tagIds)]
  return changing(services, call, async (tx, locked) => {
    const { companyId, id } = locked
    const known = await knownTags(tx, companyId, wanted)
    const unknown = wanted.find((tag) => !known.includes(tag))
    if (unknown !== undefined) throw badRequest(`\`tags\` contains ${unknown}, which is not a tag of the company`)
    await putTags(tx, companyId, locked, wanted, { by, at: services.clock.now() })
    await callWasTagged(services, tx, companyId, id)
    return 'tagged'
  })
}

export function untagCall(services: Services, call: Call, tagId: number): Promise<Call> {
  return changing(services, call, async (tx, { companyId, id }) => {
    if (!(await removeCallTag(tx, companyId, id, tagId))) throw notFound()
    return 'untagged'
  })
}

export function archiveCall(services: Services, call: Call, archived: boolean): Promise<Call> {
  return changing(services, call, async (tx, { companyId, id, archived: before }) => {
    if (before === archived) return undefined
    await updateCall(tx, companyId, id, { archived: archived ? 1 : 0 })
    return archived ? 'archived' : undefined
  })
}

/** An active call is changed by the engine. */
export async function assignCall(services: Services, call: Call, userId: number, by: number | null): Promise<Call> {
  const { companyId, id, uuid } = call
  if (!(await findUser(services.db, companyId, userId))) throw badRequest('`user_id` is not a user of the company')
  if (statusOf(call) === 'done') {
    return changing(services, call, async (tx) => {
      await updateCall(tx, companyId, id, { assigned_to: userId })
      return 'assigned'
    })
  }
  await command(services, uuid, { kind: 'assign', by, userId })
  return (await findCall(services.db, companyId, id)) ?? call
}

/** Locks the call, applies the change and publishes its event in one transaction. */
function changing(
  services: Services,
  { companyId, id }: Call,
  change: (tx: Tx, locked: Call) => Promise<Extract<Fact, { kind: 'call' }>['event'] | undefined>,
): Promise<Call> {
  return transaction(services.db, async (tx) => {
    const locked = await lockCall(tx, companyId, id)
    if (!locked) throw notFound()
    const event = await change(tx, locked)
    if (event) await publish(services, tx, companyId, [{ kind: 'call', event, callId: id }])
    return (await findCall(tx, companyId, id)) ?? locked
  })
}

/** Sends a command to an active call, whichever process runs it. */
export async function command(
  { calls }: Services,
  uuid: string,
  given: CallCommand,
  claim?: RequestClaim,
): Promise<void> {
  const reply = await calls.send(uuid, given, claim)
  if (reply.ok) return
  throw refusal(reply)
}

/** The error for a command that a call refuses, or for a call that cannot start. */
export function refusal({ refused, why }: Refused): ApiError {
  if (refused === 'forbidden') return forbidden(why)
  return refused === 'unavailable' ? unavailable(why) : badRequest(why)
}
