import { transaction } from '../db/database.ts'
import { updateWebhook, webhooksAtStart } from '../features/integrations/webhooks/store.ts'
import { newSigningSecret } from '../lib/webhook-signature.ts'
import type { Services } from '../services.ts'
import { disableWebhook, reactivateWebhook } from './consequences.ts'
import { lockEndpoints } from './endpoint-store.ts'

/**
 * Checks every webhook at startup. A webhook of an earlier release gets a signing secret. A webhook whose URL this mode
 * does not allow, such as a loopback address in production, is disabled, and activated again where its URL is allowed.
 * Nothing is sent before the check is complete.
 */
export async function reviewWebhooks(services: Services): Promise<void> {
  const { db, vault, outbound, log } = services
  let refused = 0
  for (const webhook of await webhooksAtStart(db)) {
    if (webhook.secret_current === null) {
      await updateWebhook(db, webhook.company_id, webhook.id, { secret_current: vault.seal(newSigningSecret()) })
    }
    const isAllowed = outbound.urlProblem(webhook.url) === undefined
    if (isAllowed && webhook.disable_reason === 'url_not_allowed') {
      await transaction(db, async (tx) => {
        const [endpoint] = await lockEndpoints(tx, [webhook.id])
        if (endpoint?.status === 'disabled') await reactivateWebhook(services, tx, endpoint)
      })
    }
    if (webhook.status !== 'active' || isAllowed) continue
    await transaction(db, async (tx) => {
      const [endpoint] = await lockEndpoints(tx, [webhook.id])
      if (endpoint?.status === 'active') await disableWebhook(services, tx, endpoint, 'url_not_allowed')
    })
    refused++
  }
  if (refused > 0)
    log.warn(
      { event: 'webhook.url_not_allowed', webhooks: refused },
      'webhooks disabled: their URL is not allowed in this mode',
    )
}
