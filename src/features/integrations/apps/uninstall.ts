import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { type Actor, audit, lockCompany } from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { lockToken, revokeToken } from '../oauth/store.ts'
import { followWebhook } from '../webhooks/follow.ts'
import { markWebhooks } from './store.ts'
import { idOf } from './view.ts'

export interface Removal {
  by: Actor
  /** An admin removed it · its code was used twice · its app is gone. */
  why: 'uninstalled' | 'code_reused' | 'app_deleted'
  address?: string | undefined
}

/**
 * Takes an installed app away: its token is refused from the next request on, its webhooks are told so and nothing else any
 * more, and are deleted once they were. False when somebody was quicker.
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
  // A webhook that is being made with the token comes before, or finds it revoked.
  await lockCompany(tx, companyId)
  const token = await lockToken(tx, companyId, tokenId)
  if (!token) return false
  // Before the token is revoked: afterwards its webhooks are nobody's.
  await publish(services, tx, companyId, [{ about: 'integration', what: 'deleted', tokenId }])
  await revokeToken(tx, companyId, tokenId, at)
  for (const id of await markWebhooks(tx, companyId, which, 'removed')) await followWebhook(tx, companyId, id, at)
  await audit(services, tx, companyId, {
    actor: by,
    action: 'integration.uninstalled',
    target: `integration:${idOf(which)}`,
    details: { app_id: token.appId, why },
    address,
  })
  return true
}
