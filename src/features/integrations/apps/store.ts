import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Which } from '../../accounts/index.ts'
import { replaceNumbers } from '../oauth/store.ts'

export async function allNumberIds(db: Db, companyId: CompanyId): Promise<number[]> {
  const rows = await db.selectFrom('number').select('id').where('company_id', '=', companyId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export interface IntegrationChange {
  active?: boolean | undefined
  customName?: string | null | undefined
}

export async function updateIntegration(
  db: Db,
  companyId: CompanyId,
  { kind, row }: Which,
  { active, customName }: IntegrationChange,
): Promise<void> {
  const change = {
    ...(active !== undefined && { active: active ? (1 as const) : (0 as const) }),
    ...(customName !== undefined && { custom_name: customName }),
  }
  if (Object.keys(change).length === 0) return
  const table = kind === 'oauth' ? 'oauth_token' : 'api_key'
  await db.updateTable(table).set(change).where('company_id', '=', companyId).where('id', '=', row).execute()
}

/** Limits to these Numbers; null: no limit. */
export async function restrictTo(db: Db, companyId: CompanyId, tokenId: number, numberIds: readonly number[] | null) {
  await db
    .updateTable('oauth_token')
    .set({ restricted: numberIds ? 1 : 0 })
    .where('company_id', '=', companyId)
    .where('id', '=', tokenId)
    .execute()
  await replaceNumbers(db, companyId, tokenId, numberIds ?? [])
}

/** Marks webhooks created with the credentials as enabled or disabled, and returns their IDs. */
export async function markWebhooks(
  db: Db,
  companyId: CompanyId,
  { kind, row }: Which,
  integration: 'on' | 'off' | 'removed',
): Promise<string[]> {
  const rows = await db
    .updateTable('webhook')
    .set({ integration })
    .where('company_id', '=', companyId)
    .where(kind === 'oauth' ? 'oauth_token_id' : 'api_key_id', '=', row)
    .where('integration', '<>', integration)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
