import { randomInt } from 'node:crypto'
import type { SmppSettings } from '../features/messages/carriers/settings.ts'
import { delay, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Arrivals, Handover, MessageCarrier, OutgoingMessage } from './carrier.ts'
import type { Parts } from './parts.ts'
import { createSmppConnection, type SmppConnectionOptions } from './smpp-connection.ts'
import { refOfReceipt, refOfSubmitted } from './smpp-message-ids.ts'
import { receiptOutcomes, refusedBySmpp, submitOutcome, throttledMs } from './smpp-outcomes.ts'
import { type Delivered, readDelivered, type Short, status } from './smpp-pdu.ts'
import type { SmppSession } from './smpp-session.ts'
import { e164Of, isReceipt, pieceOf, receiptOf, submitted } from './smpp-text.ts'

// A carrier over SMPP 3.4.

interface Needs {
  services: Pick<Services, 'clock' | 'log' | 'outbound'>
  settings: SmppSettings
  password: string
  arrivals: Arrivals
  parts: Parts
  /** Shortened in tests. */
  times?: SmppConnectionOptions['times']
}

/** Fallback delay; queues are normally resumed when the carrier is connected again. */
const awayMs = 30 * second
/** After so many system errors for one message it counts as rejected. */
const maxSystemErrors = 5
/** Retries between the parts of one message, since some parts are already sent. */
const maxThrottled = 30

export function createSmppCarrier({ arrivals, parts, ...options }: Needs): MessageCarrier {
  const { settings } = options
  const { clock, log } = options.services
  const connection = createSmppConnection({ ...options, delivered, onState: arrivals.state })
  let reference = randomInt(0x10000)
  /** Number of system errors by message id. */
  const systemErrors = new Map<string, number>()
  let sending = 0
  let whenSent: () => void = () => {}

  async function delivered(body: Buffer): Promise<void> {
    const message = readDelivered(body)
    if (isReceipt(message)) return report(message)
    const { text, part } = pieceOf(message)
    const [from, to] = [e164Of(message.source), e164Of(message.destination)]
    const clean = text.replaceAll('\0', '')
    if (part) return parts.add({ ...part, from, to, body: clean })
    await arrivals.received({ ref: null, channel: null, from, to, body: clean.toWellFormed(), media: [] })
  }

  async function report(message: Delivered): Promise<void> {
    const receipt = receiptOf(message)
    if (!receipt)
      return log.info(
        { event: 'smpp.receipt_invalid', host: settings.host },
        'delivery receipt without message id or state',
      )
    const outcome = receiptOutcomes[receipt.state]
    if (outcome) await arrivals.reported({ ref: refOfReceipt(settings.receipt_ids, receipt), ...outcome })
  }

  async function send(message: OutgoingMessage): Promise<Handover> {
    if (message.channel !== null) return refusedBySmpp(30008, 'This carrier does not support WhatsApp')
    if (message.media.length > 0) return refusedBySmpp(63021, 'SMPP carries text only, no files')
    const session = await connection.session()
    if (!session) return { kind: 'later', afterMs: awayMs, why: connection.trouble() }
    reference = (reference + 1) & 0xffff
    const refs: string[] = []
    for (const short of shortMessages(settings, message, reference)) {
      const taken = await submit(session, short, message.id, refs.length > 0)
      if (typeof taken !== 'string') return taken
      refs.push(refOfSubmitted(settings.receipt_ids, taken))
    }
    systemErrors.delete(message.id)
    return { kind: 'taken', refs }
  }

  /** The carrier's id of one part, or the outcome of the whole message. */
  async function submit(
    session: SmppSession,
    short: Short,
    id: string,
    isStarted: boolean,
  ): Promise<string | Handover> {
    for (let tries = 1; ; tries++) {
      const answer = await session.submit(short)
      if (answer === 'broken') {
        return { kind: 'unknown', why: 'The connection broke before the carrier answered' }
      }
      if (answer.status === status.ok) return answer.id
      const outcome = submitOutcome(answer.status)
      if (outcome.kind !== 'later') return outcome
      if (!isStarted) return answer.status === status.systemError ? afterSystemError(id, outcome) : outcome
      if (!connection.isRunning()) return { kind: 'unknown', why: 'Stopped after a part of the message was sent' }
      if (tries >= maxThrottled) return refusedBySmpp(30008, 'The carrier accepted only a part of the message')
      await delay(clock, throttledMs)
    }
  }

  function afterSystemError(id: string, outcome: Handover): Handover {
    const times = (systemErrors.get(id) ?? 0) + 1
    if (times < maxSystemErrors) {
      systemErrors.set(id, times)
      return outcome
    }
    systemErrors.delete(id)
    return refusedBySmpp(30008, 'The carrier repeatedly reports a system error for this message')
  }

  /** Without the pending responses it is unknown whether the messages were accepted. */
  async function allSent(): Promise<void> {
    if (sending === 0) return
    await new Promise<void>((resolve) => {
      whenSent = resolve
    })
  }

  return {
    isIdempotent: false,
    async send(message) {
      sending++
      try {
        return await send(message)
      } finally {
        if (--sending === 0) whenSent()
      }
    },
    start() {
      parts.start()
      connection.start()
    },
    async stop() {
      await connection.stop(allSent)
      await parts.stop()
    },
  }
}

/** The parts of a message. */
function shortMessages(settings: SmppSettings, { from, to, body }: OutgoingMessage, reference: number): Short[] {
  const addressOf = (digits: string) => ({
    ton: 1,
    npi: 1,
    digits: settings.number_form === 'plus' ? digits : digits.replace(/^\+/, ''),
  })
  return submitted(body, settings.long_reference === '16' ? 16 : 8, reference).map((piece) => ({
    serviceType: '',
    source: addressOf(from),
    destination: addressOf(to),
    registeredDelivery: 1,
    ...piece,
  }))
}
