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
export async function audit(services: Services, tx: Tx, companyId: CompanyId, input: AuditEntry): Promise<void> {
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
  const hash = hashOf(vault, before, entry)
  await appendEntry(tx, companyId, { ...entry, hash }, sealOf(vault, hash))
}

/** For actions without a transaction of their own. */
export const auditAlone = (services: Services, companyId: CompanyId, input: AuditEntry): Promise<void> =>
  transaction(services.db, (tx) => audit(services, tx, companyId, input))

function hashOf(vault: Vault, before: string, entry: Entry): string {
  const { company_id, n, at, actor_kind, actor_id, action, target, details, address } = entry
  const words = JSON.stringify([before, company_id, n, at, actor_kind, actor_id, action, target, details, address])
  return createHmac('sha256', vault.derive('audit chain')).update(words).digest('hex')
}

const sealOf = (vault: Vault, hash: string) =>
  createHmac('sha256', vault.derive('audit head')).update(hash).digest('hex')

const atOnce = 1_000

/** The number of valid entries, and the number of the first entry that is changed or missing. */
export async function checkChain({ db, vault }: Services, companyId: CompanyId): Promise<Checked> {
  // Read first: entries written during the check come after it.
  const head = await headOf(db, companyId)
  const { start } = head
  if (!isStart(vault, companyId, start)) return { entries: 0, brokenAt: start.n + 1 }
  let last = { n: start.n, seal: start.seal }
  const broken = (at: number): Checked => ({ entries: last.n - start.n, brokenAt: at })
  for (;;) {
    const entries = await entriesAfter(db, companyId, last.n, atOnce)
    for (const entry of entries) {
      if (entry.n !== last.n + 1 || entry.hash !== hashOf(vault, last.seal, entry)) return broken(last.n + 1)
      const seal = sealOf(vault, entry.hash)
      if (entry.n === head.n && seal !== head.seal) return broken(entry.n)
      last = { n: entry.n, seal }
    }
    if (entries.length === atOnce) continue
    return last.n < head.n ? broken(last.n + 1) : { entries: last.n - start.n, brokenAt: undefined }
  }
}

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
  let last = start
  for (const entry of await entriesAfter(tx, companyId, start.n, atOnce)) {
    if (entry.at >= before) break
    if (entry.n !== last.n + 1 || entry.hash !== hashOf(vault, last.seal, entry)) {
      log.warn({ event: 'audit.chain_broken', companyId, n: last.n + 1 }, 'invalid audit log entries are not deleted')
      break
    }
    const seal = sealOf(vault, entry.hash)
    last = { n: entry.n, seal, mac: startMacOf(vault, companyId, entry.n, seal) }
  }
  if (last.n > start.n) await deleteEntriesThrough(tx, companyId, last)
  return last.n - start.n
}
