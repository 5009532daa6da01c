import { transaction } from '../db/database.ts'
import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { statusOfAll, type TroubleCode } from '../domain/message.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { findLine, type MessageLine } from '../features/messages/lines/store.ts'
import { mediumUrl } from '../features/messages/messages/links.ts'
import { busyLines, lockMessages, type Message, queueOf, setQueued } from '../features/messages/messages/store.ts'
import { changeStatuses } from '../features/messages/transport/status.ts'
import { insertPieces, piecesOf } from '../features/messages/transport/store.ts'
import { second } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import type { Services } from '../services.ts'
import type { CarrierTemplateParams, Handover, MessageCarrier, OutgoingMedium, OutgoingMessage } from './carrier.ts'
import { createLeases, type Keep, noLeases } from './leases.ts'
import { createMessageQueues } from './message-queues.ts'
import { type SendRefusal, sendRefusalOf } from './refusals.ts'
import { takeSimulated } from './simulator.ts'

/** The route of a Number's messages: simulated recipients, a carrier, or none while no carrier is connected. */
export type Way = 'simulated' | { id: number; carrier: MessageCarrier } | undefined

interface Parts {
  services: Services
  /** Several processes serve the same queues. */
  shared: boolean
  wayOf(line: MessageLine, channel: 'texts' | 'whatsapp'): Way
  /** Parts were sent: reports that arrived too early are applied now. */
  handed(companyId: CompanyId, carrierId: number, refs: readonly string[]): Promise<void>
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
          await new Promise<void>((resolve) => clock.machineAfter(gatherMs, resolve))
          hasGathered = true
          continue
        }
        await simulate(companyId, until < 0 ? queue : queue.slice(0, until))
        hasGathered = false
        if (pace === 0) writtenAt.set(key, clock.machineNow())
      } else {
        const wait = await handOver(companyId, line, head, way, isStillOurs)
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

  /** Resolves with the delay before the next try. */
  async function handOver(
    companyId: CompanyId,
    line: MessageLine,
    message: Message,
    { id: carrierId, carrier }: Exclude<Way, 'simulated' | undefined>,
    isStillOurs: Keep,
  ): Promise<number> {
    const refusal = await sendRefusalOf(services, companyId, message)
    if (refusal) {
      await finish(companyId, message.rowId, 'failed', refusal.code)
      return 0
    }
    const number = await findNumber(db, companyId, message.numberId)
    if (!number) {
      await finish(companyId, message.rowId, 'failed', 30008, 'The Number was deleted')
      return 0
    }
    const done = await piecesOf(db, companyId, message.rowId)
    const reached = new Set(done.map(({ recipient }) => recipient))
    const left = (message.participants ?? [message.external ?? '']).filter((phone) => !reached.has(phone))
    let place = done.length
    let code: TroubleCode | undefined
    let why: string | undefined
    // A process that died while sending may or may not have sent it.
    let isInDoubt = message.queued === 2
    for (const to of left) {
      if (!(await isStillOurs())) return second
      let handover: Handover = { outcome: 'unknown', why: 'The connection broke before the carrier answered' }
      if (!isInDoubt || carrier.isIdempotent) {
        await setQueued(db, companyId, message.rowId, 2)
        handover = await carrier.send(outgoing(message, number.digits, to, line))
      }
      isInDoubt = false
      if (handover.outcome === 'later' || (handover.outcome === 'unknown' && carrier.isIdempotent)) {
        await setQueued(db, companyId, message.rowId, 1)
        return handover.outcome === 'later' ? Math.max(handover.afterMs, 1) : pauseMs
      }
      const refs = handover.outcome === 'taken' ? handover.refs : []
      if (handover.outcome !== 'taken') {
        code = handover.outcome === 'refused' ? handover.code : 30008
        why = handover.why
      }
      const pieces =
        handover.outcome === 'taken'
          ? refs.map((ref) => ({ ref, status: 'handed' as const }))
          : [{ ref: null, status: 'failed' as const }]
      await insertPieces(
        db,
        companyId,
        pieces.map((piece) => ({
          ...piece,
          message_row: message.rowId,
          place: place++,
          recipient: to,
          carrier_id: carrierId,
        })),
      )
      if (refs.length > 0) await handed(companyId, carrierId, refs)
    }
    const all = await piecesOf(db, companyId, message.rowId)
    await finish(companyId, message.rowId, statusOfAll(all.map(({ status }) => status)), code, why)
    return 0
  }

  async function finish(
    companyId: CompanyId,
    rowId: number,
    status: Message['status'],
    code?: TroubleCode,
    why?: string,
  ): Promise<void> {
    await transaction(db, async (tx) => {
      const [message] = await lockMessages(tx, companyId, [rowId])
      if (!message) return
      await changeStatuses(services, tx, companyId, [
        { message, status, ...(code !== undefined && { code }), ...(why !== undefined && { why }) },
      ])
      // A report that arrived meanwhile may have changed the status already.
      await setQueued(tx, companyId, rowId, 0)
    })
  }

  function outgoing(message: Message, from: string, to: string, line: MessageLine): OutgoingMessage {
    const { vault, links, files } = services
    const media = message.media.flatMap(({ name, type, file }): OutgoingMedium[] =>
      file === null
        ? []
        : [
            {
              name,
              type,
              url: mediumUrl(
                vault,
                links,
                { companyId: message.companyId, messageRow: message.rowId, file },
                clock.now(),
              ),
              read: async () => Buffer.concat(await files.read(file).toArray()),
            },
          ],
    )
    const { templateContent } = message
    return {
      // A group message is sent once per recipient.
      id: message.participants === null ? message.id : `${message.id}-${to.slice(1)}`,
      channel: message.channel,
      from,
      to,
      phoneNumberId: line.phoneNumberId,
      body: message.body,
      media,
      template:
        templateContent === null
          ? null
          : {
              name: templateContent.name,
              language: templateContent.language,
              params: (message.templateParams ?? {}) as CarrierTemplateParams,
            },
    }
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
