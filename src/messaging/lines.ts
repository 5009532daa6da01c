import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { findLine, type MessageLine } from '../features/messages/lines/store.ts'
import { busyLines, type Message, queueOf } from '../features/messages/messages/store.ts'
import { delay, second } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import type { Services } from '../services.ts'
import type { MessageCarrier } from './carrier.ts'
import { type HandoverOptions, handOver } from './handover.ts'
import { createLeases, type Keep, noLeases } from './leases.ts'
import { createMessageQueues } from './message-queues.ts'
import { type SendRefusal, sendRefusalOf } from './refusals.ts'
import { takeSimulated } from './simulator.ts'

/** The route of a Number's messages: simulated recipients, a carrier, or none while no carrier is connected. */
export type Way = 'simulated' | { carrierId: number; carrier: MessageCarrier } | undefined

interface Parts {
  services: Services
  /** Several processes serve the same queues. */
  shared: boolean
  wayOf(line: MessageLine, channel: 'texts' | 'whatsapp'): Way
  handed: HandoverOptions['handed']
}

const maxConcurrent = 64
const pauseMs = 30 * second
const sweepMs = 30 * second
const gatherMs = 50

/** Sends the messages of every Number in order, within its rate limit. */
export function createLines({ services, shared, wayOf, handed }: Parts) {
  const { db, clock, log } = services
  const leases = shared ? createLeases({ db, clock }) : noLeases
  const lanes = createMessageQueues({ clock, log, work })
  /** Time of the last write per queue that is processed in batches: simulated messages without a rate limit. */
  const writtenAt = new Map<string, number>()
  const handover: HandoverOptions = { services, handed, retryMs: pauseMs }
  let unsubscribe = () => {}
  let cancelSweep = () => {}

  async function work(key: string): Promise<void> {
    const [company, number, channel] = key.split(':')
    const [companyId, numberId] = [Number(company), Number(number)]
    const queue = channel === 'whatsapp' ? 'whatsapp' : 'texts'
    const isDone = await leases.holding(companyId, numberId, async (isStillOurs) => {
      await drain(key, companyId, numberId, queue, isStillOurs)
      return true
    })
    // Another process holds the lease and continues; the sweep covers a process that dies meanwhile.
    if (!isDone) lanes.delay(key, second, 'pause')
  }

  async function drain(
    key: string,
    companyId: CompanyId,
    numberId: number,
    channel: 'texts' | 'whatsapp',
    isStillOurs: Keep,
  ) {
    let hasGathered = clock.machineNow() - (writtenAt.get(key) ?? 0) > gatherMs
    for (;;) {
      const queue = await queueOf(db, companyId, numberId, channel, writtenAt.has(key) ? maxConcurrent : 1)
      const [head] = queue
      // Its files are being downloaded; the job schedules the queue again.
      if (!head || head.fetching) return
      if (!(await isStillOurs())) return lanes.delay(key, second, 'pause')
      const line = await findLine(db, companyId, numberId)
      const pace = line.perSecond === null ? 0 : second / line.perSecond
      const way = wayOf(line, channel)
      if (!way) return lanes.delay(key, pauseMs, 'pause')
      if (way !== 'simulated' || pace > 0) writtenAt.delete(key)
      if (way === 'simulated') {
        const until = queue.findIndex(({ fetching }) => fetching)
        // Batching: a transaction costs more than the messages in it.
        if (!hasGathered && writtenAt.has(key) && queue.length < maxConcurrent) {
          await delay(clock, gatherMs)
          hasGathered = true
          continue
        }
        await simulate(companyId, until < 0 ? queue : queue.slice(0, until))
        hasGathered = false
        if (pace === 0) writtenAt.set(key, clock.machineNow())
      } else {
        const wait = await handOver(handover, companyId, { line, message: head, ...way, isStillOurs })
        if (wait > 0) return lanes.delay(key, wait, 'pause')
      }
      if (pace > 0) return lanes.delay(key, pace, 'pace')
    }
  }

  async function simulate(companyId: CompanyId, messages: readonly Message[]): Promise<void> {
    const refusals = new Map<number, SendRefusal>()
    for (const message of messages) {
      const refusal = await sendRefusalOf(services, companyId, message)
      if (refusal) refusals.set(message.rowId, refusal)
    }
    await takeSimulated(services, companyId, messages, refusals)
  }

  async function lookEverywhere(): Promise<void> {
    for (const { companyId, numberId } of await busyLines(db)) {
      for (const channel of ['texts', 'whatsapp']) lanes.resume(`${companyId}:${numberId}:${channel}`)
    }
  }

  function sweep(): void {
    lookEverywhere().catch((error: unknown) =>
      log.warn({ event: 'messages.sweep_failed', error }, 'message queues could not be read'),
    )
  }

  return {
    async start() {
      unsubscribe = listen(db, 'messages', lanes.schedule)
      if (shared) cancelSweep = every(clock, sweepMs, sweep)
      await lookEverywhere()
    },
    /** A carrier was connected or configured. */
    lookAgain: sweep,
    settle: lanes.settle,
    async stop() {
      unsubscribe()
      cancelSweep()
      await lanes.stop()
    },
  }
}
