import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { second } from '../../../lib/clock.ts'
import { randomId } from '../../../lib/secrets.ts'
import { ulid } from '../../../lib/ulid.ts'
import { newSigningSecret, signingKey } from '../../../lib/webhook-signature.ts'
import type { Services } from '../../../services.ts'
import { withFreshUrls } from '../catalogue/assets.ts'
import { envelope, headersOf } from '../webhooks/envelope.ts'
import { type EventQuery, isWelcome, type LoggedEvent, lastPosition, readLog } from './store.ts'

const beatMs = 15 * second
const atOnce = 100

/**
 * Streams the event log as server-sent events: each with the headers and the exact body of a webhook request, signed with a
 * secret of this connection. The log is read only as fast as the client consumes it.
 */
export function eventStream(services: Services, companyId: CompanyId, params: StreamParams): AsyncGenerator<string> {
  const bell = createWakeUp()
  let ended = false
  const end = () => {
    ended = true
    bell.ring()
  }
  // Counted from the request on, not from the first frame on: concurrent requests are limited correctly.
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
    const reading: EventQuery = {
      // A position beyond the end belongs to a log before a restore: it would never be reached.
      after: Math.min(params.after ?? last, last),
      names: params.names,
      tokenId: params.tokenId,
      limit: atOnce,
    }
    const hello = { token: listener.token, signing_secret: secret, position: reading.after }
    yield `event: listener\ndata: ${JSON.stringify(hello)}\n\n`
    while (!isOver()) {
      bell.reset()
      // Checked before every batch and at every keep-alive: a revoked key receives no further event.
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
      // No event up to here matched: the next read starts behind it.
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

/** Token and secret of a connection: new for each one, unless the client names its listener. */
function identityOf({ vault }: Services, companyId: CompanyId, listener: string | undefined) {
  if (listener === undefined) return { token: randomId(), secret: newSigningSecret() }
  const words = `listener ${companyId} ${listener}`
  return {
    token: vault.deriveLasting(`${words} token`).toString('hex').slice(0, 32),
    secret: `whsec_${vault.deriveLasting(`${words} secret`).toString('base64')}`,
  }
}

export interface StreamParams {
  /** Only events after this position; undefined: only future events. */
  after: number | undefined
  names: readonly string[] | undefined
  /** Set for an integration that is limited to some Numbers. */
  tokenId: number | undefined
  /** Name chosen by the client to keep token and secret across connections. */
  listener: string | undefined
  whenGone(run: () => void): void
  via: Caller['via']
}

interface Listener {
  token: string
  keys: readonly Buffer[]
  /** Number of events sent on this connection, by resource. */
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

/** Signals between two waits are not lost. */
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
