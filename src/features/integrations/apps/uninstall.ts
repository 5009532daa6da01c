import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { type Actor, audit, lockCompany } from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { lockToken, revokeToken } from '../oauth/store.ts'
import { scheduleReconciliation } from '../webhooks/reconciliation.ts'
import { markWebhooks } from './store.ts'
import { idOf } from './view.ts'

export interface Removal {
  by: Actor
  /** An admin uninstalled it · its code was used twice · its app was deleted. */
  why: 'uninstalled' | 'code_reused' | 'app_deleted'
  address?: string | undefined
}

/**
 * Uninstalls an app: its token is rejected from the next request on; its webhooks receive `integration.deleted` and are
 * deleted afterwards. False if it was uninstalled already.
 */
export const uninstall = (
  services: Services,
  companyId: CompanyId,
  tokenId: number,
  removal: Removal,
): Promise<boolean> => transaction(services.db, (tx) => uninstallIn(services, tx, companyId, tokenId, removal))

async function uninstallIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  tokenId: number,
  { by, why, address }: Removal,
): Promise<boolean> {
  const at = services.clock.now()
  const which = { kind: 'oauth', row: tokenId } as const
  // The lock serializes the creation of webhooks: it either precedes this, or finds the token revoked.
  await lockCompany(tx, companyId)
  const token = await lockToken(tx, companyId, tokenId)
  if (!token) return false
  // Before the token is revoked: afterwards its webhooks have no owner.
  await publish(services, tx, companyId, [{ kind: 'integration', event: 'deleted', tokenId }])
  await revokeToken(tx, companyId, tokenId, at)
  for (const id of await markWebhooks(tx, companyId, which, 'removed'))
    await scheduleReconciliation(tx, companyId, id, at)
  await audit(services, tx, companyId, {
    actor: by,
    action: 'integration.uninstalled',
    target: `integration:${idOf(which)}`,
    details: { app_id: token.appId, why },
    address,
  })
  return true
}
