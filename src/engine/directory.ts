import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Fact, Found } from '../domain/call/events.ts'
import type { NumberFacts } from '../domain/call/state.ts'
import { audibleFlow, soundUrls } from '../domain/flow/sounds.ts'
import { type Candidate, peopleOf, planRinging, type RingPlan } from '../domain/routing.ts'
import { readySounds } from '../features/numbers/audio/store.ts'
import { earlierFlows } from '../features/numbers/numbers/store.ts'
import { findNumber, type PhoneNumber } from '../features/accounts/numbers/store.ts'
import { second } from '../lib/clock.ts'
import { membersOf, reserve, statesOf } from './ring-store.ts'

// The facts that routing needs, gathered inside the transaction of the step that asks.

export type Seek = Extract<Fact, { kind: 'seek' }>

export async function numberFacts(db: Db, companyId: CompanyId, id: number): Promise<NumberFacts | undefined> {
  const number = await findNumber(db, companyId, id)
  return number && factsOf(await audible(db, companyId, number))
}

/** Until the audio that a Number names is ready, what was heard before is heard, or the default. */
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

/** Looks for people who can be rung now and keeps them for the call: nobody is rung by two. */
export async function findPeople(
  db: Db,
  companyId: CompanyId,
  key: string,
  seek: Seek,
  at: number,
  random: (userId: number) => number,
): Promise<{ people: Found[]; considered: RingPlan['considered'] }> {
  const plan = planRinging(await candidates(db, companyId, seek.targets), seek.strategy, seek.except, at, random)
  const people: Found[] = []
  for (const one of plan.order) {
    if (people.length >= seek.most) break
    if (await reserve(db, companyId, key, one.userId, at)) people.push(one)
  }
  const rung = new Set(people.map(({ userId }) => userId))
  return { people, considered: plan.considered.map((one) => ({ ...one, rung: rung.has(one.userId) })) }
}

async function candidates(db: Db, companyId: CompanyId, targets: Seek['targets']): Promise<Candidate[]> {
  const teams = targets.filter(({ type }) => type === 'team').map(({ id }) => id)
  const members = await membersOf(db, companyId, teams)
  const named = peopleOf(targets, (teamId) => members.get(teamId) ?? [])
  const states = await statesOf(
    db,
    companyId,
    named.map(({ userId }) => userId),
  )
  return named.flatMap(({ userId, teamId }) => {
    const state = states.get(userId)
    if (!state) return []
    const { availability, since, reservedBy } = state
    return [{ userId, teamId, availability, since, reserved: reservedBy !== null }]
  })
}
