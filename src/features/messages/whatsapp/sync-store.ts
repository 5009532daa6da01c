import type { Db } from '../../../db/database.ts'
import type { CompanyId, MessageLineTable, WhatsappTemplateTable } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'

// Templates and phone number status as WhatsApp reports them; WhatsApp is the source of truth.

export type SyncedTemplate = Pick<WhatsappTemplateTable, 'name' | 'language' | 'category' | 'status'> & {
  components: readonly unknown[]
}

/** Replaces the templates of an account; templates that remain keep their IDs. */
export async function saveTemplates(
  db: Db,
  companyId: CompanyId,
  wabaId: string,
  templates: readonly SyncedTemplate[],
  at: number,
): Promise<void> {
  await transaction(db, async (tx) => {
    const before = await tx
      .selectFrom('whatsapp_template')
      .select(['id', 'name', 'language'])
      .where('company_id', '=', companyId)
      .where('waba_id', '=', wabaId)
      .execute()
    const there = new Set(templates.map(({ name, language }) => `${name} ${language}`))
    for (const { id } of before.filter(({ name, language }) => !there.has(`${name} ${language}`))) {
      await tx.deleteFrom('whatsapp_template').where('company_id', '=', companyId).where('id', '=', id).execute()
    }
    for (const { name, language, category, status, components } of templates) {
      const said = { category, status, components: JSON.stringify(components) }
      await tx
        .insertInto('whatsapp_template')
        .values({ company_id: companyId, waba_id: wabaId, name, language, ...said, created_at: at })
        .onConflict((conflict) => conflict.columns(['company_id', 'waba_id', 'name', 'language']).doUpdateSet(said))
        .execute()
    }
  })
}

export type LineFacts = Partial<
  Pick<MessageLineTable, 'whatsapp_status' | 'whatsapp_tier' | 'whatsapp_quality' | 'whatsapp_verification'>
>

export async function saveLineFacts(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  facts: LineFacts,
  at: number,
): Promise<void> {
  if (Object.keys(facts).length === 0) return
  await db
    .updateTable('message_line')
    .set({ ...facts, updated_at: at })
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .execute()
}
