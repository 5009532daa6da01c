import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallCommand } from '../domain/call/commands.ts'
import type { Found } from '../domain/call/events.ts'
import type { Target } from '../domain/flow/document.ts'
import { type Cancel, second } from '../lib/clock.ts'
import type { Reply, Services } from '../services.ts'
import { gone } from './active-call.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import {
  answerAgentRing,
  beginAgentRing,
  endAgentRing,
  isDue,
  recoverRequest,
  retryLater,
  waitForAgent,
} from './callback-requests.ts'
import { type CallbackRequest, lockRequest } from './callback-store.ts'
import type { RandomSource } from './persist-effects.ts'
import { setAccepting } from './queue-store.ts'
import { findPeople } from './routing-data.ts'

// A caller who requested a callback keeps the position in the queue: an agent is rung first, then the customer is
// called.

const ringMs = 20 * second

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
  request: CallbackRequest
  userId: number
  tried: readonly number[]
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

export function createCallbacks(options: CallbacksOptions): Callbacks {
  const { services, me, random, now: time, callBack, freed, tasks } = options
  const { db, clock, liveHub } = services
  const ringing = new Map<string, Ringing>()

  /** Rings the next available agent, or waits for one. */
  async function serve(companyId: CompanyId, id: string, tried: readonly number[] = []): Promise<void> {
    if (ringing.has(id)) return
    const found = await transaction(db, async (tx) => {
      const request = await lockRequest(tx, companyId, id)
      if (request?.state !== 'waiting' || !(await isDue(services, tx, request))) return undefined
      const query = queryFor(request.targets, tried)
      const { people } = await findPeople(tx, companyId, id, query, time(), (userId) => random(id, userId))
      const [person] = people
      if (!person) {
        await (tried.length > 0 ? retryLater(services, tx, request) : waitForAgent(tx, request))
        return undefined
      }
      await setAccepting(tx, companyId, id, false)
      await beginAgentRing(tx, request, person, { owner: me, at: time() })
      return { request, person }
    })
    if (found) ring(found.request, found.person.userId, tried)
  }

  function ring(request: CallbackRequest, userId: number, tried: readonly number[]): void {
    const { companyId, id, phone, numberId } = request
    const cancel = clock.after(ringMs, () =>
      tasks.run(refused(id, userId, 'no_answer'), 'callback.step_failed', 'could not continue a callback'),
    )
    ringing.set(id, { request, userId, tried, cancel })
    liveHub.send(companyId, userId, {
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
    const { companyId } = now.request
    await transaction(db, (tx) => endAgentRing(tx, now.request, { userId, at: time(), outcome }))
    const why = outcome === 'no_answer' ? 'timeout' : 'cancelled'
    liveHub.send(companyId, userId, { kind: 'ring_stop', key: id, callId: null, why })
    await serve(companyId, id, [...now.tried, userId])
    freed(companyId, userId, id)
  }

  return {
    serve,
    async take(tx, companyId, id, person) {
      const request = await lockRequest(tx, companyId, id)
      if (request?.state !== 'waiting' || ringing.has(id) || !(await isDue(services, tx, request))) return undefined
      await setAccepting(tx, companyId, id, false)
      await beginAgentRing(tx, request, person, { owner: me, at: time() })
      return () => ring(request, person.userId, [])
    },
    async answer(id, by) {
      const userId = by.by
      const now = ringing.get(id)
      if (!now) return gone
      if (now.userId !== userId) return notHere
      ringing.delete(id)
      now.cancel()
      const { request } = now
      if (await callBack(request, by, (tx) => answerAgentRing(tx, request, { userId, at: time() }))) return { ok: true }
      await transaction(db, (tx) => retryLater(services, tx, request))
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
      await transaction(db, (tx) => recoverRequest(tx, companyId, id, time()))
    },
    stop() {
      for (const { cancel } of ringing.values()) cancel()
    },
  }
}

const notHere: Reply = { ok: false, refused: 'state', why: 'The call does not ring on this user' }

const queryFor = (targets: readonly Target[], except: readonly number[]) =>
  ({ kind: 'find.agents', targets, strategy: 'longest_idle', max: 1, except, consultation: false }) as const
