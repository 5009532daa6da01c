import type { Tx } from '../db/database.ts'
import type { CallMachineEvent, PersistEffect } from '../domain/call/events.ts'
import { isRefused } from '../domain/call/recording-notice.ts'
import type { CallState } from '../domain/call/state.ts'
import { joinCall, leaveCall } from '../features/accounts/presence/actions.ts'
import { insertComment } from '../features/calls/calls/notes-store.ts'
import { setRecordingConsent } from '../features/calls/recordings/store.ts'
import type { Fact as PublishedFact } from '../features/publishing/index.ts'
import { insertCallOptOut } from '../features/voice-agents/opt-outs/store.ts'
import { setOutboundStatus } from '../features/voice-agents/outbound-calls/store.ts'
import { startExtraction } from '../features/voice-agents/sessions/extract-data.ts'
import { endSession, insertVoiceAgentSession } from '../features/voice-agents/sessions/store.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Services } from '../services.ts'
import { noteParty } from './active-call-store.ts'
import { callbackTried, requestCallback } from './callback-requests.ts'
import { partyGave, partyJoined, partyLeft, partyReceived } from './party-store.ts'
import { enterQueue, leaveQueue, placeInQueue, setAccepting } from './queue-store.ts'
import { release, releaseRings, ringOver, ringStarted } from './ring-store.ts'
import { findPeople, numberFacts } from './routing-data.ts'
import { isTagged, type TraceLine } from './trace-store.ts'
import { voiceAgentCallEnded } from './voice-agent-calls.ts'
import { voiceAgentFor } from './voice-agent-setup.ts'

/** Collected during a step: events to publish, routing details, and users who may be available for another call. */
export interface StepOutput {
  facts: PublishedFact[]
  trace: TraceLine[]
  freed: { userId: number; notFor: string | null }[]
}

export type RandomSource = (key: string, userId: number) => number

interface EffectContext {
  services: Services
  tx: Tx
  call: CallState
  at: number
  output: StepOutput
}

type On<K extends PersistEffect['kind']> = Extract<PersistEffect, { kind: K }>

/** Persists one effect; a query is answered with the event that the machine waits for. */
export async function persistEffect(
  services: Services,
  tx: Tx,
  call: CallState,
  effect: PersistEffect,
  at: number,
  random: RandomSource,
  output: StepOutput,
): Promise<CallMachineEvent | undefined> {
  const { companyId, callId, key } = call
  const context: EffectContext = { services, tx, call, at, output }
  switch (effect.kind) {
    case 'publish':
      return void (await publishEvent(context, effect))
    case 'trace':
      if (callId !== null) output.trace.push({ callId, at, entry: effect.entry })
      return
    case 'find.agents': {
      const found = await findPeople(tx, companyId, key, effect, at, (userId) => random(String(callId ?? key), userId))
      return { kind: 'agents.found', at, consultation: effect.consultation, ...found }
    }
    case 'query.position':
      return { kind: 'position', at, place: await placeInQueue(tx, companyId, key) }
    case 'query.number': {
      const number = await numberFacts(tx, companyId, effect.numberId)
      return number ? { kind: 'number.entered', at, number } : { kind: 'number.missing', at }
    }
    case 'query.voiceAgent': {
      const ready = await voiceAgentFor(services, tx, call, effect.agentId)
      return ready ? { kind: 'voiceAgent.ready', at, ...ready } : { kind: 'voiceAgent.unavailable', at }
    }
    case 'voiceAgent':
      return void (await voiceAgentChanged(context, effect))
    case 'ring.started':
      await ringStarted(tx, companyId, {
        callId,
        numberId: call.number?.id ?? null,
        userId: effect.userId,
        teamId: effect.teamId,
        origin: effect.origin,
        at,
      })
      return
    case 'ring.ended':
      await ringOver(tx, companyId, { callId, userId: effect.userId, at, outcome: effect.outcome })
      await release(tx, companyId, key, effect.userId)
      if (effect.outcome !== 'answered') output.freed.push({ userId: effect.userId, notFor: null })
      return
    case 'release':
      await release(tx, companyId, key, effect.userId)
      output.freed.push({ userId: effect.userId, notFor: key })
      return
    case 'joined':
      await noteParty(tx, companyId, key, effect.userId, true)
      if (callId !== null && !effect.consultation)
        await partyJoined(tx, companyId, { callId, userId: effect.userId, way: wayIn(call, effect.userId), at })
      output.facts.push(...(await joinCall(services, tx, companyId, effect.userId)))
      return
    case 'left':
      return void (await partyLeaves(context, effect))
    case 'transfer.sent':
      if (callId !== null) await partyGave(tx, companyId, { callId, userId: effect.userId, at })
      return
    case 'transfer.received':
      if (callId !== null) await partyReceived(tx, companyId, { callId, userId: effect.userId, at })
      return
    case 'queue.enter':
      await enterQueue(tx, companyId, {
        key,
        callId: callId ?? 0,
        targets: effect.targets,
        rank: effect.rank,
        enteredAt: effect.enteredAt,
      })
      return
    case 'queue.accepting':
      await setAccepting(tx, companyId, key, effect.accepting)
      return
    case 'queue.leave':
      await leaveQueue(tx, companyId, key)
      return
    case 'callback.requested':
      if (callId === null) return
      await requestCallback(services, tx, companyId, callId, effect.params, at)
      output.facts.push({ kind: 'call', event: 'tagged', callId, record: effect.record, at })
      return
    case 'ended':
      return void (await callEnded(context, effect))
    case 'recording.consent':
      if (callId !== null) await setRecordingConsent(tx, companyId, callId, effect.result)
      return
    case 'recording.save':
      // A recording that is too short to keep still has a file to remove.
      if (callId !== null) {
        const { what, file: source, ms } = effect
        await enqueue(tx, 'recording.convert', { companyId, callId, kind: what, source, ms }, at)
      }
      return
  }
}

async function publishEvent({ services, tx, call, at, output }: EffectContext, effect: On<'publish'>): Promise<void> {
  const { companyId, callId } = call
  if (callId === null) return
  const { event, record, userId, external } = effect
  if (event === 'answered' && record.callbackOf !== null) {
    await callbackTried(services, tx, companyId, record.callbackOf, true)
  }
  output.facts.push({
    kind: 'call',
    event,
    callId,
    record,
    at,
    ...(userId !== undefined && { userId }),
    ...(external && { external }),
  })
}

async function voiceAgentChanged({ tx, call, at, output }: EffectContext, effect: On<'voiceAgent'>): Promise<void> {
  const { companyId, callId, key } = call
  if (callId === null) return
  const { event, voiceAgent: part } = effect
  if (event === 'started') {
    await insertVoiceAgentSession(tx, companyId, callId, part)
    if (call.outboundVoiceAgent)
      await setOutboundStatus(tx, companyId, call.outboundVoiceAgent.id, 'IN_PROGRESS', callId)
  }
  // What was said is a transcript.
  const kept = isRefused(call.recordingConsent) ? { ...part, turns: [] } : part
  if (event === 'ended') {
    await endSession(tx, companyId, kept)
    await startExtraction(tx, companyId, kept, at)
  }
  if (event === 'ended' && part.talk.optedOut) {
    const phone = call.record.external
    await insertCallOptOut(tx, companyId, { phone, source: 'call', callId, createdAt: at })
  }
  const { external } = call.record
  const moment = { callId, uuid: key, external, ownNumber: call.number?.digits ?? '', part, at }
  output.facts.push({ kind: 'voice_agent', event: event, moment })
}

async function partyLeaves({ services, tx, call, at, output }: EffectContext, effect: On<'left'>): Promise<void> {
  const { companyId, callId, key } = call
  await noteParty(tx, companyId, key, effect.userId, false)
  if (callId !== null) await partyLeft(tx, companyId, { callId, userId: effect.userId, at })
  const answered = call.record.answeredAt !== null
  const hasTag = async () => callId !== null && (await isTagged(tx, companyId, callId))
  const left = { callId: effect.consultation ? null : callId, answered, isTagged: hasTag }
  // With the time of the step: a wrap-up must not be dated after the end of its call.
  const published = await leaveCall(services, tx, companyId, effect.userId, left)
  output.facts.push(...published.map((one) => ({ ...one, at })))
}

async function callEnded({ services, tx, call, at, output }: EffectContext, { notes }: On<'ended'>): Promise<void> {
  const { companyId, callId, key } = call
  // An agent may have been offered to the call at the moment it ended.
  for (const userId of await releaseRings(tx, companyId, key)) output.freed.push({ userId, notFor: null })
  if (callId === null) return
  for (const { by, content } of notes) {
    await insertComment(tx, companyId, callId, { content, by, at })
  }
  const due = at + services.rules.callEndedDelayMs
  const { callbackOf, answeredAt } = call.record
  if (call.outboundVoiceAgent) {
    await voiceAgentCallEnded(services, tx, call, { callId, at })
  }
  if (callbackOf !== null && answeredAt === null) await callbackTried(services, tx, companyId, callbackOf, false)
  await enqueue(tx, 'call.ended', { companyId, callId, notes: notes.length }, due, `call-ended:${callId}`)
}

/** The user of the call answered or placed it; all others were added. */
function wayIn({ record }: CallState, userId: number): 'taken' | 'made' | 'added' {
  if (record.userId !== userId) return 'added'
  return record.direction === 'inbound' ? 'taken' : 'made'
}
