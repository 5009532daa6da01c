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

/** Where a deleted user or contact is named besides their own rows. */
export interface Trace {
  resourceKey: string
  /** Events of the deletion itself: they keep their payload until every webhook has got it. */
  deletionEvents: readonly string[]
  /** Only payloads with one of these texts are looked at. */
  holding: readonly string[]
  /** Their own events. */
  redacted(data: string): string
  /** Events about something else; undefined when they are not named. */
  without(data: string): string | undefined
}

/** A deletion that cannot be delivered is forgotten after this long. */
export const keptUndeliveredMs = 14 * day

const resourcesAtOnce = 100
const eventsAtOnce = 200

/** Redacts the recorded events, copies of messages for callback URLs, and what receivers answered to them. */
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

/** The rest, once it was delivered or given up. Says when to look again. */
export async function eraseDeletionEvents(
  services: Store,
  companyId: CompanyId,
  trace: Trace,
  until: number,
): Promise<number | undefined> {
  const { db, clock } = services
  const at = clock.now()
  if (at < until && (await isAwaited(db, companyId, trace.resourceKey, trace.deletionEvents))) {
    // An answer that was under way when the events were redacted has come since.
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
