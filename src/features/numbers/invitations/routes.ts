import { Type } from 'typebox'
import { undoneIfFailed } from '../../../db/database.ts'
import { isEmail } from '../../../domain/email.ts'
import { ApiError, badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import {
  type Actor,
  actorOf,
  findNumber,
  findTeam,
  invitationLink,
  inviteUser,
  joinTeam,
  rolesOf,
  userIdOf,
} from '../../accounts/index.ts'
import { linkUsers } from '../numbers/actions.ts'
import { explicitUserIds } from '../numbers/store.ts'

// Several users at once, with their roles, teams and numbers. One address that is refused does not stop the others.

const maxPeople = 50
const maxTargets = 50
const Roles = Type.Array(oneOf(['owner', 'supervisor', 'admin', 'agent']), { minItems: 1, maxItems: 4 })

const InvitationResult = Type.Object({
  email: Type.String(),
  user_id: nullable(Type.Integer()),
  link: nullable(
    Type.String({ description: 'Sets the password of the account; null for an owner unless you are one, too' }),
  ),
  problem: nullable(Type.String({ description: 'Why the user was not invited, or not added to a team or Number' })),
})

const inviteSeveral = route({
  method: 'POST',
  path: '/v1/invitations',
  summary: 'Invite several users with the same roles, teams and Numbers',
  description:
    'Returns one result per address. With a mail server each user also receives an email with a link of its own.',
  tag: 'Users',
  access: 'app',
  keyedInApps: true,
  body: Type.Object({
    people: Type.Array(
      Type.Object({
        email: text(254, { examples: ['ada@example.com'] }),
        first_name: nameText(255),
        last_name: nameText(255),
      }),
      { minItems: 1, maxItems: maxPeople },
    ),
    role_ids: Roles,
    team_ids: Type.Optional(Type.Array(Id, { maxItems: maxTargets })),
    number_ids: Type.Optional(Type.Array(Id, { maxItems: maxTargets })),
    wrap_up_time: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600, description: 'Seconds; for agents' })),
  }),
  errors: [{ status: 400, when: 'a team or Number does not exist' }],
  reply: { status: 200, body: Type.Object({ results: Type.Array(InvitationResult) }) },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const [teamIds, numberIds] = [body.team_ids ?? [], body.number_ids ?? []]
    await checkTargets(services, companyId, teamIds, numberIds)
    const by = { actor: actorOf(caller), address }
    const inviterId = userIdOf(caller)
    const mayLinkOwners = inviterId !== null && (await rolesOf(services.db, companyId, inviterId)).includes('owner')
    const mayLink = mayLinkOwners || !body.role_ids.includes('owner')
    const results: InvitedPerson[] = []
    for (const { email, first_name: firstName, last_name: lastName } of body.people) {
      const person = { email: email.trim(), firstName, lastName }
      const common = { roles: body.role_ids, wrapUpTime: body.wrap_up_time ?? 0, status: 'available' as const }
      results.push(await inviteOne(services, companyId, { ...person, ...common }, teamIds, mayLink, by))
    }
    await addToNumbers(services, companyId, numberIds, results)
    return {
      results: results.map(({ email, userId, link, problem }) => ({ email, user_id: userId, link, problem })),
    }
  },
})

interface InvitedPerson {
  email: string
  userId: number | null
  link: string | null
  problem: string | null
}

type NewPerson = Parameters<typeof inviteUser>[2]
type By = { actor: Actor; address: string | undefined }

async function checkTargets(
  { db }: Services,
  companyId: number,
  teamIds: readonly number[],
  numberIds: readonly number[],
): Promise<void> {
  for (const id of teamIds) if (!(await findTeam(db, companyId, id))) throw badRequest('`team_ids` must be teams')
  for (const id of numberIds)
    if (!(await findNumber(db, companyId, id))) throw badRequest('`number_ids` must be Numbers of the company')
}

async function inviteOne(
  services: Services,
  companyId: number,
  person: NewPerson,
  teamIds: readonly number[],
  mayLink: boolean,
  by: By,
): Promise<InvitedPerson> {
  const { email } = person
  const result: InvitedPerson = { email, userId: null, link: null, problem: null }
  if (!isEmail(email)) return { ...result, problem: 'This is not an email address' }
  try {
    const { db } = services
    const { user } = await undoneIfFailed(db, () => inviteUser(services, companyId, person, by))
    result.userId = user.id
    if (mayLink) {
      const { link } = await undoneIfFailed(db, () => invitationLink(services, companyId, user.id, by))
      result.link = link
    }
    for (const teamId of teamIds) await undoneIfFailed(db, () => joinTeam(services, companyId, teamId, user.id))
    return result
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...result, problem: error.message }
  }
}

/** One change per number: all invited users are linked at once. */
async function addToNumbers(
  services: Services,
  companyId: number,
  numberIds: readonly number[],
  results: readonly InvitedPerson[],
): Promise<void> {
  const invited = results.filter(({ userId }) => userId !== null)
  const newIds = invited.flatMap(({ userId }) => userId ?? [])
  if (newIds.length === 0) return
  for (const id of numberIds) {
    try {
      const before = await explicitUserIds(services.db, companyId, id)
      await undoneIfFailed(services.db, () => linkUsers(services, companyId, id, [...before, ...newIds]))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      for (const result of invited) result.problem ??= `Invited, but not added to a Number: ${error.message}`
    }
  }
}

export const invitationRoutes = [inviteSeveral]
