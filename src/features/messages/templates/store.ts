import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

export interface SmsTemplate {
  id: number
  name: string
  body: string
}

/** Returns all templates: a company has few, and a search scans the text of each. */
export async function smsTemplatesOf(db: Db, companyId: CompanyId): Promise<SmsTemplate[]> {
  return db
    .selectFrom('sms_template')
    .select(['id', 'name', 'body'])
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute()
}

export async function findSmsTemplate(db: Db, companyId: CompanyId, id: number): Promise<SmsTemplate | undefined> {
  return db
    .selectFrom('sms_template')
    .select(['id', 'name', 'body'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function insertSmsTemplate(
  db: Db,
  companyId: CompanyId,
  { name, body }: Omit<SmsTemplate, 'id'>,
  at: number,
): Promise<SmsTemplate> {
  return db
    .insertInto('sms_template')
    .values({ company_id: companyId, name, body, created_at: at })
    .returning(['id', 'name', 'body'])
    .executeTakeFirstOrThrow()
}

export async function updateSmsTemplate(
  db: Db,
  companyId: CompanyId,
  { id, name, body }: SmsTemplate,
): Promise<SmsTemplate | undefined> {
  return db
    .updateTable('sms_template')
    .set({ name, body })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returning(['id', 'name', 'body'])
    .executeTakeFirst()
}

export async function deleteSmsTemplate(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const done = await db
    .deleteFrom('sms_template')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}
