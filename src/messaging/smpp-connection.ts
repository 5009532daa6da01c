import type { SmppSettings } from '../features/messages/carriers/settings.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Arrivals } from './carrier.ts'
import { status } from './smpp-pdu.ts'
import { SmppSession } from './smpp-session.ts'

/** The session of an SMPP account: bound as transceiver, reconnected without limit while it is started. */
export interface SmppConnection {
  /** The bound session, connecting if necessary; undefined while the carrier cannot be reached. */
  session(): Promise<SmppSession | undefined>
  /** Why there is no session. */
  trouble(): string
  isRunning(): boolean
  start(): void
  /** `beforeClose` runs while the session is still bound. */
  stop(beforeClose: () => Promise<void>): Promise<void>
}

export interface SmppConnectionOptions {
  services: Pick<Services, 'clock' | 'log' | 'outbound'>
  settings: SmppSettings
  password: string
  /** Resolves when the message or report is stored. */
  delivered(body: Buffer): Promise<void>
  onState: Arrivals['state']
  times?: Partial<typeof defaultTimes> | undefined
}

const defaultTimes = { answerMs: 30 * second, firstPauseMs: second, maxPauseMs: minute }

export function createSmppConnection(options: SmppConnectionOptions): SmppConnection {
  const { settings, password, delivered, onState } = options
  const { clock, log, outbound } = options.services
  const { answerMs, firstPauseMs, maxPauseMs } = { ...defaultTimes, ...options.times }
  let session: SmppSession | undefined
  let connecting: Promise<SmppSession | undefined> | undefined
  let trouble = 'not connected yet'
  let pauseMs = firstPauseMs
  let failedAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let cancelAgain: Cancel = () => {}

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
    onState(true, null)
    return made
  }

  function failed(why: string): undefined {
    trouble = why
    failedAt = clock.machineNow()
    if (!isRunning) return undefined
    log.info({ event: 'smpp.disconnected', host: settings.host, why }, 'SMPP carrier is not connected')
    onState(false, why)
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

  return {
    session: () => ensure(),
    trouble: () => trouble,
    isRunning: () => isRunning,
    start() {
      isRunning = true
      void ensure(true)
    },
    async stop(beforeClose) {
      isRunning = false
      cancelAgain()
      await connecting
      if (session) await beforeClose()
      const last = session
      session = undefined
      await last?.close()
    },
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
