import { type Db, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Clock, day, hour, second } from '../lib/clock.ts'
import { inBatches } from '../lib/in-batches.ts'
import { dropAnswers, isAwaited, rewriteCallbacks } from './erasure-store.ts'
import { redactSomeEvents, rewriteSomeEvents } from './log.ts'

interface Store {
  db: Db
  clock: Clock
}

/** Where a deleted user or contact is mentioned outside of their own rows. */
export interface Trace {
  resourceKey: string
  /** Events of the deletion itself: they keep their payload until every webhook has received it. */
  deletionEvents: readonly string[]
  /** Only payloads containing one of these strings are read. */
  holding: readonly string[]
  /** Rewrites the person's own events. */
  redacted(data: string): string
  /** Rewrites events about other resources; undefined when the person is not mentioned. */
  without(data: string): string | undefined
}

/** A deletion event that cannot be delivered is erased after this time. */
export const keptUndeliveredMs = 14 * day

const resourcesAtOnce = 100
const eventsAtOnce = 200

/** Redacts recorded events, message copies for callback URLs, and receiver responses. */
export async function eraseFromEvents(services: Store, companyId: CompanyId, trace: Trace): Promise<void> {
  const { db, clock } = services
  const { resourceKey, holding, without } = trace
  let after = ''
  await inBatches(clock, () =>
    transaction(db, async (tx) => {
      const some = { after, holding, except: resourceKey, limit: resourcesAtOnce }
      const { next, rewritten } = await rewriteSomeEvents(tx, companyId, clock.now(), some, without)
      await dropAnswers(tx, companyId, rewritten)
      after = next ?? after
      return next === undefined ? 0 : 1
    }),
  )
  await redactOwn(services, companyId, trace, trace.deletionEvents)
  await transaction(db, (tx) => rewriteCallbacks(tx, companyId, holding, without))
}

/** Erases the rest once it was delivered or has failed. Returns when to check again. */
export async function eraseDeletionEvents(
  services: Store,
  companyId: CompanyId,
  trace: Trace,
  until: number,
): Promise<number | undefined> {
  const { db, clock } = services
  const at = clock.now()
  if (at < until && (await isAwaited(db, companyId, trace.resourceKey, trace.deletionEvents))) {
    // A response in flight during the redaction has arrived since.
    await dropAnswers(db, companyId, [trace.resourceKey])
    const waited = at - (until - keptUndeliveredMs)
    return Math.min(at + Math.min(Math.max(waited, 5 * second), hour), until)
  }
  await redactOwn(services, companyId, trace, [])
  return undefined
}

async function redactOwn(
  { db, clock }: Store,
  companyId: CompanyId,
  { resourceKey, redacted }: Trace,
  except: readonly string[],
): Promise<void> {
  await inBatches(clock, () =>
    transaction(db, async (tx) => {
      const some = { resourceKey, except, limit: eventsAtOnce }
      const done = await redactSomeEvents(tx, companyId, clock.now(), some, redacted)
      if (done < eventsAtOnce) await dropAnswers(tx, companyId, [resourceKey])
      return done
    }),
  )
}
