import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** The owner is not part of the public contact, so neither its time of change nor an event follows. */
export async function setContactOwner(db: Db, companyId: CompanyId, id: number, ownerId: number | null): Promise<void> {
  await db
    .updateTable('contact')
    .set({ owner_id: ownerId })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}
