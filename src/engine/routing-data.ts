import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { isOpenForCalls } from '../domain/availability.ts'
import type { Found, PersistEffect } from '../domain/call/events.ts'
import type { NumberFacts } from '../domain/call/state.ts'
import { audibleFlow, soundUrls } from '../domain/flow/sounds.ts'
import { planRinging, type RingCandidate, type RingPlan, usersOfTargets } from '../domain/routing.ts'
import { findNumber, type PhoneNumber } from '../features/accounts/numbers/store.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { readySounds } from '../features/numbers/audio/store.ts'
import { earlierFlows } from '../features/numbers/numbers/store.ts'
import { recordingNoticeOf } from '../features/numbers/recording-notice/store.ts'
import { second } from '../lib/clock.ts'
import { isCallback } from './callback-requests.ts'
import { membersOf, type PersonState, reserve, ringStates } from './ring-store.ts'

// Routing data, read in the transaction of the step that requests it.

export type AgentQuery = Extract<PersistEffect, { kind: 'find.agents' }>

export async function numberFacts(db: Db, companyId: CompanyId, id: number): Promise<NumberFacts | undefined> {
  const number = await findNumber(db, companyId, id)
  if (!number) return undefined
  const facts = factsOf(await audible(db, companyId, number))
  const recordingNotice = number.recording ? await recordingNoticeOf(db, companyId, id) : undefined
  return recordingNotice ? { ...facts, recordingNotice } : facts
}

/** Until the configured audio of a Number is ready, the previous audio is played, or the default. */
async function audible(db: Db, companyId: CompanyId, number: PhoneNumber): Promise<PhoneNumber> {
  const { flow, musicOnHold } = number
  const named = [...soundUrls(flow), ...(musicOnHold === null ? [] : [musicOnHold])]
  const ready = await readySounds(db, companyId, named)
  if (named.every((url) => ready.has(url))) return number
  const earlier = await earlierFlows(db, companyId, number.id, flow.version)
  const before = await readySounds(db, companyId, [...new Set(earlier.flatMap(soundUrls))])
  return {
    ...number,
    flow: audibleFlow(flow, earlier, (url) => ready.has(url) || before.has(url)),
    musicOnHold: musicOnHold !== null && ready.has(musicOnHold) ? musicOnHold : null,
  }
}

const factsOf = (number: PhoneNumber): NumberFacts => ({
  id: number.id,
  digits: number.digits,
  timeZone: number.timeZone,
  recording: number.recording,
  priority: number.priority,
  flow: number.flow,
  ringSimultaneousMs: number.ringSimultaneousSeconds * second,
  ringOneByOneMs: number.ringOneByOneSeconds * second,
  musicOnHold: number.musicOnHold,
})

/** Finds users who can be rung now and reserves them: no user is rung by two calls. */
export async function findPeople(
  db: Db,
  companyId: CompanyId,
  key: string,
  query: AgentQuery,
  at: number,
  random: (userId: number) => number,
): Promise<{ people: Found[]; considered: RingPlan['considered'] }> {
  // A callback is a new call of the user, not a second one.
  const considered = await candidates(db, companyId, query.targets, isCallback(key) ? null : at)
  const plan = planRinging(considered, query.strategy, query.except, at, random)
  const people: Found[] = []
  for (const one of plan.order) {
    if (people.length >= query.max) break
    if (await reserve(db, companyId, key, one.userId, at)) people.push(one)
  }
  const rung = new Set(people.map(({ userId }) => userId))
  return { people, considered: plan.considered.map((one) => ({ ...one, rung: rung.has(one.userId) })) }
}

/** `secondAt`: the time at which users with call waiting may be rung; null: they are not. */
async function candidates(
  db: Db,
  companyId: CompanyId,
  targets: AgentQuery['targets'],
  secondAt: number | null,
): Promise<RingCandidate[]> {
  const teams = targets.filter(({ type }) => type === 'team').map(({ id }) => id)
  const members = await membersOf(db, companyId, teams)
  const named = usersOfTargets(targets, (teamId) => members.get(teamId) ?? [])
  const states = await ringStates(
    db,
    companyId,
    named.map(({ userId }) => userId),
  )
  const waiting = secondAt === null ? new Set<number>() : await withCallWaiting(db, companyId, states, secondAt)
  return named.flatMap(({ userId, teamId }) => {
    const state = states.get(userId)
    if (!state) return []
    const { availability, since, reservedBy } = state
    const callWaiting = waiting.has(userId)
    return [{ userId, teamId, availability, since, reserved: reservedBy !== null, callWaiting }]
  })
}

/** Users on a call whose phone may ring for a second one: not while they do not want to be disturbed. */
async function withCallWaiting(
  db: Db,
  companyId: CompanyId,
  states: ReadonlyMap<number, PersonState>,
  at: number,
): Promise<Set<number>> {
  const open = new Set<number>()
  for (const [userId, { callWaiting }] of states) {
    if (callWaiting === null || callWaiting === 'unavailable') continue
    const user = callWaiting === 'custom' ? await findUser(db, companyId, userId) : undefined
    if (callWaiting === 'available' || (user && isOpenForCalls(user, at))) open.add(userId)
  }
  return open
}
