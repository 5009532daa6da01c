import type { Db } from '../../../db/database.ts'
import type { CompanyId, WhatsappTemplateTable } from '../../../db/tables.ts'
import type { Component } from '../../../domain/whatsapp-template.ts'

export interface WhatsappTemplate {
  id: number
  wabaId: string
  name: string
  language: string
  category: WhatsappTemplateTable['category']
  status: WhatsappTemplateTable['status']
  components: Component[]
  createdAt: number
}

const templateOf = (row: Omit<WhatsappTemplateTable, 'id'> & { id: number }): WhatsappTemplate => ({
  id: row.id,
  wabaId: row.waba_id,
  name: row.name,
  language: row.language,
  category: row.category,
  status: row.status,
  components: JSON.parse(row.components),
  createdAt: row.created_at,
})

export interface TemplateQuery {
  wabaId: string
  status: WhatsappTemplateTable['status']
  category: WhatsappTemplateTable['category'] | undefined
  sort: 'name' | 'created_at'
  descending: boolean
  offset: number
  limit: number
}

export async function pageOfTemplates(db: Db, companyId: CompanyId, query: TemplateQuery) {
  let mine = db
    .selectFrom('whatsapp_template')
    .where('company_id', '=', companyId)
    .where('waba_id', '=', query.wabaId)
    .where('status', '=', query.status)
  if (query.category) mine = mine.where('category', '=', query.category)
  const { n } = await mine.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  const rows = await mine
    .selectAll()
    .orderBy(query.sort, query.descending ? 'desc' : 'asc')
    .orderBy('id', query.descending ? 'desc' : 'asc')
    .offset(query.offset)
    .limit(query.limit)
    .execute()
  return { templates: rows.map(templateOf), total: n }
}

export async function findTemplate(
  db: Db,
  companyId: CompanyId,
  wabaId: string,
  id: number,
): Promise<WhatsappTemplate | undefined> {
  const row = await db
    .selectFrom('whatsapp_template')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('waba_id', '=', wabaId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && templateOf(row)
}

export type NewTemplate = Omit<WhatsappTemplate, 'id' | 'createdAt'>

/** Inserts or updates by name and language; an existing template keeps its ID. */
export async function saveTemplate(db: Db, companyId: CompanyId, template: NewTemplate, at: number): Promise<number> {
  const { wabaId, name, language, category, status } = template
  const changed = { category, status, components: JSON.stringify(template.components) }
  const { id } = await db
    .insertInto('whatsapp_template')
    .values({ ...changed, company_id: companyId, waba_id: wabaId, name, language, created_at: at })
    .onConflict((conflict) => conflict.columns(['company_id', 'waba_id', 'name', 'language']).doUpdateSet(changed))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
