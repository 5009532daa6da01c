import { type Db, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Clock, day, hour, second } from '../lib/clock.ts'
import { inBatches } from '../lib/in-batches.ts'
import { awaitedResources, dropAnswers, rewriteCallbacks } from './erasure-store.ts'
import { redactSomeEvents, rewriteSomeEvents } from './log.ts'

interface Store {
  db: Db
  clock: Clock
}

/** Where deleted users or contacts are mentioned outside of their own rows. */
export interface Trace {
  resourceKeys: readonly string[]
  /** Events of the deletion itself: they keep their payload until every webhook has received it. */
  deletionEvents: readonly string[]
  /** Only payloads containing one of these strings are read; null: all, in one pass for many people. */
  holding: readonly string[] | null
  /** Rewrites an event about the person. */
  redacted(data: string, resourceKey: string): string
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
  const { resourceKeys, holding, without } = trace
  const except = new Set(resourceKeys)
  let after = ''
  await inBatches(clock, () =>
    transaction(db, async (tx) => {
      const some = { after, holding, except, limit: resourcesAtOnce }
      const { next, rewritten } = await rewriteSomeEvents(tx, companyId, clock.now(), some, without)
      await dropAnswers(tx, companyId, rewritten)
      after = next ?? after
      return next === undefined ? 0 : 1
    }),
  )
  await redactOwn(services, companyId, trace, trace.deletionEvents)
  await transaction(db, (tx) => rewriteCallbacks(tx, companyId, holding, without))
}

/** Erases the rest once it was delivered or has failed. Returns what is left, and when to check again. */
export async function eraseDeletionEvents(
  services: Store,
  companyId: CompanyId,
  trace: Trace,
  until: number,
): Promise<{ awaited: string[]; next: number } | undefined> {
  const { db, clock } = services
  const at = clock.now()
  const { resourceKeys, deletionEvents } = trace
  const awaited = at < until ? await awaitedResources(db, companyId, resourceKeys, deletionEvents) : []
  // A response in flight during the redaction has arrived since.
  if (awaited.length > 0) await dropAnswers(db, companyId, awaited)
  const done = resourceKeys.filter((key) => !awaited.includes(key))
  if (done.length > 0) await redactOwn(services, companyId, { ...trace, resourceKeys: done }, [])
  if (awaited.length === 0) return undefined
  const waited = at - (until - keptUndeliveredMs)
  return { awaited, next: Math.min(at + Math.min(Math.max(waited, 5 * second), hour), until) }
}

async function redactOwn(
  { db, clock }: Store,
  companyId: CompanyId,
  { resourceKeys, redacted }: Pick<Trace, 'resourceKeys' | 'redacted'>,
  except: readonly string[],
): Promise<void> {
  await inBatches(clock, () =>
    transaction(db, async (tx) => {
      const some = { resourceKeys, except, limit: eventsAtOnce }
      const done = await redactSomeEvents(tx, companyId, clock.now(), some, redacted)
      if (done < eventsAtOnce) await dropAnswers(tx, companyId, resourceKeys)
      return done
    }),
  )
}
