import { tagFromSource, teamFromSource, userFromSource } from '../../../domain/import/objects.ts'
import { isImportProblem } from '../../../domain/import/values.ts'
import {
  addMember,
  countTeams,
  findCompany,
  findUser,
  insertTeam,
  insertUser,
  lockCompany,
  maxTeams,
  takenNames,
  teamsByName,
  updateUser,
} from '../../accounts/index.ts'
import { findTagNamed, insertTag, updateTag } from '../../calls/index.ts'
import type { KindImport, RowOutcome, RowWriting } from './importing.ts'

/** Users get no invitation: an owner checks their roles and invites them. */
export const importUsers: KindImport = {
  kind: 'users',
  list: { path: '/v1/users', root: 'users', timeField: 'created_at' },
  async write(writing) {
    const { tx, companyId, row, known, run, services } = writing
    const user = userFromSource(row)
    if (isImportProblem(user)) return user
    const present = await findUser(tx, companyId, known === undefined ? user.email : Number(known))
    const profile = {
      first_name: user.firstName,
      last_name: user.lastName,
      language: user.language,
      time_zone: user.timeZone,
      wrap_up_time: user.wrapUpTime,
    }
    if (present) {
      if (run.merges) await updateUser(tx, companyId, present.id, profile)
      return { outcome: run.merges ? 'updated' : 'existing', ownId: String(present.id) }
    }
    if (known !== undefined) return { outcome: 'existing', ownId: known }
    const { extension } = user
    const isFree = extension !== null && !(await takenNames(tx, companyId)).extensions.has(extension)
    const id = await insertUser(
      tx,
      companyId,
      { ...user, roles: ['agent'], confirmedAt: null },
      user.createdAt ?? services.clock.now(),
    )
    await updateUser(tx, companyId, id, { reason: user.reason, ...(isFree && { extension }) })
    writing.toCheck('check the role and the working hours of the user, and send an invitation')
    return { outcome: 'created', ownId: String(id) }
  },
}

export const importTeams: KindImport = {
  kind: 'teams',
  list: { path: '/v1/teams', root: 'teams' },
  async write(writing) {
    const { tx, companyId, row, known, run, services } = writing
    const team = teamFromSource(row)
    if (isImportProblem(team)) return team
    const at = team.createdAt ?? services.clock.now()
    const present = known ?? (await teamsByName(tx, companyId)).get(team.name.toLowerCase())
    if (present !== undefined) {
      if (run.merges) await addMembers(writing, Number(present), team.memberIds, at)
      return { outcome: run.merges ? 'updated' : 'existing', ownId: String(present) }
    }
    await lockCompany(tx, companyId)
    const { plan } = await findCompany(tx, companyId)
    if ((await countTeams(tx, companyId)) >= maxTeams[plan])
      return { problem: `the plan ${plan} allows ${maxTeams[plan]} teams` }
    const id = await insertTeam(tx, companyId, team.name, at)
    await addMembers(writing, id, team.memberIds, at)
    return { outcome: 'created', ownId: String(id) }
  },
}

async function addMembers({ tx, companyId, ids }: RowWriting, teamId: number, members: string[], at: number) {
  for (const member of members) {
    const userId = ids.users.get(member)
    const user = userId === undefined ? undefined : await findUser(tx, companyId, userId)
    if (user) await addMember(tx, companyId, teamId, user.id, at)
  }
}

export const importTags: KindImport = {
  kind: 'tags',
  list: { path: '/v1/tags', root: 'tags' },
  async write({ tx, companyId, row, known, run, services }): Promise<RowOutcome> {
    const tag = tagFromSource(row)
    if (isImportProblem(tag)) return tag
    const present = known ?? (await findTagNamed(tx, companyId, tag.name))?.id
    if (present === undefined) {
      const { id } = await insertTag(tx, companyId, tag, services.clock.now())
      return { outcome: 'created', ownId: String(id) }
    }
    const isUpdated =
      run.merges && (await updateTag(tx, companyId, Number(present), { color: tag.color })) !== undefined
    return { outcome: isUpdated ? 'updated' : 'existing', ownId: String(present) }
  },
}
