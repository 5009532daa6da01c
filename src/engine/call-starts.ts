import { randomUUID } from 'node:crypto'
import { afterCommit, type Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { internalCall, outboundCall, voiceAgentCall } from '../domain/call/new-call.ts'
import type { NumberFacts } from '../domain/call/state.ts'
import type { LegId, VoiceDriver } from '../domain/voice.ts'
import { completeClaim } from '../features/accounts/credentials/idempotency-store.ts'
import { isTagMissing } from '../features/accounts/presence/actions.ts'
import { lockPresence } from '../features/accounts/users/presence-store.ts'
import { userByExtension } from '../features/accounts/users/store.ts'
import { markCalled } from '../features/calls/dialer/store.ts'
import type { Calls, NewCall, Services } from '../services.ts'
import type { CallbackRequest } from './callback-store.ts'
import type { CallbackAnswer } from './callbacks.ts'
import type { Engine } from './engine.ts'
import type { LineSelection, Lines } from './line-selection.ts'
import { ringingOn } from './ring-store.ts'
import { numberFacts } from './routing-data.ts'
import type { TollGuard } from './toll-guard.ts'
import type { VoiceAgentDial } from './voice-agent-calls.ts'
import { hasSpeechEngines, isSupported, speechFor } from './voice-agent-capabilities.ts'

type Accept = (tx: Tx) => Promise<void>

/** The leg of a device that places a call; the call stays on its driver. */
interface CallingDevice {
  leg: LegId
  driver: VoiceDriver
}

interface CallbackOptions {
  callbackOf?: number
  /** Committed together with the new call, or not at all. */
  accept?: Accept
  device?: CallingDevice
}

/** Calls that users, callbacks and AI agents start in this process. */
export interface CallStarts {
  start(companyId: CompanyId, call: NewCall & { device?: CallingDevice }): ReturnType<Calls['start']>
  /** Calls the customer of a callback request; false: the call was refused. */
  callBack(request: CallbackRequest, answer: CallbackAnswer, accept: Accept): Promise<boolean>
  whyNotDial: Calls['whyNotDial']
  /** Dials for an AI agent; false: the call was refused. */
  dialForVoiceAgent(companyId: CompanyId, call: VoiceAgentDial): Promise<boolean>
}

interface Options {
  services: Services
  lines: Lines
  selection: LineSelection
  engine: Engine
  guard: Pick<TollGuard, 'ask'>
}

export function createCallStarts({ services, lines, selection, engine, guard }: Options): CallStarts {
  const { db, clock } = services

  async function open(companyId: CompanyId, params: NewCall & CallbackOptions): ReturnType<Calls['start']> {
    const key = randomUUID()
    const at = clock.now()
    const { userId, to } = params
    const callee = params.numberId === null ? await userByExtension(db, companyId, to) : undefined
    if (params.numberId === null && (!callee || callee === userId)) return refused('No user has this extension')
    const number = params.numberId === null ? undefined : await numberFacts(db, companyId, params.numberId)
    if (params.numberId !== null && !number) return refused('The Number does not exist')
    let isUrgent = false
    if (number) {
      const origin = params.origin ?? (params.callbackOf === undefined ? 'app' : 'callback')
      const verdict = await guard.ask({ companyId, userId, origin, to, line: number.digits })
      if (!verdict.ok) return { ok: false, refused: 'forbidden', why: verdict.why }
      isUrgent = verdict.emergency
    }
    const driver = params.device?.driver ?? (await selection.driverFor(companyId, params))
    const why =
      (await selection.clockRefusal(driver)) ?? (isUrgent ? undefined : await selection.mediaRefusal(driver, companyId))
    if (why !== undefined) return refused(why)
    const begin = { key, companyId, callId: null, at, line: selection.lineOf(driver) }
    const { sdpOffer, session } = params
    const leg = params.device && { leg: params.device.leg }
    const offer = { ...(sdpOffer !== undefined && { sdpOffer }), ...(session !== undefined && { session }), ...leg }
    const state = number
      ? outboundCall(begin, number, { userId, to, callbackOf: params.callbackOf ?? null })
      : internalCall(begin, { userId, to: callee ?? 0 })
    return new Promise((resolve) => {
      engine.open(state, driver, {
        offer,
        ...leg,
        isUrgent,
        guard: (tx) => startRefusal(tx, companyId, params, number),
        started: (started) => resolve(started.ok ? { ok: true, key, callId: started.callId } : refused(started.why)),
      })
    })
  }

  /** In the transaction that creates the call: why it must not start. */
  async function startRefusal(
    tx: Tx,
    companyId: CompanyId,
    { userId, to, accept, claim, isSecond = false }: NewCall & CallbackOptions,
    number: NumberFacts | undefined,
  ): Promise<string | undefined> {
    await accept?.(tx)
    const why = await userRefusal(tx, companyId, userId, isSecond)
    if (why !== undefined) return why
    // The client has been answered, and may have sent the request again.
    if (claim && !(await completeClaim(tx, companyId, claim))) return 'The request was given up'
    if (!number) return undefined
    if (await markCalled(tx, companyId, userId, to)) {
      afterCommit(tx, () => services.liveHub.send(companyId, userId, { kind: 'dialer_campaign' }))
    }
    return undefined
  }

  const whyNotDial: Calls['whyNotDial'] = async (companyId, { numberId, to, origin }) => {
    const number = await numberFacts(db, companyId, numberId)
    if (!number) return 'The Number does not exist'
    const needsEngines = origin === 'ai_agent' && (await selection.isOnRealLine(companyId))
    if (needsEngines && !(await hasSpeechEngines(services.ai, companyId))) {
      return 'AI voice agents need a speech-to-text and a text-to-speech engine on trunks'
    }
    const verdict = await guard.ask({ companyId, userId: null, origin, to, line: number.digits })
    return verdict.ok ? undefined : verdict.why
  }

  return {
    start: open,
    async callBack({ companyId, numberId, phone, callId }, { by, ...offer }, accept) {
      const started = await open(companyId, { ...offer, userId: by, numberId, to: phone, callbackOf: callId, accept })
      return started.ok
    },
    whyNotDial,
    async dialForVoiceAgent(companyId, { numberId, to, outboundVoiceAgent, accept }) {
      const driver = await selection.driverFor(companyId, { numberId })
      const number = await numberFacts(db, companyId, numberId)
      if (driver === lines.silence || !number) return false
      if ((await whyNotDial(companyId, { numberId, to, origin: 'ai_agent' })) !== undefined) return false
      if ((await selection.clockRefusal(driver)) !== undefined) return false
      if ((await selection.mediaRefusal(driver, companyId)) !== undefined) return false
      const line = selection.lineOf(driver)
      const speech = await speechFor(services.ai, companyId, line)
      if (!isSupported(speech, outboundVoiceAgent.plan)) return false
      const begin = { key: randomUUID(), companyId, callId: null, at: clock.now(), line, speech }
      const state = voiceAgentCall(begin, number, { to, outboundVoiceAgent })
      return new Promise((resolve) => {
        engine.open(state, driver, { guard: accept, started: ({ ok }) => resolve(ok) })
      })
    },
  }
}

const refused = (why: string) => ({ ok: false, refused: 'state', why }) as const

async function userRefusal(
  tx: Tx,
  companyId: CompanyId,
  userId: number,
  isSecond: boolean,
): Promise<string | undefined> {
  const presence = await lockPresence(tx, companyId, userId)
  if (!presence || presence.sessions === 0) return 'The user has no phone app open'
  if (presence.calls > (isSecond ? 1 : 0)) return 'The user is on a call'
  if (await isTagMissing(tx, companyId, presence)) return 'The last call needs a tag first'
  if (await ringingOn(tx, companyId, userId)) return 'The phone of the user is ringing'
  return undefined
}
