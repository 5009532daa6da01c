import { randomInt } from 'node:crypto'
import type { TroubleCode } from '../domain/message.ts'
import type { SmppSettings } from '../features/messages/carriers/settings.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Arrivals, Handover, MessageCarrier, OutgoingMessage } from './carrier.ts'
import type { Parts } from './parts.ts'
import { type Delivered, readDelivered, type Short, status } from './smpp-pdu.ts'
import { SmppSession } from './smpp-session.ts'
import { e164Of, isReceipt, pieceOf, type Receipt, type ReceiptState, receiptOf, submitted } from './smpp-text.ts'

// A carrier over SMPP 3.4: bound as transceiver, reconnected without limit.

interface Needs {
  services: Pick<Services, 'clock' | 'log' | 'outbound'>
  settings: SmppSettings
  password: string
  arrivals: Arrivals
  parts: Parts
  /** Shortened in tests. */
  times?: Partial<typeof defaultTimes>
}

const defaultTimes = { answerMs: 30 * second, firstPauseMs: second, maxPauseMs: minute }
const throttledMs = 2 * second
/** Fallback delay; queues are normally resumed when the carrier is connected again. */
const awayMs = 30 * second
const systemErrorMs = 10 * second
/** After so many system errors for one message it counts as rejected. */
const maxSystemErrors = 5
/** Retries between the parts of one message, since some parts are already sent. */
const maxThrottled = 30

export function createSmppCarrier({ services, settings, password, arrivals, parts, times }: Needs): MessageCarrier {
  const { clock, log, outbound } = services
  const { answerMs, firstPauseMs, maxPauseMs } = { ...defaultTimes, ...times }
  let session: SmppSession | undefined
  let connecting: Promise<SmppSession | undefined> | undefined
  let trouble = 'not connected yet'
  let pauseMs = firstPauseMs
  let failedAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let cancelAgain: Cancel = () => {}
  let reference = randomInt(0x10000)
  /** Number of system errors by message id. */
  const systemErrors = new Map<string, number>()
  let sending = 0
  let whenSent: () => void = () => {}

  async function connect(): Promise<SmppSession | undefined> {
    const { host, port, tls, system_id: systemId, system_type: systemType } = settings
    const socket = await outbound.connect({ host, port, tls })
    if ('problem' in socket) return failed(connectTrouble(socket.problem, socket.detail))
    const made = new SmppSession({
      clock,
      socket,
      keepAliveMs: settings.keep_alive_seconds * second,
      answerMs,
      window: settings.window,
      delivered,
      ended: (why) => ended(made, why),
    })
    const answer = await made.bind({ systemId, password, systemType: systemType ?? '' })
    if (answer === undefined) return failed('The connection ended before the carrier answered')
    if (answer !== status.ok) {
      made.break('not bound')
      // The settings are wrong; retrying every second could lock the account.
      pauseMs = maxPauseMs
      return failed(bindTrouble(answer))
    }
    if (!isRunning) {
      await made.close()
      return undefined
    }
    if (made.isOver) return failed('The carrier closed the connection')
    session = made
    pauseMs = firstPauseMs
    arrivals.state(true, null)
    return made
  }

  function failed(why: string): undefined {
    trouble = why
    failedAt = clock.machineNow()
    if (!isRunning) return undefined
    log.info({ event: 'smpp.disconnected', host: settings.host, why }, 'SMPP carrier is not connected')
    arrivals.state(false, why)
    cancelAgain()
    cancelAgain = clock.machineAfter(pauseMs, () => void ensure(true))
    pauseMs = Math.min(maxPauseMs, pauseMs * 2)
    return undefined
  }

  function ended(which: SmppSession, why: string): void {
    if (session !== which) return
    session = undefined
    failed(why)
  }

  /** A message to send ends the reconnect delay, unless the last failure was just now. */
  async function ensure(now = false): Promise<SmppSession | undefined> {
    if (session || !isRunning) return session
    if (!now && !connecting && clock.machineNow() - failedAt < firstPauseMs) return undefined
    connecting ??= connect().finally(() => {
      connecting = undefined
    })
    return connecting
  }

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
    const outcome = outcomes[receipt.state]
    if (outcome) await arrivals.reported({ ref: refOfReceipt(receipt), ...outcome })
  }

  const refOfReceipt = ({ id, from }: Receipt) =>
    from === 'field' ? refOf(id) : numberIn(id, settings.receipt_ids === 'hexadecimal' ? 16 : 10)

  /** If receipts use another number format for ids, both are stored as decimal numbers. */
  const refOf = (id: string) => numberIn(id, settings.receipt_ids === 'decimal' ? 16 : 10)

  function numberIn(id: string, base: 10 | 16): string {
    if (settings.receipt_ids === 'same') return id
    const isNumber = base === 16 ? /^[0-9a-f]{1,64}$/i.test(id) : /^\d{1,64}$/.test(id)
    return isNumber ? BigInt(base === 16 ? `0x${id}` : id).toString() : id
  }

  const addressOf = (digits: string) => ({
    ton: 1,
    npi: 1,
    digits: settings.number_form === 'plus' ? digits : digits.replace(/^\+/, ''),
  })

  async function send(message: OutgoingMessage): Promise<Handover> {
    if (message.channel !== null) return refused(30008, 'This carrier does not support WhatsApp')
    if (message.media.length > 0) return refused(63021, 'SMPP carries text only, no files')
    const open = await ensure()
    if (!open) return { outcome: 'later', afterMs: awayMs, why: trouble }
    reference = (reference + 1) & 0xffff
    const pieces = submitted(message.body, settings.long_reference === '16' ? 16 : 8, reference)
    const refs: string[] = []
    for (const piece of pieces) {
      const short = {
        serviceType: '',
        source: addressOf(message.from),
        destination: addressOf(message.to),
        registeredDelivery: 1,
        ...piece,
      }
      const taken = await submit(open, short, message.id, refs.length > 0)
      if (typeof taken !== 'string') return taken
      refs.push(refOf(taken))
    }
    systemErrors.delete(message.id)
    return { outcome: 'taken', refs }
  }

  /** The carrier's id of one part, or the outcome of the whole message. */
  async function submit(open: SmppSession, short: Short, id: string, isStarted: boolean): Promise<string | Handover> {
    for (let tries = 1; ; tries++) {
      const answer = await open.submit(short)
      if (answer === 'broken') {
        return { outcome: 'unknown', why: 'The connection broke before the carrier answered' }
      }
      if (answer.status === status.ok) return answer.id
      const verdict = verdictOf(answer.status)
      if (verdict.outcome !== 'later') return verdict
      if (!isStarted) return answer.status === status.systemError ? afterSystemError(id, verdict) : verdict
      if (!isRunning) return { outcome: 'unknown', why: 'Stopped after a part of the message was sent' }
      if (tries >= maxThrottled) return refused(30008, 'The carrier accepted only a part of the message')
      await new Promise<void>((resolve) => void clock.machineAfter(throttledMs, resolve))
    }
  }

  function afterSystemError(id: string, verdict: Handover): Handover {
    const times = (systemErrors.get(id) ?? 0) + 1
    if (times < maxSystemErrors) {
      systemErrors.set(id, times)
      return verdict
    }
    systemErrors.delete(id)
    return refused(30008, 'The carrier repeatedly reports a system error for this message')
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
      isRunning = true
      parts.start()
      void ensure(true)
    },
    async stop() {
      isRunning = false
      cancelAgain()
      await connecting
      // Wait for pending responses: without them it is unknown whether the message was accepted.
      if (session && sending > 0) {
        await new Promise<void>((resolve) => {
          whenSent = resolve
        })
      }
      const last = session
      session = undefined
      await last?.close()
      await parts.stop()
    },
  }
}

const refused = (code: TroubleCode, why: string): Handover => ({ outcome: 'refused', code, why })

const outcomes: Partial<Record<ReceiptState, { status: 'delivered' | 'undelivered'; code: TroubleCode | null }>> = {
  DELIVRD: { status: 'delivered', code: null },
  EXPIRED: { status: 'undelivered', code: 30003 },
  DELETED: { status: 'undelivered', code: 30008 },
  UNDELIV: { status: 'undelivered', code: 30003 },
  UNKNOWN: { status: 'undelivered', code: 30008 },
  REJECTD: { status: 'undelivered', code: 30007 },
}

/** SMPP 3.4 §5.1.3, and common codes of later versions. */
function verdictOf(code: number): Handover {
  const why = `The carrier answered 0x${code.toString(16).padStart(8, '0')}`
  switch (code) {
    case status.throttled:
    case status.queueFull:
      return { outcome: 'later', afterMs: throttledMs, why: 'The carrier throttles messages' }
    case status.systemError:
    case status.temporaryApplicationError:
    case status.wrongBindStatus:
      return { outcome: 'later', afterMs: systemErrorMs, why: why }
    case status.invalidDestination:
    case 0x50:
    case 0x51:
      return refused(30005, why)
    case 0x101:
    case 0x102:
      return refused(30007, why)
    default:
      return refused(30008, why)
  }
}

function bindTrouble(code: number): string {
  switch (code) {
    case status.wrongPassword:
    case status.wrongSystemId:
      return 'The carrier rejects the account: check system ID and password'
    case status.alreadyBound:
      return 'The carrier reports that the account is already bound'
    case status.bindFailed:
      return 'The carrier rejects the bind: check the account, and whether this server’s address is allowed'
    default:
      return `The carrier rejects the bind (0x${code.toString(16).padStart(8, '0')})`
  }
}

function connectTrouble(problem: string, detail: string): string {
  if (problem === 'not_allowed') return 'The host is not allowed: its address is not public'
  if (problem === 'tls') return `TLS failed: ${detail}`
  if (problem === 'timeout') return 'Connection timed out: check host and port'
  if (detail.includes('ECONNREFUSED')) return 'Connection refused: check host and port'
  if (detail.includes('ENOTFOUND')) return 'The host name does not resolve'
  return `Connection failed: ${detail}`
}
