import { randomUUID } from 'node:crypto'
import { transaction } from '../../src/db/database.ts'
import type { CallRecord } from '../../src/domain/call/record.ts'
import { type Call, type CallChange, findCall, insertCall, updateCall } from '../../src/features/calls/calls/store.ts'
import { minute, second } from '../../src/lib/clock.ts'
import type { TestApp, TestCompany } from './app.ts'

// Past calls, written as by the engine.

export const caller = '+33199000777'

/** A completed inbound call, answered after ten seconds. */
export function recordOf(numberId: number, startedAt: number, call: Partial<CallRecord> = {}): CallRecord {
  const userId = call.userId ?? null
  return {
    direction: 'inbound',
    numberId,
    external: caller,
    startedAt,
    answeredAt: userId === null ? null : startedAt + 10 * second,
    endedAt: startedAt + minute,
    missedReason: userId === null ? 'no_available_agent' : null,
    hangupCause: 'normal_clearing',
    userId,
    assignedTo: null,
    transferredBy: null,
    transferredTo: null,
    transferredOut: false,
    teamIds: [],
    participants: [
      { kind: 'external', phone: call.external ?? caller },
      ...(userId === null ? [] : [{ kind: 'user' as const, userId }]),
    ],
    ivrOptions: [],
    callbackOf: null,
    ...call,
  }
}

/** Still active, with this user. */
export const live = (userId: number): Partial<CallRecord> => ({ userId, endedAt: null, hangupCause: null })

export interface NewTestCall extends Partial<CallRecord> {
  numberId: number
  /** Defaults to a minute ago, ended now. */
  startedAt?: number
}

export async function addCall(app: TestApp, company: TestCompany, call: NewTestCall, more?: CallChange): Promise<Call> {
  const { numberId, startedAt = app.clock.now() - minute, ...rest } = call
  const record = recordOf(numberId, startedAt, rest)
  return transaction(app.db, async (tx) => {
    const id = await insertCall(tx, company.id, { uuid: randomUUID(), record })
    if (more) await updateCall(tx, company.id, id, more)
    const call = await findCall(tx, company.id, id)
    if (!call) throw new Error('a call that was just written is there')
    return call
  })
}

/** Stores an audio file for the call. */
export async function addSound(app: TestApp, call: Call, kind: 'recording' | 'voicemail'): Promise<string> {
  const key = `sounds/${call.companyId}/${call.id}-${kind}.mp3`
  await app.app.services.files.put(key, Buffer.from('a sound'))
  const change =
    kind === 'recording' ? { recording: key, recording_ms: 7_000 } : { voicemail: key, voicemail_ms: 7_000 }
  await updateCall(app.db, call.companyId, call.id, { ...change, told: 'ended' })
  return key
}
