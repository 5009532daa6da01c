import { type Static, Type } from 'typebox'
import type { CompanyId, Role } from '../../../db/tables.ts'
import { isTimeZone } from '../../../domain/opening-hours.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { hasOpus } from '../../../media/opus.ts'
import type { Services } from '../../../services.ts'
import { actorOf } from '../audit/record.ts'
import { findNumber } from '../numbers/store.ts'
import { invitationLink, inviteAgain } from './actions.ts'
import { changeUser } from './change.ts'
import { deactivateUser, reactivateUser } from './deactivation.ts'
import { userEdits } from './edited.ts'
import { findUser, pageOfUsers, rolesOf, rolesOfUsers, type User } from './store.ts'
import { CallSoundField } from './view.ts'

// What the dashboard shows and changes of a user beyond the public User object.

const tag = 'Users'

const Profile = Type.Object({
  id: Type.Integer(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  roles: Type.Array(oneOf(['owner', 'admin', 'supervisor', 'agent'])),
  confirmed: Type.Boolean({ description: 'Whether the user has confirmed the account' }),
  active: Type.Boolean({ description: 'False for a deactivated user, who neither signs in nor is called' }),
  time_zone: Type.String(),
  language: Type.String(),
  extension: Type.String(),
  default_number_id: nullable(Type.Integer()),
  call_sound: CallSoundField,
})

const profileView = (user: User, roles: Role[]): Static<typeof Profile> => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  roles,
  confirmed: user.confirmed,
  active: user.active,
  time_zone: user.timeZone,
  language: user.language,
  extension: user.extension,
  default_number_id: user.defaultNumberId,
  call_sound: user.callSound,
})

const UserParams = Type.Object({ id: Id })
const loadUser = ({ params, caller, services }: Loading) => findUser(services.db, caller.companyId, params.id)
type Loading = { params: { id: number }; caller: { companyId: CompanyId }; services: Services }

const listProfiles = route({
  method: 'GET',
  path: '/v1/profiles',
  summary: 'List users with their roles and confirmation state',
  tag,
  access: 'app',
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, profiles: Type.Array(Profile) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { users, total } = await pageOfUsers(services.db, companyId, window)
    const ids = users.map(({ id }) => id)
    const roles = await rolesOfUsers(services.db, companyId, ids)
    const profiles = users.map((user) => profileView(user, roles.get(user.id) ?? []))
    return { meta: metaOf(place, window, profiles.length, total), profiles }
  },
})

const getProfile = route({
  method: 'GET',
  path: '/v1/users/:id/profile',
  summary: 'Retrieve the profile of a user: names, roles, time zone, extension',
  tag,
  access: 'app',
  params: UserParams,
  load: loadUser,
  reply: { status: 200, body: Type.Object({ profile: Profile, robust_sound_available: Type.Boolean() }) },
  async handle({ loaded, caller, services }) {
    const profile = profileView(loaded, await rolesOf(services.db, caller.companyId, loaded.id))
    return { profile, robust_sound_available: hasOpus() }
  },
})

const putProfile = route({
  method: 'PUT',
  path: '/v1/users/:id/profile',
  summary: 'Update time zone, language, extension, default Number and call audio of a user',
  tag,
  access: 'app',
  params: UserParams,
  load: loadUser,
  edits: userEdits,
  body: Type.Object({
    time_zone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA time zone; working hours use it' })),
    language: Type.Optional(Type.String({ pattern: '^[a-z]{2}-[A-Z]{2}$', maxLength: 5 })),
    extension: Type.Optional(
      Type.String({ pattern: '^[0-9]{3,6}$', maxLength: 6, description: 'Unique in the company' }),
    ),
    default_number_id: Type.Optional(nullable(Id)),
    call_sound: Type.Optional(CallSoundField),
  }),
  errors: [
    { status: 400, when: 'time_zone is not an IANA time zone, or the Number does not exist' },
    { status: 422, when: 'the extension is already in use' },
  ],
  reply: { status: 200, body: Type.Object({ profile: Profile }) },
  async handle({ body, loaded, caller: { companyId }, services }) {
    const { time_zone: timeZone, default_number_id: defaultNumberId, call_sound: callSound, language, extension } = body
    if (timeZone !== undefined && !isTimeZone(timeZone))
      throw badRequest('`time_zone` must be an IANA time zone, for example Europe/Paris')
    if (defaultNumberId && !(await findNumber(services.db, companyId, defaultNumberId))) {
      throw badRequest('`default_number_id` must be the id of a Number of the company')
    }
    const input = { timeZone, language, extension, defaultNumberId, callSound }
    const user = await changeUser(services, companyId, loaded.id, input)
    return { profile: profileView(user, await rolesOf(services.db, companyId, user.id)) }
  },
})

const postInvitation = route({
  method: 'POST',
  path: '/v1/users/:id/invitation',
  summary: 'Send the invitation again; the new link is valid for 24 hours',
  tag,
  access: 'app',
  keyedInApps: true,
  params: UserParams,
  load: loadUser,
  errors: [{ status: 422, when: 'the user has already confirmed the account' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    await inviteAgain(services, caller.companyId, loaded.id)
    return {}
  },
})

const postInvitationLink = route({
  method: 'POST',
  path: '/v1/users/:id/invitation_link',
  summary: 'Create an invitation link to pass on; no email is sent',
  description:
    'The link works once, is valid for 24 hours, and sets the password of the account. Earlier links stay valid.',
  tag,
  access: 'app',
  keyedInApps: true,
  params: UserParams,
  load: loadUser,
  errors: [
    { status: 403, when: 'the invited user is an owner and you are not' },
    { status: 422, when: 'the user has already confirmed the account' },
  ],
  reply: {
    status: 201,
    body: Type.Object({ link: Type.String(), expires_at: Type.String({ format: 'date-time' }) }),
  },
  async handle({ loaded, caller, services, address }) {
    const { companyId } = caller
    const held = await rolesOf(services.db, companyId, loaded.id)
    if (held.includes('owner') && !(await isOwner(services, caller))) {
      throw forbidden('Only an owner can create a link to the account of an owner')
    }
    const by = { actor: actorOf(caller), address }
    const { link, expiresAt } = await invitationLink(services, companyId, loaded.id, by)
    return { link, expires_at: isoSeconds(expiresAt) }
  },
})

const postDeactivation = route({
  method: 'POST',
  path: '/v1/users/:id/deactivate',
  summary: 'Deactivate a user',
  description:
    'The user is signed out everywhere, devices can no longer register, and no call rings the user until the account is ' +
    'reactivated. Name, calls, teams and Numbers are kept.',
  tag,
  access: 'app',
  params: UserParams,
  load: loadUser,
  errors: [
    { status: 403, when: 'the user is an owner and you are not' },
    { status: 422, when: 'the user is you or the last owner, or has not accepted the invitation' },
  ],
  reply: { status: 200, body: Type.Object({ profile: Profile }) },
  async handle({ loaded, caller, services, address }) {
    await requireOwnerForOwner(services, caller, loaded.id)
    const user = await deactivateUser(services, caller.companyId, loaded.id, { actor: actorOf(caller), address })
    return { profile: profileView(user, await rolesOf(services.db, caller.companyId, user.id)) }
  },
})

const postReactivation = route({
  method: 'POST',
  path: '/v1/users/:id/reactivate',
  summary: 'Reactivate a deactivated user',
  tag,
  access: 'app',
  params: UserParams,
  load: loadUser,
  errors: [{ status: 403, when: 'the user is an owner and you are not' }],
  reply: { status: 200, body: Type.Object({ profile: Profile }) },
  async handle({ loaded, caller, services, address }) {
    await requireOwnerForOwner(services, caller, loaded.id)
    const user = await reactivateUser(services, caller.companyId, loaded.id, { actor: actorOf(caller), address })
    return { profile: profileView(user, await rolesOf(services.db, caller.companyId, user.id)) }
  },
})

async function requireOwnerForOwner(services: Services, caller: Caller, userId: number): Promise<void> {
  const held = await rolesOf(services.db, caller.companyId, userId)
  if (held.includes('owner') && !(await isOwner(services, caller))) {
    throw forbidden('Only an owner can deactivate or reactivate an owner')
  }
}

async function isOwner({ db }: Services, { companyId, via }: Caller): Promise<boolean> {
  return via.kind === 'session' && (await rolesOf(db, companyId, via.userId)).includes('owner')
}

export const profileRoutes = [
  listProfiles,
  getProfile,
  putProfile,
  postInvitation,
  postInvitationLink,
  postDeactivation,
  postReactivation,
]
