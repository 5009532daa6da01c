import { transaction } from '../../../db/database.ts'
import { forgetDeleted } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { mentionedIds, redactedContact, tracesOf, withoutContact } from '../../../domain/redaction.ts'
import { eraseDeletionEvents, eraseFromEvents, keptUndeliveredMs, type Trace } from '../../../events/erasure.ts'
import { enqueue, takeDueJobs } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'

// After a deletion, jobs remove the data of contacts from events, deliveries and message copies.

const maxTogether = 2_000

const keyOf = (contactId: number) => `contact:${contactId}`
const idOf = (resourceKey: string) => Number(resourceKey.slice('contact:'.length))

/** One search for one contact; many are found in a single pass over all payloads. */
function traceOf(contactIds: readonly number[]): Trace {
  const [only, ...others] = contactIds
  const wanted = new Set(contactIds)
  return {
    resourceKeys: contactIds.map(keyOf),
    deletionEvents: ['contact.deleted'],
    holding: only !== undefined && others.length === 0 ? tracesOf({ kind: 'contacts', id: only }) : null,
    redacted: (data, resourceKey) => redactedContact(data, idOf(resourceKey)),
    without: (data) => withoutContacts(data, wanted),
  }
}

/** Undefined when none of them is mentioned. */
function withoutContacts(data: string, wanted: ReadonlySet<number>): string | undefined {
  let rest: string | undefined
  for (const id of mentionedIds(data, 'contacts', wanted)) rest = withoutContact(rest ?? data, id) ?? rest
  return rest
}

interface Erased {
  companyId: CompanyId
  contactId?: number
  contactIds?: number[]
}

const idsIn = ({ contactId, contactIds }: Erased) => contactIds ?? (contactId === undefined ? [] : [contactId])

export function contactEraser(services: Services) {
  return async (job: Erased) => {
    const { companyId } = job
    const contactIds = idsIn(job)
    if (await isDoneTogether(services, companyId, contactIds)) return
    await eraseFromEvents(services, companyId, traceOf(contactIds))
    const at = services.clock.now()
    const payload = { companyId, contactIds, until: at + keptUndeliveredMs }
    await enqueue(services.db, 'contact.farewell', payload, at + 5 * second)
    await forgetDeleted(services.db)
  }
}

/** An erasure reads all events of the company, so those that wait become one. An import that is undone has many. */
async function isDoneTogether({ db, clock }: Services, companyId: CompanyId, contactIds: readonly number[]) {
  if (contactIds.length >= maxTogether) return false
  return transaction(db, async (tx) => {
    const others = await takeDueJobs(tx, companyId, 'contact.erase', clock)
    if (others.length === 0) return false
    const all = [...contactIds, ...others.flatMap((other) => idsIn({ ...other, companyId }))]
    await enqueue(tx, 'contact.erase', { companyId, contactIds: all }, clock.now())
    return true
  })
}

export function contactDeletionEventEraser(services: Services) {
  return async ({ until, ...job }: Erased & { until: number }) => {
    const { companyId } = job
    const left = await eraseDeletionEvents(services, companyId, traceOf(idsIn(job)), until)
    if (!left) return
    const payload = { companyId, contactIds: left.awaited.map(idOf), until }
    await enqueue(services.db, 'contact.farewell', payload, left.next)
  }
}
