import { type Db, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit } from '../../accounts/index.ts'

/** The outbound rules of a company, for calls or messages. */
export interface OutboundRules<R> {
  read(db: Db, companyId: CompanyId): Promise<R>
  save(db: Db, companyId: CompanyId, rules: R): Promise<void>
  /** The action in the audit log. */
  action: string
}

/** Updates the given rules; the others stay. */
export const changeRules = <R>(
  services: Services,
  { caller, address }: { caller: Caller; address: string },
  { read, save, action }: OutboundRules<R>,
  change: (before: R) => R,
): Promise<R> =>
  transaction(services.db, async (tx) => {
    const rules = change(await read(tx, caller.companyId))
    await save(tx, caller.companyId, rules)
    await audit(services, tx, caller.companyId, { actor: actorOf(caller), action, address })
    return rules
  })
