import type { Db } from '../database.ts'

/** Scopes, expiry, allowed addresses, rotation and last use of API keys. Existing keys keep all scopes. */
export async function up(db: Db) {
  for (const column of ['scopes', 'allowed_ips', 'previous_token_hash'] as const) {
    await db.schema.alterTable('api_key').addColumn(column, 'text').execute()
  }
  for (const column of ['expires_at', 'previous_expires_at', 'rotated_at', 'last_used_at'] as const) {
    await db.schema.alterTable('api_key').addColumn(column, 'bigint').execute()
  }
}
