import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import {
  type Actor,
  audit,
  findIntegration,
  type Integration,
  lockCompany,
  numbersById,
  type Which,
} from '../../accounts/index.ts'
import { scheduleReconciliation } from '../webhooks/reconciliation.ts'
import { markWebhooks, restrictTo, updateIntegration } from './store.ts'
import { idOf } from './view.ts'

export interface IntegrationParams {
  active?: boolean | undefined
  customName?: string | null | undefined
  /** Null: all Numbers. */
  numberIds?: number[] | null | undefined
}

export interface Author {
  companyId: CompanyId
  actor: Actor
  address: string
}

/** What already matches is left as it is and not audited. */
export async function changeIntegration(
  services: Services,
  { companyId, actor, address }: Author,
  which: Which,
  params: IntegrationParams,
): Promise<Integration> {
  return transaction(services.db, async (tx) => {
    // The lock serializes the creation of webhooks with these credentials.
    await lockCompany(tx, companyId)
    const before = await findIntegration(tx, companyId, which)
    if (!before) throw notFound()
    const changes = {
      ...(params.active !== undefined && params.active !== before.active && { active: params.active }),
      ...(params.customName !== undefined &&
        params.customName !== before.customName && { customName: params.customName }),
    }
    await updateIntegration(tx, companyId, which, changes)
    if (changes.active !== undefined) await switchWebhooks(services, tx, companyId, which, changes.active)
    if (params.numberIds !== undefined) await restrict(tx, companyId, which, params.numberIds)
    const details = {
      ...(changes.active !== undefined && { active: changes.active }),
      ...(changes.customName !== undefined && { custom_name: changes.customName }),
      ...(params.numberIds !== undefined && { number_ids: params.numberIds }),
    }
    if (Object.keys(details).length === 0) return before
    await audit(services, tx, companyId, {
      actor,
      action: actionFor(changes.active),
      target: `integration:${idOf(which)}`,
      details,
      address,
    })
    return (await findIntegration(tx, companyId, which)) ?? before
  })
}

function actionFor(active: boolean | undefined): string {
  if (active === undefined) return 'integration.changed'
  return active ? 'integration.enabled' : 'integration.disabled'
}

async function switchWebhooks({ clock }: Services, tx: Tx, companyId: CompanyId, which: Which, active: boolean) {
  const at = clock.now()
  for (const id of await markWebhooks(tx, companyId, which, active ? 'on' : 'off'))
    await scheduleReconciliation(tx, companyId, id, at)
}

async function restrict(tx: Tx, companyId: CompanyId, which: Which, numberIds: number[] | null): Promise<void> {
  if (which.kind === 'api_key') {
    if (numberIds === null) return
    throw badRequest('An API key works with all Numbers; only an installed app can be limited to some')
  }
  const wanted = numberIds && [...new Set(numberIds)]
  if (wanted && (await numbersById(tx, companyId, wanted)).length < wanted.length)
    throw badRequest('`number_ids` contains a Number that does not belong to the company')
  await restrictTo(tx, companyId, which.row, wanted)
}
