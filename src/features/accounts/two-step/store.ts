import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { mustEnrol } from './enrolment.ts'

export interface TwoStep {
  secretSealed: string
  isEnabled: boolean
}

export async function findTwoStep(db: Db, companyId: CompanyId, userId: number): Promise<TwoStep | undefined> {
  const row = await db
    .selectFrom('two_step')
    .select(['secret_sealed', 'enabled_at'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && { secretSealed: row.secret_sealed, isEnabled: row.enabled_at !== null }
}

/** Replaces a secret that was never confirmed; false when two-step verification is on. */
export async function savePendingSecret(
  db: Db,
  companyId: CompanyId,
  { userId, secretSealed, at }: { userId: number; secretSealed: string; at: number },
): Promise<boolean> {
  const row = await db
    .insertInto('two_step')
    .values({
      user_id: userId,
      company_id: companyId,
      secret_sealed: secretSealed,
      enabled_at: null,
      last_step: 0,
      created_at: at,
    })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret_sealed: secretSealed, last_step: 0, created_at: at })
        .where('two_step.enabled_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function enableTwoStep(
  db: Db,
  companyId: CompanyId,
  { userId, secretSealed, at }: { userId: number; secretSealed: string; at: number },
): Promise<boolean> {
  const row = await db
    .updateTable('two_step')
    .set({ enabled_at: at })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('secret_sealed', '=', secretSealed)
    .where('enabled_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** In one statement, so that a code works once, and none before it works afterwards. */
export async function spendStep(db: Db, companyId: CompanyId, userId: number, step: number): Promise<boolean> {
  const row = await db
    .updateTable('two_step')
    .set({ last_step: step })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteTwoStep(db: Db, companyId: CompanyId, userId: number): Promise<boolean> {
  await db.deleteFrom('recovery_code').where('company_id', '=', companyId).where('user_id', '=', userId).execute()
  const row = await db
    .deleteFrom('two_step')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .returning('enabled_at')
    .executeTakeFirst()
  return row !== undefined && row.enabled_at !== null
}

export async function replaceRecoveryCodes(
  db: Db,
  companyId: CompanyId,
  userId: number,
  hashes: readonly string[],
): Promise<void> {
  await db.deleteFrom('recovery_code').where('company_id', '=', companyId).where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, company_id: companyId, code_hash: hash, used_at: null })))
    .execute()
}

export async function spendRecoveryCode(
  db: Db,
  companyId: CompanyId,
  { userId, hashes, at }: { userId: number; hashes: readonly string[]; at: number },
): Promise<boolean> {
  const row = await db
    .updateTable('recovery_code')
    .set({ used_at: at })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('code_hash', 'in', hashes)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function countRecoveryCodes(db: Db, companyId: CompanyId, userId: number): Promise<number> {
  const { n } = await db
    .selectFrom('recovery_code')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export async function isTwoStepRequired(db: Db, companyId: CompanyId): Promise<boolean> {
  const row = await db.selectFrom('company').select('two_step_required').where('id', '=', companyId).executeTakeFirst()
  return row?.two_step_required === 1
}

/** Users of the company, and how many of them use two-step verification. */
export async function countTwoStep(db: Db, companyId: CompanyId): Promise<{ users: number; enabled: number }> {
  const { users, enabled } = await db
    .selectFrom('user')
    .leftJoin('two_step', 'two_step.user_id', 'user.id')
    .select(({ fn }) => [
      fn.count<number>('user.id').as('users'),
      fn.count<number>('two_step.enabled_at').as('enabled'),
    ])
    .where('user.company_id', '=', companyId)
    .where('user.deleted_at', 'is', null)
    .where('user.deactivated_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { users: Number(users), enabled: Number(enabled) }
}

export async function twoStepState(
  db: Db,
  companyId: CompanyId,
  userId: number,
  idHash: string,
): Promise<'off' | 'on' | 'required'> {
  const row = await db
    .selectFrom('session')
    .innerJoin('company', 'company.id', 'session.company_id')
    .leftJoin('two_step', 'two_step.user_id', 'session.user_id')
    .select(['session.method', 'company.two_step_required', 'two_step.enabled_at'])
    .where('session.company_id', '=', companyId)
    .where('session.user_id', '=', userId)
    .where('session.id_hash', '=', idHash)
    .executeTakeFirst()
  if (!row) return 'off'
  if (row.enabled_at !== null) return 'on'
  return mustEnrol(row) ? 'required' : 'off'
}
