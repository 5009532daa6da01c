import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { ringTargets } from '../domain/flow/references.ts'
import { linkedUserIds, type PhoneNumber, pageOfNumbers } from '../features/accounts/numbers/store.ts'
import { pageOfTeams, type Team } from '../features/accounts/teams/store.ts'
import { pageOfUsers } from '../features/accounts/users/store.ts'
import { pageOfTags } from '../features/calls/tags/store.ts'
import { windowOf } from '../http/paging.ts'
import type { Office } from './scenarios/plan.ts'

const everything = { ...windowOf({}), limit: 1_000 }

/** Snapshot of the company for scenarios and generated history. */
export async function officeIn(db: Db, companyId: CompanyId, at: number): Promise<Office> {
  const { users } = await pageOfUsers(db, companyId, everything)
  const { teams } = await pageOfTeams(db, companyId, everything)
  const { numbers } = await pageOfNumbers(db, companyId, everything)
  const { tags } = await pageOfTags(db, companyId, everything)
  const linked = await linkedUserIds(
    db,
    companyId,
    numbers.map(({ id }) => id),
  )
  const confirmed = users.filter((user) => user.confirmed && user.active).map(({ id }) => id)
  const isThere = (id: number) => confirmed.includes(id)
  return {
    at,
    userIds: confirmed,
    lines: numbers.map((number) => ({
      id: number.id,
      digits: number.digits,
      validated: number.validated,
      recording: number.recording,
      timeZone: number.timeZone,
      flow: number.flow,
      ringers: ringersOf(number, teams).filter(isThere),
      linked: (linked.get(number.id) ?? []).filter(isThere),
    })),
    tagIds: tags.map(({ id }) => id),
  }
}

function ringersOf({ flow }: PhoneNumber, teams: readonly Team[]): number[] {
  const rung = ringTargets(flow)
  const members = teams.filter(({ id }) => rung.teams.includes(id)).flatMap((team) => team.members.map(({ id }) => id))
  return [...new Set([...rung.users, ...members])].sort((a, b) => a - b)
}

/** Members by team, and tags by name. */
export async function teamsAndTags(db: Db, companyId: CompanyId) {
  const { teams } = await pageOfTeams(db, companyId, everything)
  const { tags } = await pageOfTags(db, companyId, everything)
  return {
    teams: new Map(teams.map((team) => [team.id, team.members.map(({ id }) => id)])),
    tags: new Map(tags.map(({ id, name }) => [name, id])),
  }
}
