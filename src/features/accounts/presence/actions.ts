import { afterCommit, type Db, type Tx, transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { granular, isOpenForCalls } from '../../../domain/availability.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { tagsAreMandatory } from '../companies/store.ts'
import type { UserFact } from '../users/events.ts'
import {
  callsWaitingForTags,
  lockPresence,
  noteReason,
  noteStatus,
  savePresence,
  type UserPresence,
  wrappingUp,
} from '../users/presence-store.ts'
import { isLostOutside, wrapUpFacts } from './calls-store.ts'
import { closeSession, openSession, type PhoneSession } from './phone-sessions-store.ts'

// Presence of users, derived from sessions, calls and wrap-up. Every change is recorded for analytics, and a user who
// becomes available is announced to the queue.

/** Payloads: `free:<company>:<user>` and `gone:<company>:<user>`. */
export const presenceChannel = 'presence'

/** Locks the user, applies the change and stores the resulting presence. */
export async function changePresence(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  userId: number,
  change: (before: UserPresence) => Partial<Pick<UserPresence, 'sessions' | 'calls' | 'wrapUp' | 'pendingWrapUps'>>,
): Promise<{ before: UserPresence; after: UserPresence } | undefined> {
  const before = await lockPresence(tx, companyId, userId)
  if (!before) return undefined
  // The clocks of two processes differ slightly; the times of one user must still increase.
  const at = Math.max(services.clock.now(), before.since)
  const changed = { ...before, ...change(before) }
  const user = {
    ...before.user,
    connected: changed.sessions > 0,
    inCall: changed.calls > 0,
    afterCallWork: changed.wrapUp !== null,
  }
  const now = granular({ ...user, openForCalls: isOpenForCalls(user, at) })
  const isNew = now !== before.granular
  const after: UserPresence = { ...changed, user, granular: now, since: isNew ? at : before.since }
  await savePresence(tx, companyId, after)
  const isOtherWrapUp = after.wrapUp?.callId !== before.wrapUp?.callId
  if (isNew || isOtherWrapUp) {
    afterCommit(tx, () => services.liveHub.send(companyId, userId, { kind: 'presence', availability: now }))
  }
  if (isNew) {
    await noteStatus(tx, companyId, user, now, at)
    if (now === 'available') await notify(tx, presenceChannel, `free:${companyId}:${userId}`)
  }
  return { before, after }
}

/** After a change of status, working hours or confirmation. */
export async function refreshPresence(services: Services, tx: Tx, companyId: CompanyId, userId: number): Promise<void> {
  const turn = await changePresence(services, tx, companyId, userId, () => ({}))
  if (!turn || turn.before.granular !== turn.after.granular || turn.after.granular !== 'do_not_disturb') return
  // A change from lunch to a meeting does not affect callers, but reports show the reason.
  await noteReason(tx, companyId, turn.after.user, Math.max(services.clock.now(), turn.after.since))
}

export async function connectUser(services: Services, companyId: CompanyId, session: PhoneSession): Promise<boolean> {
  return transaction(services.db, async (tx) => {
    if (!(await openSession(tx, companyId, session))) return false
    const { userId, kind } = session
    if (kind === 'supervision') return true
    const turn = await changePresence(services, tx, companyId, userId, ({ sessions }) => ({ sessions: sessions + 1 }))
    if (turn) await publish(services, tx, companyId, [{ kind: 'user', event: 'connected', user: turn.after.user }])
    return true
  })
}

export async function disconnectUser(
  services: Services,
  companyId: CompanyId,
  userId: number,
  name: string,
  owner?: string,
): Promise<boolean> {
  return transaction(services.db, async (tx) => {
    const kind = await closeSession(tx, companyId, userId, name, owner)
    if (kind === undefined) return false
    const isPhone = kind !== 'supervision'
    const turn = await changePresence(services, tx, companyId, userId, ({ sessions }) => ({
      sessions: isPhone ? Math.max(0, sessions - 1) : sessions,
    }))
    if (!turn) return true
    const { user } = turn.after
    if (isPhone) await publish(services, tx, companyId, [{ kind: 'user', event: 'disconnected', user }])
    if (turn.after.sessions === 0) await notify(tx, presenceChannel, `gone:${companyId}:${userId}`)
    return true
  })
}

/**
 * Adds the user to a call and ends a running wrap-up. Where tags are mandatory, pending ones follow after the call.
 * Returns the events to publish.
 */
export async function joinCall(services: Services, tx: Tx, companyId: CompanyId, userId: number): Promise<UserFact[]> {
  const turn = await changePresence(services, tx, companyId, userId, ({ calls }) => ({
    calls: calls + 1,
    wrapUp: null,
  }))
  const isFirst = turn?.before.calls === 0
  if (isFirst && turn.before.pendingWrapUps.length > 0 && !(await tagsAreMandatory(tx, companyId))) {
    await changePresence(services, tx, companyId, userId, () => ({ pendingWrapUps: [] }))
  }
  return turn ? wrapUpEnd(tx, turn.before, turn.after) : []
}

export interface LeftCall {
  /** Null for an internal call, which has no wrap-up. */
  callId: number | null
  answered: boolean
  isTagged: () => Promise<boolean>
}

/** Removes the user from a call and starts wrap-up where it applies. Returns the events to publish. */
export async function leaveCall(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  userId: number,
  { callId, answered, isTagged }: LeftCall,
): Promise<UserFact[]> {
  const at = services.clock.now()
  const isMandatory = callId !== null && (await tagsAreMandatory(tx, companyId))
  const needsTag = isMandatory && answered && !(await isTagged())
  const turn = await changePresence(services, tx, companyId, userId, ({ calls, user, pendingWrapUps }) => {
    const left = Math.max(0, calls - 1)
    const time = user.wrapUpTime * second
    if (callId === null || (time === 0 && !needsTag)) return { calls: left }
    if (left > 0) return { calls: left, pendingWrapUps: [...pendingWrapUps, callId] }
    return { calls: left, wrapUp: { callId, until: time > 0 ? at + time : null, needsTag } }
  })
  if (!turn || turn.after.calls > 0) return []
  const { user, wrapUp } = turn.after
  if (!wrapUp) return turn.after.pendingWrapUps.length > 0 ? endedWrapUp(services, tx, companyId, userId) : []
  if (wrapUp.callId !== callId) return []
  await enqueueWrapUpEnd(tx, user, wrapUp)
  const lastCall = !isMandatory && { lastCallId: wrapUp.callId }
  return [{ kind: 'user', event: 'wut_start', user, beforeEndOf: wrapUp.callId, ...lastCall }]
}

async function enqueueWrapUpEnd(tx: Tx, { id: userId, companyId }: UserPresence['user'], wrapUp: WrapUp) {
  const { callId, until } = wrapUp
  if (until !== null) await enqueue(tx, 'user.wrap_up', { companyId, userId, callId }, until, wrapUpKey(userId))
}

type WrapUp = NonNullable<UserPresence['wrapUp']>

/**
 * The wrap-up of a call that ended while the user was on another one: the next that needs it. Pending ones that do not,
 * such as calls that were tagged meanwhile, are dropped.
 */
async function followingWrapUp(services: Services, tx: Tx, presence: UserPresence) {
  const { user, pendingWrapUps } = presence
  const pending = [...pendingWrapUps]
  let wrapUp: WrapUp | null = null
  while (wrapUp === null && pending.length > 0) {
    const callId = pending.shift() as number
    const call = await wrapUpFacts(tx, user.companyId, callId)
    const needsTag = call?.isAnswered === true && !call.isTagged && (await tagsAreMandatory(tx, user.companyId))
    const time = user.wrapUpTime * second
    const until = time > 0 ? services.clock.now() + time : null
    if (call && (until !== null || needsTag)) wrapUp = { callId, until, needsTag }
  }
  return { wrapUp, pendingWrapUps: pending }
}

/** Ends a running wrap-up; another one may follow. Returns the events to publish. */
async function endedWrapUp(services: Services, tx: Tx, companyId: CompanyId, userId: number): Promise<UserFact[]> {
  const presence = await lockPresence(tx, companyId, userId)
  if (!presence) return []
  const following = await followingWrapUp(services, tx, presence)
  const turn = await changePresence(services, tx, companyId, userId, () => following)
  if (!turn) return []
  const { user, wrapUp } = turn.after
  const ended = await wrapUpEnd(tx, turn.before, turn.after)
  if (!wrapUp) return ended
  await enqueueWrapUpEnd(tx, user, wrapUp)
  const lastCall = !(await tagsAreMandatory(tx, companyId)) && { lastCallId: wrapUp.callId }
  return [...ended, { kind: 'user', event: 'wut_start', user, ...lastCall }]
}

const wrapUpKey = (userId: number) => `wrap-up:${userId}`

type WrapUpJob = { companyId: CompanyId; userId: number; callId: number }

/** The job that ends wrap-up when its time is over, unless a tag is missing. Many are due in the same second. */
export const wrapUpTimer = (services: Services) => ({
  batch: (jobs: readonly WrapUpJob[]) =>
    transaction(services.db, async (tx) => {
      const events = new Map<CompanyId, UserFact[]>()
      for (const { companyId, userId, callId } of jobs.toSorted((a, b) => a.userId - b.userId)) {
        const wrapUp = (await lockPresence(tx, companyId, userId))?.wrapUp
        if (wrapUp?.callId !== callId || (wrapUp.needsTag && (await tagsAreMandatory(tx, companyId)))) continue
        if (wrapUp.until !== null && wrapUp.until > services.clock.now()) continue
        const facts = await endedWrapUp(services, tx, companyId, userId)
        events.set(companyId, [...(events.get(companyId) ?? []), ...facts])
      }
      for (const [companyId, facts] of events) await publish(services, tx, companyId, facts)
    }),
})

/** Mandatory tagging is enforced by the server: reloading the page cannot skip it. */
export async function finishWrapUp(
  services: Services,
  companyId: CompanyId,
  userId: number,
): Promise<string | undefined> {
  return transaction(services.db, async (tx) => {
    const presence = await lockPresence(tx, companyId, userId)
    if (!presence?.wrapUp) return 'The user is not in wrap-up'
    if (await isTagMissing(tx, companyId, presence)) return 'The call needs a tag before wrap-up can end'
    await endWrapUp(services, tx, companyId, userId)
    return undefined
  })
}

/** The call has a tag now: ends wrap-up for users who waited only for the tag. */
export async function callWasTagged(services: Services, tx: Tx, companyId: CompanyId, callId: number): Promise<void> {
  const at = services.clock.now()
  for (const userId of await wrappingUp(tx, companyId, callId)) {
    const turn = await changePresence(services, tx, companyId, userId, ({ wrapUp }) => ({
      wrapUp: wrapUp && { ...wrapUp, needsTag: false },
    }))
    const wrapUp = turn?.after.wrapUp
    if (wrapUp && (wrapUp.until === null || wrapUp.until <= at)) await endWrapUp(services, tx, companyId, userId)
  }
}

/** Whether only a tag can end the wrap-up. */
export async function isTagMissing(tx: Db, companyId: CompanyId, { wrapUp }: Pick<UserPresence, 'wrapUp'>) {
  return wrapUp?.needsTag === true && (await tagsAreMandatory(tx, companyId))
}

/** Tags are no longer mandatory, or none is left: users who waited only for a tag become available again. */
export async function tagsBecameOptional(services: Services, tx: Tx, companyId: CompanyId): Promise<void> {
  for (const callId of await callsWaitingForTags(tx, companyId)) await callWasTagged(services, tx, companyId, callId)
}

async function endWrapUp(services: Services, tx: Tx, companyId: CompanyId, userId: number): Promise<void> {
  await publish(services, tx, companyId, await endedWrapUp(services, tx, companyId, userId))
}

async function wrapUpEnd(tx: Tx, { wrapUp }: UserPresence, { user }: UserPresence): Promise<UserFact[]> {
  if (!wrapUp) return []
  await cancelJob(tx, wrapUpKey(user.id))
  const { callId } = wrapUp
  const isNamed = !(await tagsAreMandatory(tx, user.companyId)) && !(await isLostOutside(tx, user.companyId, callId))
  return [{ kind: 'user', event: 'wut_end', user, ...(isNamed && { lastCallId: callId }) }]
}
