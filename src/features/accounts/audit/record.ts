import { createHmac } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { AuditTable, CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import {
  appendEntry,
  deleteEntriesThrough,
  type Entry,
  entriesAfter,
  headOf,
  type LogStart,
  lockHead,
  moveStart,
  nextLink,
} from './store.ts'

// Writes the audit log. Each entry carries an HMAC over itself and the seal of the previous entry, made with a key that
// is not in the database: changing, adding or removing an entry breaks the chain. The seal of the last entry is stored
// in the head only, so that truncating the log is detected as well.

export interface Actor {
  kind: AuditTable['actor_kind']
  id: number | null
}

/** Contains no names or addresses of users: an entry outlives them. */
export interface AuditEntry {
  actor: Actor
  /** `sign_in`, `api_key.created`, `webhook.deleted` … */
  action: string
  /** The object of the action: `user:5`. */
  target?: string | undefined
  details?: object | undefined
  /** IP address of the request. */
  address?: string | undefined
  /** When it happened, if that is not now. */
  at?: number
}

export const operatorActor: Actor = { kind: 'operator', id: null }
export const unknownActor: Actor = { kind: 'unknown', id: null }
export const userActor = (userId: number): Actor => ({ kind: 'user', id: userId })
export const actorOf = ({ via }: Caller): Actor => (via.kind === 'session' ? userActor(via.userId) : via)

/** Must be the last write of a transaction: it locks the head of the company until the commit. */
export async function audit(services: AuditServices, tx: Tx, companyId: CompanyId, input: AuditEntry): Promise<void> {
  const { actor, action, target = null, details, address = null, at = services.clock.now() } = input
  const { n, before } = await nextLink(tx, companyId)
  const { vault } = services
  const entry: Entry = {
    company_id: companyId,
    n,
    at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    action,
    target,
    details: details ? JSON.stringify(details) : null,
    address,
  }
  const hash = hashOf(vault.derive, before, entry)
  await appendEntry(tx, companyId, { ...entry, hash }, sealOf(vault.derive, hash))
}

/** For actions without a transaction of their own. */
export const auditAlone = (services: Services, companyId: CompanyId, input: AuditEntry): Promise<void> =>
  transaction(services.db, (tx) => audit(services, tx, companyId, input))

function hashOf(derive: Vault['derive'], before: string, entry: Entry): string {
  const { company_id, n, at, actor_kind, actor_id, action, target, details, address } = entry
  const words = JSON.stringify([before, company_id, n, at, actor_kind, actor_id, action, target, details, address])
  return createHmac('sha256', derive('audit chain')).update(words).digest('hex')
}

const sealOf = (derive: Vault['derive'], hash: string) =>
  createHmac('sha256', derive('audit head')).update(hash).digest('hex')

const atOnce = 1_000

/** The number of valid entries, and the number of the first entry that is changed or missing. */
export async function checkChain({ db, vault }: Services, companyId: CompanyId): Promise<Checked> {
  // Read first: entries written during the check come after it.
  const head = await headOf(db, companyId)
  const { start } = head
  if (!isStart(vault, companyId, start)) return { entries: 0, brokenAt: start.n + 1 }
  let last: Link = { n: start.n, seal: start.seal, epoch: 0 }
  const broken = (at: number): Checked => ({ entries: last.n - start.n, brokenAt: at })
  for (;;) {
    const entries = await entriesAfter(db, companyId, last.n, atOnce)
    for (const entry of entries) {
      const next = linkOf(vault, last, entry)
      if (!next) return broken(last.n + 1)
      if (entry.n === head.n && next.seal !== head.seal) return broken(entry.n)
      last = next
    }
    if (entries.length === atOnce) continue
    // A rotation of the installation key adds an entry to every log: one that ends before it was truncated.
    const isComplete = last.n >= head.n && (last.n === start.n || last.epoch === vault.deriveOverTime.length - 1)
    return isComplete ? { entries: last.n - start.n, brokenAt: undefined } : broken(last.n + 1)
  }
}

/** The last valid entry. Its epoch is the index of the installation key that has signed it. */
interface Link {
  n: number
  seal: string
  epoch: number
}

/** Undefined for an entry that does not follow. Keys are never used again once a later one has signed. */
function linkOf({ deriveOverTime }: Vault, last: Link, entry: AuditTable): Link | undefined {
  if (entry.n !== last.n + 1) return undefined
  for (const [epoch, derive] of deriveOverTime.entries()) {
    if (epoch >= last.epoch && entry.hash === hashOf(derive, last.seal, entry))
      return { n: entry.n, seal: sealOf(derive, entry.hash), epoch }
  }
  return undefined
}

/**
 * A new installation key signs the rest of the log, beginning with an entry about the rotation. What earlier keys have
 * signed stays as it is; the entry fixes its end.
 */
export async function continueAudit(
  services: AuditServices,
  tx: Tx,
  companyId: CompanyId,
  before: Vault,
): Promise<void> {
  await lockHead(tx, companyId)
  const { start } = await headOf(tx, companyId)
  // An invalid start stays invalid.
  if (start.n > 0 && isStart(before, companyId, start)) {
    const mac = startMacOf(services.vault, companyId, start.n, start.seal)
    await moveStart(tx, companyId, { ...start, mac })
  }
  await audit(services, tx, companyId, { actor: operatorActor, action: 'installation_key.rotated' })
}

export type AuditServices = Pick<Services, 'clock' | 'vault'>

export interface Checked {
  entries: number
  brokenAt: number | undefined
}

/** Of its own: the seal of the last entry is in the head, and must not make an empty log look valid. */
const startMacOf = (vault: Vault, companyId: CompanyId, n: number, seal: string) =>
  createHmac('sha256', vault.derive('audit start'))
    .update(JSON.stringify([companyId, n, seal]))
    .digest('hex')

const isStart = (vault: Vault, companyId: CompanyId, { n, seal, mac }: LogStart): boolean =>
  n === 0 ? mac === null : mac === startMacOf(vault, companyId, n, seal)

/**
 * Deletes entries from before a time, oldest first, and returns how many. The rest stays verifiable: the start of the log
 * is sealed. Stops at an entry that is not valid, which is evidence.
 */
export async function expireEntries(services: Services, companyId: CompanyId, before: number): Promise<number> {
  let expired = 0
  await inBatches(services.clock, async () => {
    const n = await transaction(services.db, (tx) => expireSome(services, tx, companyId, before))
    expired += n
    return n
  })
  if (expired > 0) {
    const details = { entries: expired }
    await auditAlone(services, companyId, { actor: operatorActor, action: 'audit_log.expired', details })
  }
  return expired
}

async function expireSome({ vault, log }: Services, tx: Tx, companyId: CompanyId, before: number): Promise<number> {
  await lockHead(tx, companyId)
  const { start } = await headOf(tx, companyId)
  if (!isStart(vault, companyId, start)) return 0
  let last: Link = { ...start, epoch: 0 }
  for (const entry of await entriesAfter(tx, companyId, start.n, atOnce)) {
    if (entry.at >= before) break
    const next = linkOf(vault, last, entry)
    if (!next) {
      log.warn({ event: 'audit.chain_broken', companyId, n: last.n + 1 }, 'invalid audit log entries are not deleted')
      break
    }
    last = next
  }
  const mac = startMacOf(vault, companyId, last.n, last.seal)
  if (last.n > start.n) await deleteEntriesThrough(tx, companyId, { n: last.n, seal: last.seal, mac })
  return last.n - start.n
}
