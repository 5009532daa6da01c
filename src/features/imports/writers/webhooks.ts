import { randomUUID } from 'node:crypto'
import { webhookFromSource } from '../../../domain/import/objects.ts'
import { isImportProblem } from '../../../domain/import/values.ts'
import { randomId } from '../../../lib/secrets.ts'
import { newSigningSecret } from '../../../lib/webhook-signature.ts'
import { countWebhooks, insertWebhook, subscribe, updateWebhook } from '../../integrations/index.ts'
import type { KindImport } from './importing.ts'

const maxWebhooksOfCompany = 100

/** Webhooks are paused until the user enables them, so that no receiver gets events of two servers. */
export const importWebhooks: KindImport = {
  kind: 'webhooks',
  list: { path: '/v1/webhooks', root: 'webhooks' },
  async write({ tx, companyId, row, known, run, services, toCheck }) {
    const webhook = webhookFromSource(row)
    if (isImportProblem(webhook)) return webhook
    if (known !== undefined) return { outcome: 'existing', ownId: known }
    const problem = services.outbound.urlProblem(webhook.url)
    if (problem) return { problem: `the URL ${problem}` }
    if ((await countWebhooks(tx, companyId)) >= maxWebhooksOfCompany)
      return { problem: `a company has at most ${maxWebhooksOfCompany} webhooks` }
    const id = randomUUID()
    const { url, customName, all, named, token } = webhook
    await insertWebhook(
      tx,
      companyId,
      {
        id,
        ownerKind: 'dashboard',
        oauthTokenId: null,
        apiKeyId: null,
        url,
        customName,
        token: token ?? randomId(),
        secretSealed: services.vault.seal(newSigningSecret()),
        createdBy: run.createdBy,
      },
      webhook.createdAt ?? services.clock.now(),
    )
    await updateWebhook(tx, companyId, id, { status: 'paused' })
    await subscribe(tx, companyId, id, { all, named })
    toCheck('the webhook is paused and has a new signing secret: rotate the secret, then enable the webhook')
    return { outcome: 'created', ownId: id }
  },
}
