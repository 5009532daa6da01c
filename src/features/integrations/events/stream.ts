import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { second } from '../../../lib/clock.ts'
import { randomId } from '../../../lib/secrets.ts'
import { ulid } from '../../../lib/ulid.ts'
import { newSigningSecret, signingKey } from '../../../lib/webhook-signature.ts'
import type { Services } from '../../../services.ts'
import { withFreshUrls } from '../catalogue/assets.ts'
import { envelope, headersOf } from '../webhooks/envelope.ts'
import { isWelcome, type LoggedEvent, lastPosition, type Reading, readLog } from './store.ts'

const beatMs = 15 * second
const atOnce = 100

/**
 * The log as it grows, as server-sent events: each with the headers and the very body a webhook would get, signed with a
 * secret of this connection alone. The log is read only as fast as the reader takes it, so a slow one costs nothing.
 */
export function eventStream(services: Services, companyId: CompanyId, params: StreamParams): AsyncGenerator<string> {
  const bell = createWakeUp()
  let ended = false
  const end = () => {
    ended = true
    bell.ring()
  }
  // From now on, not from the first piece on: the next who asks is counted after this one.
  const leave = services.feed.follow(companyId, bell.ring, end)
  params.whenGone(() => {
    end()
    leave()
  })
  return pieces(services, companyId, params, { bell, isOver: () => ended, leave })
}

interface Following {
  bell: ReturnType<typeof createWakeUp>
  isOver(): boolean
  leave(): void
}

async function* pieces(
  services: Services,
  companyId: CompanyId,
  params: StreamParams,
  { bell, isOver, leave }: Following,
): AsyncGenerator<string> {
  const { db, clock } = services
  try {
    const last = await lastPosition(db, companyId)
    const { token, secret } = identityOf(services, companyId, params.listener)
    const listener = { token, keys: [signingKey(secret)], counts: new Map<string, number>() }
    const reading: Reading = {
      // A place beyond the end is of a log that was restored since: waiting for it would be waiting for ever.
      after: Math.min(params.after ?? last, last),
      names: params.names,
      tokenId: params.tokenId,
      limit: atOnce,
    }
    const hello = { token: listener.token, signing_secret: secret, position: reading.after }
    yield `event: listener\ndata: ${JSON.stringify(hello)}\n\n`
    while (!isOver()) {
      bell.reset()
      // Asked before anything more is told, and at every beat: a key that was revoked hears nothing else.
      if (!(await isWelcome(db, companyId, params.via, clock.machineNow()))) return
      const end = await lastPosition(db, companyId)
      const events = await readLog(db, companyId, reading)
      for (const event of events) {
        yield frame(
          withFreshUrls(services, companyId, event),
          listener,
          Math.floor(clock.machineNow() / second),
          clock.machineNow(),
        )
        reading.after = event.position
      }
      if (events.length > 0) continue
      // Nothing up to here was wanted: it need not be read again.
      reading.after = Math.max(reading.after, end)
      const cancel = clock.machineAfter(beatMs, () => bell.ring('time'))
      const why = await bell.rung()
      cancel()
      if (why === 'time') yield ': still here\n\n'
    }
  } finally {
    leave()
  }
}

/** What signs what a listener gets: new for each connection, unless the listener says that it was here before. */
function identityOf({ vault }: Services, companyId: CompanyId, listener: string | undefined) {
  if (listener === undefined) return { token: randomId(), secret: newSigningSecret() }
  const words = `listener ${companyId} ${listener}`
  return {
    token: vault.derive(`${words} token`).toString('hex').slice(0, 32),
    secret: `whsec_${vault.derive(`${words} secret`).toString('base64')}`,
  }
}

export interface StreamParams {
  /** Only what comes after this place; undefined: only what is still to come. */
  after: number | undefined
  names: readonly string[] | undefined
  /** For an integration that may see some Numbers only. */
  tokenId: number | undefined
  /** A name the listener has made up, to be known again after a break. */
  listener: string | undefined
  whenGone(run: () => void): void
  via: Caller['via']
}

interface Listener {
  token: string
  keys: readonly Buffer[]
  /** How many this connection was told about each thing. */
  counts: Map<string, number>
}

function frame(event: LoggedEvent, listener: Listener, timestamp: number, machineNow: number): string {
  const seq = (listener.counts.get(event.resource_key) ?? 0) + 1
  if (listener.counts.size > 10_000) listener.counts.clear()
  listener.counts.set(event.resource_key, seq)
  const body = envelope(event, listener.token)
  const headers = headersOf(
    {
      messageId: `msg_${ulid(machineNow)}`,
      eventId: event.id,
      seq,
      attempt: 1,
      kind: event.test === 1 ? 'test' : 'live',
      keys: listener.keys,
      timestamp,
    },
    body,
  )
  return `id: ${event.position}\ndata: ${JSON.stringify({ headers, body })}\n\n`
}

/** Rings are not lost between two waits. */
function createWakeUp() {
  let why: 'growth' | 'time' | undefined
  let waiting: ((why: 'growth' | 'time') => void) | undefined
  return {
    ring: (reason: 'growth' | 'time' = 'growth') => {
      why = reason
      waiting?.(reason)
    },
    reset() {
      why = undefined
    },
    rung: () =>
      new Promise<'growth' | 'time'>((resolve) => {
        if (why) resolve(why)
        else waiting = resolve
      }),
  }
}
