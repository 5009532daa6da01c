import type { Db } from '../../../db/database.ts'
import type { CompanyId, GuideTable } from '../../../db/tables.ts'
import type { Section } from '../../../domain/intelligence/custom-summary.ts'
import type { PlaybookTopic } from '../../../domain/intelligence/playbook.ts'
import type { Scorecard } from '../../../domain/intelligence/scorecard.ts'

/** Topics, playbooks, summary templates and scorecards of a company. */
export interface Documents {
  topic: { keywords: string[] }
  playbook: { language: string; topics: PlaybookTopic[] }
  summary_template: { language: string; sections: Section[] }
  scorecard: Omit<Scorecard, 'name'>
}
export type GuideKind = GuideTable['kind']

export type Guide = {
  [K in GuideKind]: {
    id: number
    kind: K
    name: string
    active: boolean
    document: Documents[K]
    createdAt: number
    updatedAt: number
  }
}[GuideKind]
export type GuideOf<K extends GuideKind> = Extract<Guide, { kind: K }>
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
export type NewGuide = WithoutId<Guide>

const columns = ['id', 'kind', 'name', 'active', 'document', 'created_at', 'updated_at'] as const

function toGuide(
  row: Pick<GuideTable, 'kind' | 'name' | 'active' | 'document' | 'created_at' | 'updated_at'> & { id: number },
) {
  const { id, kind, name, created_at, updated_at } = row
  const guide = { id, kind, name, active: row.active === 1, createdAt: created_at, updatedAt: updated_at }
  return { ...guide, document: JSON.parse(row.document) } as Guide
}

export async function guidesOf(db: Db, companyId: CompanyId): Promise<Guide[]> {
  const rows = await db.selectFrom('guide').select(columns).where('company_id', '=', companyId).orderBy('id').execute()
  return rows.map(toGuide)
}

/** Active guides only. */
export async function activeGuides<K extends GuideKind>(db: Db, companyId: CompanyId, kind: K): Promise<GuideOf<K>[]> {
  const rows = await db
    .selectFrom('guide')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('kind', '=', kind)
    .where('active', '=', 1)
    .orderBy('id')
    .execute()
  return rows.map((row) => toGuide(row) as GuideOf<K>)
}

export async function findGuide(db: Db, companyId: CompanyId, id: number): Promise<Guide | undefined> {
  const row = await db
    .selectFrom('guide')
    .select(columns)
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row && toGuide(row)
}

const columnsOf = ({ kind, name, active, document, createdAt, updatedAt }: NewGuide) => ({
  kind,
  name,
  active: active ? (1 as const) : (0 as const),
  document: JSON.stringify(document),
  created_at: createdAt,
  updated_at: updatedAt,
})

export async function insertGuide(db: Db, companyId: CompanyId, guide: NewGuide): Promise<number> {
  const { id } = await db
    .insertInto('guide')
    .values({ company_id: companyId, ...columnsOf(guide) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateGuide(db: Db, companyId: CompanyId, guide: Guide): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('guide')
    .set(columnsOf(guide))
    .where('id', '=', guide.id)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteGuide(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('guide')
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
