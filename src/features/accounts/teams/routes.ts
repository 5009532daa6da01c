import { Type } from 'typebox'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, UserRef } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { lockCompany, maxTeams } from '../companies/store.ts'
import { anyRole } from '../credentials/roles.ts'
import { removeTarget } from '../numbers/store.ts'
import { findUser, lockUser, type User } from '../users/store.ts'
import {
  addMember,
  countTeams,
  deleteTeam,
  findTeam,
  insertTeam,
  isTeamNameTaken,
  lockTeam,
  pageOfTeams,
  removeMember,
  type Team,
} from './store.ts'
import { TeamView, teamView } from './view.ts'

const tag = 'Teams'
const OneTeam = Type.Object({ team: TeamView })

const listTeams = route({
  method: 'GET',
  path: '/v1/teams',
  summary: 'List teams',
  tag,
  roles: anyRole,
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, teams: Type.Array(TeamView) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const { teams, total } = await pageOfTeams(services.db, caller.companyId, window)
    return {
      meta: metaOf(place, window, teams.length, total),
      teams: teams.map((team) => teamView(services.links, team)),
    }
  },
})

const getTeam = route({
  method: 'GET',
  path: '/v1/teams/:id',
  summary: 'Retrieve a team',
  tag,
  roles: anyRole,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findTeam(services.db, caller.companyId, params.id),
  reply: { status: 200, body: OneTeam },
  async handle({ loaded, services }) {
    return { team: teamView(services.links, loaded) }
  },
})

const createTeam = route({
  method: 'POST',
  path: '/v1/teams',
  summary: 'Create a team',
  tag,
  body: Type.Object({ name: nameText(64, { description: 'Unique in the company, case-insensitive' }) }),
  errors: [{ status: 400, when: 'the name is taken or too long, or the plan allows no further team' }],
  reply: { status: 201, body: OneTeam },
  async handle({ body, caller: { companyId, company }, services }) {
    const team = await transaction(services.db, async (tx) => {
      // Locked while teams are counted and inserted, so that the limit of the plan is never exceeded.
      await lockCompany(tx, companyId)
      if (await isTeamNameTaken(tx, companyId, body.name)) throw badRequest('`name` is already used by another team')
      if ((await countTeams(tx, companyId)) >= maxTeams[company.plan]) {
        throw badRequest(
          `The plan ${company.plan} allows ${maxTeams[company.plan]} teams; delete a team or change the plan`,
        )
      }
      const id = await insertTeam(tx, companyId, body.name, services.clock.now())
      return existing(tx, companyId, id)
    })
    return { team: teamView(services.links, team) }
  },
})

const removeTeam = route({
  method: 'DELETE',
  path: '/v1/teams/:id',
  summary: 'Delete a team; it is removed from call distribution, users and calls stay',
  description: 'Past calls still show the team.',
  tag,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findTeam(services.db, caller.companyId, params.id),
  reply: { status: 204 },
  async handle({ loaded, caller: { companyId }, services }) {
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      await removeTarget(tx, companyId, { type: 'team', id: loaded.id }, services.clock.now())
      if (!(await deleteTeam(tx, companyId, loaded.id, services.clock.now()))) throw notFound()
    })
    return {}
  },
})

const MemberParams = Type.Object({ team_id: Id, user_id: UserRef })

interface Membership {
  params: { team_id: number; user_id: number | string }
  caller: { companyId: CompanyId }
  services: Services
}

async function loadMembership({ params, caller, services }: Membership) {
  const team = await findTeam(services.db, caller.companyId, params.team_id)
  const user = await findUser(services.db, caller.companyId, params.user_id)
  return team && user && { team, user }
}

const addTeamUser = route({
  method: 'POST',
  path: '/v1/teams/:team_id/users/:user_id',
  summary: 'Add a user to a team',
  tag,
  params: MemberParams,
  load: loadMembership,
  errors: [{ status: 422, when: 'the user is already a member' }],
  reply: { status: 201, body: OneTeam },
  async handle({ loaded: { team, user }, caller: { companyId }, services }) {
    const changed = await changeMembers(services, companyId, { team, user }, async (tx) => {
      const added = await addMember(tx, companyId, team.id, user.id, services.clock.now())
      if (!added) throw unprocessable('The user is already a member of the team')
    })
    return { team: teamView(services.links, changed) }
  },
})

const removeTeamUser = route({
  method: 'DELETE',
  path: '/v1/teams/:team_id/users/:user_id',
  summary: 'Remove a user from a team; calls of the user stay',
  tag,
  params: MemberParams,
  load: loadMembership,
  errors: [{ status: 422, when: 'the user is not a member' }],
  reply: { status: 200, body: OneTeam },
  async handle({ loaded: { team, user }, caller: { companyId }, services }) {
    const changed = await changeMembers(services, companyId, { team, user }, async (tx) => {
      const removed = await removeMember(tx, companyId, team.id, user.id)
      if (!removed) throw unprocessable('The user is not a member of the team')
    })
    return { team: teamView(services.links, changed) }
  },
})

/** Locks team and user: a concurrent deletion happens before or after. */
function changeMembers(
  services: Services,
  companyId: CompanyId,
  { team, user }: { team: Team; user: User },
  change: (tx: Tx) => Promise<void>,
): Promise<Team> {
  return transaction(services.db, async (tx) => {
    const stillThere = (await lockUser(tx, companyId, user.id)) && (await lockTeam(tx, companyId, team.id))
    if (!stillThere) throw notFound()
    await change(tx)
    return existing(tx, companyId, team.id)
  })
}

async function existing(tx: Tx, companyId: CompanyId, id: number): Promise<Team> {
  const team = await findTeam(tx, companyId, id)
  if (!team) throw new Error('a team that was just written must exist')
  return team
}

export const teamRoutes = [listTeams, getTeam, createTeam, removeTeam, addTeamUser, removeTeamUser]
