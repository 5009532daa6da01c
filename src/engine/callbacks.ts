import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallCommand } from '../domain/call/commands.ts'
import type { CallbackParams, Found } from '../domain/call/events.ts'
import type { Target } from '../domain/flow/document.ts'
import { firstTimeRule, openNow, scheduleOf } from '../domain/flow/time-rule.ts'
import { nextChange } from '../domain/opening-hours.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { putTags } from '../features/calls/calls/notes-store.ts'
import { lockCall, updateCall } from '../features/calls/calls/store.ts'
import { ensureTag } from '../features/calls/tags/store.ts'
import { publish } from '../features/publishing/index.ts'
import { enqueue } from '../jobs/queue.ts'
import { type Cancel, hour, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { Reply, Services } from '../services.ts'
import { gone } from './active-call.ts'
import { deleteLive, insertLive } from './active-call-store.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { type CallbackRequest, insertRequest, lockRequest, requestOf, updateRequest } from './callback-store.ts'
import type { RandomSource } from './persist-effects.ts'
import { enterQueue, leaveQueue, setAccepting } from './queue-store.ts'
import { release, releaseAll, releaseRings, ringBegun, ringOver } from './ring-store.ts'
import { findPeople } from './routing-data.ts'

// A caller who requested a callback keeps the position in the queue: an agent is rung first, then the customer is
// called.

const prefix = 'cb_'
export const isCallback = (key: string) => key.startsWith(prefix)

const tagName = 'Callback Request'
const ringMs = 20 * second

/** In the step that ends the requesting call: creates the request, its position in the queue and its tag. */
export async function requestCallback(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
  params: CallbackParams,
  at: number,
): Promise<void> {
  const id = `${prefix}${ulid(services.clock.machineNow())}`
  await insertRequest(tx, companyId, id, callId, params, at)
  const { targets, rank, enteredAt } = params
  await enterQueue(tx, companyId, { key: id, callId, targets, rank, enteredAt })
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, at, serveKey(id))
  const tagId = await ensureTag(tx, companyId, { name: tagName, color: '#56CCF2' }, at)
  const call = await lockCall(tx, companyId, callId)
  if (call) await putTags(tx, companyId, call, [tagId], { by: null, at })
}

const serveKey = (id: string) => `callback:${id}`

/** The agent who answers, with an SDP offer where there is media. */
export type CallbackAnswer = Omit<Extract<CallCommand, { kind: 'answer' }>, 'kind'>

export interface Callbacks {
  serve(companyId: CompanyId, requestId: string): Promise<void>
  /** An agent is available and reserved for the request; undefined when it does not need one now. */
  take(tx: Tx, companyId: CompanyId, requestId: string, person: Found): Promise<(() => void) | undefined>
  answer(requestId: string, by: CallbackAnswer): Promise<Reply>
  decline(requestId: string, userId: number): Promise<Reply>
  /** Left by a process that has ended. */
  recover(companyId: CompanyId, requestId: string): Promise<void>
  stop(): void
}

interface Ringing {
  companyId: CompanyId
  request: CallbackRequest
  userId: number
  tried: number[]
  cancel: Cancel
}

export interface CallbacksOptions {
  services: Services
  me: string
  random: RandomSource
  /** The time to be stored. */
  now(): number
  /** Starts the outbound call to the customer in the same transaction as `accept`; false when it could not start. */
  callBack(request: CallbackRequest, by: CallbackAnswer, accept: (tx: Tx) => Promise<void>): Promise<boolean>
  freed(companyId: CompanyId, userId: number, notFor: string | null): void
  tasks: Pick<BackgroundTasks, 'run'>
}

export function createCallbacks({
  services,
  me,
  random,
  now: time,
  callBack,
  freed,
  tasks,
}: CallbacksOptions): Callbacks {
  const { db, clock, browsers } = services
  const ringing = new Map<string, Ringing>()

  /** Rings the next available agent, or waits for one. */
  async function serve(companyId: CompanyId, id: string, tried: readonly number[] = []): Promise<void> {
    if (ringing.has(id)) return
    const found = await transaction(db, async (tx) => {
      const request = await lockRequest(tx, companyId, id)
      if (request?.state !== 'waiting' || !(await isTime(services, tx, request))) return undefined
      const query = queryFor(request.targets, tried)
      const { people } = await findPeople(tx, companyId, id, query, time(), (userId) => random(id, userId))
      const [person] = people
      if (!person) {
        await (tried.length > 0 ? failed(services, tx, request) : waitForAgent(tx, request))
        return undefined
      }
      await setAccepting(tx, companyId, id, false)
      await beginRing(tx, request, person)
      return { request, person }
    })
    if (found) ring(found.request, found.person.userId, tried)
  }

  async function beginRing(tx: Tx, request: CallbackRequest, person: Found) {
    const { companyId, id, numberId } = request
    await updateRequest(tx, companyId, id, { state: 'ringing' })
    await insertLive(tx, companyId, { key: id, callId: null, owner: me, state: '{}', at: time() })
    await ringBegun(tx, companyId, { callId: null, numberId, ...person, origin: 'CALLBACK', at: time() })
  }

  function ring(request: CallbackRequest, userId: number, tried: readonly number[]): void {
    const { companyId, id, phone, numberId } = request
    const cancel = clock.after(ringMs, () =>
      tasks.run(refused(id, userId, 'no_answer'), 'callback.step_failed', 'could not continue a callback'),
    )
    ringing.set(id, { companyId, request, userId, tried: [...tried], cancel })
    browsers.send(companyId, userId, {
      kind: 'ring',
      key: id,
      callId: null,
      from: phone,
      numberId,
      purpose: 'callback',
    })
  }

  async function refused(id: string, userId: number, outcome: 'no_answer' | 'declined'): Promise<void> {
    const now = ringing.get(id)
    if (now?.userId !== userId) return
    ringing.delete(id)
    now.cancel()
    const { companyId } = now
    await transaction(db, async (tx) => {
      await ringOver(tx, companyId, { callId: null, userId, at: time(), outcome })
      await release(tx, companyId, id, userId)
      await deleteLive(tx, companyId, id)
      await updateRequest(tx, companyId, id, { state: 'waiting' })
    })
    const why = outcome === 'no_answer' ? 'timeout' : 'cancelled'
    browsers.send(companyId, userId, { kind: 'ring_stop', key: id, callId: null, why })
    await serve(companyId, id, [...now.tried, userId])
    freed(companyId, userId, id)
  }

  return {
    serve,
    async take(tx, companyId, id, person) {
      const request = await lockRequest(tx, companyId, id)
      if (request?.state !== 'waiting' || ringing.has(id) || !(await isTime(services, tx, request))) return undefined
      await setAccepting(tx, companyId, id, false)
      await beginRing(tx, request, person)
      return () => ring(request, person.userId, [])
    },
    async answer(id, by) {
      const userId = by.by
      const now = ringing.get(id)
      if (!now) return gone
      if (now.userId !== userId) return notHere
      ringing.delete(id)
      now.cancel()
      const { companyId, request } = now
      const accept = async (tx: Tx) => {
        await ringOver(tx, companyId, { callId: null, userId, at: time(), outcome: 'answered' })
        await releaseAll(tx, companyId, id)
        await deleteLive(tx, companyId, id)
        await updateRequest(tx, companyId, id, { state: 'calling' })
      }
      if (await callBack(request, by, accept)) return { ok: true }
      await transaction(db, (tx) => failed(services, tx, request))
      return { ok: false, refused: 'state', why: 'The customer could not be called' }
    },
    async decline(id, userId) {
      const now = ringing.get(id)
      if (!now) return gone
      if (now.userId !== userId) return notHere
      await refused(id, userId, 'declined')
      return { ok: true }
    },
    async recover(companyId, id) {
      await transaction(db, async (tx) => {
        await deleteLive(tx, companyId, id)
        const request = await lockRequest(tx, companyId, id)
        if (!request) return
        const at = time()
        for (const userId of await releaseRings(tx, companyId, id)) {
          await ringOver(tx, companyId, { callId: null, userId, at, outcome: 'cancelled' })
        }
        await updateRequest(tx, companyId, id, { state: 'waiting' })
        await enqueue(tx, 'callback.serve', { companyId, requestId: id }, time(), serveKey(id))
      })
    },
    stop() {
      for (const { cancel } of ringing.values()) cancel()
    },
  }
}

const notHere: Reply = { ok: false, refused: 'state', why: 'The call does not ring on this user' }

const queryFor = (targets: readonly Target[], except: readonly number[]) =>
  ({ kind: 'find.agents', targets, strategy: 'longest_idle', max: 1, except, consultation: false }) as const

/** Not early, not outside business hours, and not expired. */
async function isTime(services: Services, tx: Tx, request: CallbackRequest): Promise<boolean> {
  const { companyId, id } = request
  const at = services.clock.now()
  if (at >= request.expiresAt) {
    await giveUp(services, tx, request)
    return false
  }
  const number = await findNumber(tx, companyId, request.numberId)
  if (!number) {
    await giveUp(services, tx, request)
    return false
  }
  const isOpen = openNow(number.flow, number.timeZone, at)
  if (isOpen && at >= request.nextAt) return true
  const rule = firstTimeRule(number.flow)?.rule
  const opens = rule?.mode === 'custom' ? nextChange(scheduleOf(rule), number.timeZone, at) : undefined
  const next = isOpen ? request.nextAt : Math.min(opens ?? at + hour, request.expiresAt)
  await setAccepting(tx, companyId, id, false)
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, next, serveKey(id))
  return false
}

/** Until an agent is available, or the request expires. */
async function waitForAgent(tx: Tx, { companyId, id, expiresAt }: CallbackRequest): Promise<void> {
  await setAccepting(tx, companyId, id, true)
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, expiresAt, serveKey(id))
}

/** No agent answered, or the customer did not answer: retried later, while attempts are left. */
async function failed(services: Services, tx: Tx, request: CallbackRequest): Promise<void> {
  const { companyId, id } = request
  const attempts = request.attemptsLeft - 1
  const next = services.clock.now() + request.retrySeconds * second
  if (attempts <= 0 || next >= request.expiresAt) return giveUp(services, tx, request)
  await updateRequest(tx, companyId, id, { state: 'waiting', attempts_left: attempts, next_at: next })
  // Answering left the queue; the request takes its position again.
  await enterQueue(tx, companyId, {
    key: id,
    callId: request.callId,
    targets: request.targets,
    rank: request.rank,
    enteredAt: request.enteredAt,
  })
  await setAccepting(tx, companyId, id, false)
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, next, serveKey(id))
}

async function giveUp(services: Services, tx: Tx, request: CallbackRequest): Promise<void> {
  const { companyId, id, callId } = request
  await updateRequest(tx, companyId, id, { state: 'done', attempts_left: 0 })
  await leaveQueue(tx, companyId, id)
  const call = await lockCall(tx, companyId, callId)
  if (!call || call.archived) return
  await updateCall(tx, companyId, callId, { archived: 1 })
  await publish(services, tx, companyId, [{ kind: 'call', event: 'archived', callId }])
}

/** The customer was reached, or one attempt is used up. */
export async function callbackTried(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  askedBy: number,
  wasReached: boolean,
): Promise<void> {
  const id = await requestOf(tx, companyId, askedBy)
  const request = id === undefined ? undefined : await lockRequest(tx, companyId, id)
  if (!request) return
  if (wasReached) await giveUp(services, tx, request)
  else await failed(services, tx, request)
}
