import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallbackParams, Found } from '../domain/call/events.ts'
import { firstTimeRule, openNow, scheduleOf } from '../domain/flow/time-rule.ts'
import { nextChange } from '../domain/opening-hours.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { putTags } from '../features/calls/calls/notes-store.ts'
import { lockCall, updateCall } from '../features/calls/calls/store.ts'
import { ensureTag } from '../features/calls/tags/store.ts'
import { publish } from '../features/publishing/index.ts'
import { enqueue } from '../jobs/queue.ts'
import { hour, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { deleteLive, insertLive } from './active-call-store.ts'
import { type CallbackRequest, insertRequest, lockRequest, requestOf, updateRequest } from './callback-store.ts'
import { enterQueue, leaveQueue, setAccepting } from './queue-store.ts'
import { release, releaseAll, releaseRings, ringOver, ringStarted } from './ring-store.ts'

// The states of a callback request, each change in one transaction: waiting, ringing an agent, calling the customer,
// done.

const prefix = 'cb_'
export const isCallback = (key: string) => key.startsWith(prefix)

const tagName = 'Callback Request'

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

/** Not early, not outside business hours, and not expired. */
export async function isDue(services: Services, tx: Tx, request: CallbackRequest): Promise<boolean> {
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
export async function waitForAgent(tx: Tx, { companyId, id, expiresAt }: CallbackRequest): Promise<void> {
  await setAccepting(tx, companyId, id, true)
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, expiresAt, serveKey(id))
}

/** An agent is rung: the request is ringing, and the process owns it. */
export async function beginAgentRing(
  tx: Tx,
  { companyId, id, numberId }: CallbackRequest,
  person: Found,
  { owner, at }: { owner: string; at: number },
): Promise<void> {
  await updateRequest(tx, companyId, id, { state: 'ringing' })
  await insertLive(tx, companyId, { key: id, callId: null, owner, state: '{}', at })
  await ringStarted(tx, companyId, { callId: null, numberId, ...person, origin: 'CALLBACK', at })
}

/** The agent did not answer: the request waits again. */
export async function endAgentRing(
  tx: Tx,
  { companyId, id }: CallbackRequest,
  { userId, at, outcome }: { userId: number; at: number; outcome: 'no_answer' | 'declined' },
): Promise<void> {
  await ringOver(tx, companyId, { callId: null, userId, at, outcome })
  await release(tx, companyId, id, userId)
  await deleteLive(tx, companyId, id)
  await updateRequest(tx, companyId, id, { state: 'waiting' })
}

/** The agent answered: the customer is called. */
export async function answerAgentRing(
  tx: Tx,
  { companyId, id }: CallbackRequest,
  { userId, at }: { userId: number; at: number },
): Promise<void> {
  await ringOver(tx, companyId, { callId: null, userId, at, outcome: 'answered' })
  await releaseAll(tx, companyId, id)
  await deleteLive(tx, companyId, id)
  await updateRequest(tx, companyId, id, { state: 'calling' })
}

/** The process that rang an agent has ended: the request waits again. */
export async function recoverRequest(tx: Tx, companyId: CompanyId, id: string, at: number): Promise<void> {
  await deleteLive(tx, companyId, id)
  const request = await lockRequest(tx, companyId, id)
  if (!request) return
  for (const userId of await releaseRings(tx, companyId, id)) {
    await ringOver(tx, companyId, { callId: null, userId, at, outcome: 'cancelled' })
  }
  await updateRequest(tx, companyId, id, { state: 'waiting' })
  await enqueue(tx, 'callback.serve', { companyId, requestId: id }, at, serveKey(id))
}

/** No agent answered, or the customer did not answer: retried later, while attempts are left. */
export async function retryLater(services: Services, tx: Tx, request: CallbackRequest): Promise<void> {
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
  else await retryLater(services, tx, request)
}
