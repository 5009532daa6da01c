import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { notFound } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { lockUser } from '../users/store.ts'
import { addMember, lockTeam } from './store.ts'

/** Adds a user to a team unless they are a member. */
export async function joinTeam({ db, clock }: Services, companyId: CompanyId, teamId: number, userId: number) {
  await transaction(db, async (tx) => {
    const stillThere = (await lockUser(tx, companyId, userId)) && (await lockTeam(tx, companyId, teamId))
    if (!stillThere) throw notFound()
    await addMember(tx, companyId, teamId, userId, clock.now())
  })
}
