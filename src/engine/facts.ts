import type { Tx } from '../db/database.ts'
import type { CallEvent, Fact } from '../domain/call/events.ts'
import type { CallState } from '../domain/call/state.ts'
import { joinsCall, leavesCall } from '../features/accounts/presence/actions.ts'
import { insertComment } from '../features/calls/calls/notes-store.ts'
import type { Fact as Told } from '../features/publishing/index.ts'
import { setOutboundStatus } from '../features/voice-agents/outbound-calls/store.ts'
import { endSession, insertSession } from '../features/voice-agents/sessions/store.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Services } from '../services.ts'
import { agentCallEnded } from './agent-calls.ts'
import { agentFor } from './agents.ts'
import { callbackTried, wantCallback } from './callbacks.ts'
import { findPeople, numberFacts } from './directory.ts'
import { noteParty } from './live-store.ts'
import { partyGave, partyJoined, partyLeft, partyReceived } from './party-store.ts'
import { enterQueue, leaveQueue, markHungry, placeInQueue } from './queue-store.ts'
import { release, releaseRings, ringBegun, ringOver } from './ring-store.ts'
import { isTagged, type TraceLine } from './store.ts'

/** What a step leaves for later: things to tell, and people who may be free for somebody else. */
export interface Aftermath {
  told: Told[]
  trace: TraceLine[]
  freed: { userId: number; notFor: string | null }[]
}

export type RandomSource = (key: string, userId: number) => number

type Answer = CallEvent

/** Writes one fact down; a question is answered with the event that the machine waits for. */
export async function writeFact(
  services: Services,
  tx: Tx,
  call: CallState,
  fact: Fact,
  at: number,
  random: RandomSource,
  aftermath: Aftermath,
): Promise<Answer | undefined> {
  const { companyId, callId, key } = call
  switch (fact.kind) {
    case 'publish': {
      if (callId === null) return
      const { what, record, userId, external } = fact
      if (what === 'answered' && record.callbackOf !== null) {
        await callbackTried(services, tx, companyId, record.callbackOf, true)
      }
      aftermath.told.push({
        about: 'call',
        what,
        callId,
        record,
        at,
        ...(userId !== undefined && { userId }),
        ...(external && { external }),
      })
      return
    }
    case 'trace':
      if (callId !== null) aftermath.trace.push({ callId, at, entry: fact.entry })
      return
    case 'seek': {
      const found = await findPeople(tx, companyId, key, fact, at, (userId) => random(String(callId ?? key), userId))
      return { kind: 'found', at, aside: fact.aside, ...found }
    }
    case 'ask.position':
      return { kind: 'position', at, place: await placeInQueue(tx, companyId, key) }
    case 'ask.number': {
      const number = await numberFacts(tx, companyId, fact.numberId)
      return number ? { kind: 'number.entered', at, number } : { kind: 'number.missing', at }
    }
    case 'ask.agent': {
      const ready = await agentFor(services, tx, call, fact.agentId)
      return ready ? { kind: 'agent.ready', at, ...ready } : { kind: 'agent.missing', at }
    }
    case 'agent': {
      if (callId === null) return
      const { what, part } = fact
      if (what === 'started') {
        await insertSession(tx, companyId, callId, part)
        if (call.errand) await setOutboundStatus(tx, companyId, call.errand.id, 'IN_PROGRESS', callId)
      }
      if (what === 'ended') await endSession(tx, companyId, part)
      const { external } = call.record
      const moment = { callId, uuid: key, external, ownNumber: call.number?.digits ?? '', part, at }
      aftermath.told.push({ about: 'voice_agent', what, moment })
      return
    }
    case 'ring.begun':
      await ringBegun(tx, companyId, {
        callId,
        numberId: call.number?.id ?? null,
        userId: fact.userId,
        teamId: fact.teamId,
        origin: fact.origin,
        at,
      })
      return
    case 'ring.ended':
      await ringOver(tx, companyId, { callId, userId: fact.userId, at, outcome: fact.outcome })
      await release(tx, companyId, key, fact.userId)
      if (fact.outcome !== 'answered') aftermath.freed.push({ userId: fact.userId, notFor: null })
      return
    case 'release':
      await release(tx, companyId, key, fact.userId)
      aftermath.freed.push({ userId: fact.userId, notFor: key })
      return
    case 'joined':
      await noteParty(tx, companyId, key, fact.userId, true)
      if (callId !== null && !fact.aside)
        await partyJoined(tx, companyId, { callId, userId: fact.userId, way: wayIn(call, fact.userId), at })
      aftermath.told.push(...(await joinsCall(services, tx, companyId, fact.userId)))
      return
    case 'left': {
      await noteParty(tx, companyId, key, fact.userId, false)
      if (callId !== null) await partyLeft(tx, companyId, { callId, userId: fact.userId, at })
      const answered = call.record.answeredAt !== null
      const hasTag = async () => callId !== null && (await isTagged(tx, companyId, callId))
      const left = { callId: fact.aside ? null : callId, answered, isTagged: hasTag }
      // With the time of the step: a wrap-up is not dated after the end of the call that it follows.
      const facts = await leavesCall(services, tx, companyId, fact.userId, left)
      aftermath.told.push(...facts.map((one) => ({ ...one, at })))
      return
    }
    case 'gave':
      if (callId !== null) await partyGave(tx, companyId, { callId, userId: fact.userId, at })
      return
    case 'received':
      if (callId !== null) await partyReceived(tx, companyId, { callId, userId: fact.userId, at })
      return
    case 'queue.enter':
      await enterQueue(tx, companyId, {
        key,
        callId: callId ?? 0,
        targets: fact.targets,
        rank: fact.rank,
        enteredAt: fact.enteredAt,
      })
      return
    case 'queue.hungry':
      await markHungry(tx, companyId, key, fact.hungry)
      return
    case 'queue.leave':
      await leaveQueue(tx, companyId, key)
      return
    case 'callback.wanted':
      if (callId === null) return
      await wantCallback(services, tx, companyId, callId, fact.wish, at)
      aftermath.told.push({ about: 'call', what: 'tagged', callId, record: fact.record, at })
      return
    case 'ended': {
      // An agent may have been offered to the call at the moment of its end.
      for (const userId of await releaseRings(tx, companyId, key)) aftermath.freed.push({ userId, notFor: null })
      if (callId === null) return
      for (const { by, content } of fact.notes) {
        await insertComment(tx, companyId, callId, { content, by, at })
      }
      const due = at + services.rules.callEndedDelayMs
      const { callbackOf, answeredAt } = call.record
      if (call.errand) {
        await agentCallEnded(services, tx, companyId, { id: call.errand.id, callId, answered: answeredAt !== null, at })
      }
      if (callbackOf !== null && answeredAt === null) await callbackTried(services, tx, companyId, callbackOf, false)
      await enqueue(tx, 'call.ended', { companyId, callId, notes: fact.notes.length }, due, `call-ended:${callId}`)
      return
    }
    case 'keep.sound':
      // One that is too short to be kept still has a file to be removed.
      if (callId !== null) {
        const { what, file: source, ms } = fact
        await enqueue(tx, 'recording.convert', { companyId, callId, kind: what, source, ms }, at)
      }
      return
  }
}

/** Whose call it is has taken or made it; everybody else was added. */
function wayIn({ record }: CallState, userId: number): 'taken' | 'made' | 'added' {
  if (record.userId !== userId) return 'added'
  return record.direction === 'inbound' ? 'taken' : 'made'
}
