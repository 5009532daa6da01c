import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Found } from '../domain/call/events.ts'
import type { Services } from '../services.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { CallMessages } from './call-messages.ts'
import { isCallback } from './callback-requests.ts'
import type { Callbacks } from './callbacks.ts'
import { headsFor } from './queue-store.ts'
import { release, reserve, ringStates } from './ring-store.ts'

/** Offers agents who become available to the calls that wait in the queue. */
export interface AgentOffers {
  /** `notFor`: the call that released the agent; null: the agent became available. */
  freed(companyId: CompanyId, userId: number, notFor: string | null): void
}

interface Options {
  services: Services
  callbacks: Pick<Callbacks, 'take'>
  messages: Pick<CallMessages, 'deliver'>
  tasks: BackgroundTasks
}

export function createAgentOffers({ services, callbacks, messages, tasks }: Options): AgentOffers {
  const { db, clock } = services
  /** Calls that released an offered agent, until the agent becomes available again. */
  const unwanted = new Map<number, Set<string>>()

  /** Offers an available agent to the first call in the queue. */
  async function offer(companyId: CompanyId, userId: number): Promise<void> {
    if ((await headsFor(db, companyId, userId)).length === 0) return
    const notify = await transaction(db, (tx) => reserveForHead(tx, companyId, userId))
    await notify?.()
  }

  /** Returns how the call that reserved the agent is notified after the commit. */
  async function reserveForHead(tx: Tx, companyId: CompanyId, userId: number) {
    const state = (await ringStates(tx, companyId, [userId])).get(userId)
    if (state?.availability !== 'available' || state.reservedBy !== null) return undefined
    for (const { key, teamId } of await headsFor(tx, companyId, userId)) {
      if (unwanted.get(userId)?.has(key)) continue
      if (!(await reserve(tx, companyId, key, userId, clock.now()))) return undefined
      if (!isCallback(key)) return () => notifyAgentAvailable(companyId, key, { userId, teamId })
      const ring = await callbacks.take(tx, companyId, key, { userId, teamId })
      if (ring) return ring
      await release(tx, companyId, key, userId)
    }
    return undefined
  }

  async function notifyAgentAvailable(companyId: CompanyId, key: string, person: Found): Promise<void> {
    const reply = await messages.deliver(key, { happening: { kind: 'agent.free', ...person } })
    if (!reply.ok) await release(db, companyId, key, person.userId)
  }

  return {
    freed(companyId, userId, notFor) {
      if (notFor === null) unwanted.delete(userId)
      else unwanted.set(userId, (unwanted.get(userId) ?? new Set()).add(notFor))
      tasks.run(offer(companyId, userId), 'queue.offer_failed', 'could not offer an available agent')
    },
  }
}
