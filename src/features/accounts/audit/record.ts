import { createHmac } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { AuditTable, CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { appendEntry, type Entry, entriesAfter, headOf, nextLink } from './store.ts'

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
  let last = { n: 0, seal: '' }
  const broken = (at: number): Checked => ({ entries: last.n, brokenAt: at })
  for (;;) {
    const entries = await entriesAfter(db, companyId, last.n, atOnce)
    for (const entry of entries) {
      if (entry.n !== last.n + 1 || entry.hash !== hashOf(vault, last.seal, entry)) return broken(last.n + 1)
      const seal = sealOf(vault, entry.hash)
      if (entry.n === head.n && seal !== head.seal) return broken(entry.n)
      last = { n: entry.n, seal }
    }
    if (entries.length === atOnce) continue
    return last.n < head.n ? broken(last.n + 1) : { entries: last.n, brokenAt: undefined }
  }
}

export interface Checked {
  entries: number
  brokenAt: number | undefined
}
