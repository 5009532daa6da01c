import { Type } from 'typebox'
import {
  type AvailabilityStatus,
  type AwayReason,
  awayReasons,
  granular,
  isOpenForCalls,
} from '../../../domain/availability.ts'
import { parseSchedule } from '../../../domain/opening-hours.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { idFrom } from '../../../http/input.ts'
import { Meta, metaOf, PageQuery, RangeQuery, windowOf } from '../../../http/paging.ts'
import { type Input, route } from '../../../http/route.ts'
import { Id, Json, oneOf, UserRef } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { actorOf } from '../audit/record.ts'
import { anyRole } from '../credentials/roles.ts'
import { NumberOfUser, numberOfUserView } from '../numbers/nested.ts'
import { linkedNumberIds, pageOfNumbers } from '../numbers/store.ts'
import { deleteUser } from './actions.ts'
import { changeUser, setWorkingHours } from './change.ts'
import { userEdits, workingHoursOf } from './edited.ts'
import {
  InvitedStatus,
  InvitedUser,
  invite,
  maxUserNameLength,
  type NewUserRequest,
  RoleIds,
  UserName,
  WrapUpTime,
} from './new-user.ts'
import { findUser, pageOfUsers, rolesOf, type User } from './store.ts'
import { UserV1, UserV2, usersV1View, userV1View, userV2View } from './view.ts'

const tag = 'Users'
const UserParams = Type.Object({ id: UserRef })
const loadUser = ({ params, caller, services }: Loading): Promise<User | undefined> =>
  findUser(services.db, caller.companyId, params.id)
type Loading = { params: { id: number | string }; caller: { companyId: number }; services: Services }

/** Validated by nameIn, which distinguishes a blank name from a value that is not a name. */
const NewName = Type.Unsafe<unknown>({ ...UserName, 'x-any': true })

const UpdateBody = Type.Object({
  first_name: Type.Optional(NewName),
  last_name: Type.Optional(NewName),
  availability_status: Type.Optional(InvitedStatus),
  substatus: Type.Optional(
    Type.Unsafe<unknown>({
      'x-any': true,
      enum: [...awayReasons],
      description: 'Ignored unless the status is unavailable',
    }),
  ),
  role_ids: Type.Optional(RoleIds),
  wrap_up_time: Type.Optional(WrapUpTime),
})

const oldVersion = (successor: string) => ({ since: '2026-02-25', sunset: '2026-09-30', successor })

const listUsersV1 = route({
  method: 'GET',
  path: '/v1/users',
  summary: 'List users',
  tag,
  roles: anyRole,
  deprecated: oldVersion('/v2/users'),
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, users: Type.Array(UserV1) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { users, total } = await pageOfUsers(services.db, companyId, window)
    const views = await usersV1View(services.db, companyId, viewContextOf(services), users)
    return { meta: metaOf(place, window, views.length, total), users: views }
  },
})

const listUsersV2 = route({
  method: 'GET',
  path: '/v2/users',
  summary: 'List users',
  tag,
  roles: anyRole,
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, users: Type.Array(UserV2) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const { users, total } = await pageOfUsers(services.db, caller.companyId, window)
    const context = viewContextOf(services)
    return { meta: metaOf(place, window, users.length, total), users: users.map((user) => userV2View(context, user)) }
  },
})

const getUserV1 = route({
  method: 'GET',
  path: '/v1/users/:id',
  summary: 'Retrieve a user by id or email address',
  tag,
  roles: anyRole,
  deprecated: oldVersion('/v2/users/:id'),
  params: UserParams,
  load: loadUser,
  reply: { status: 200, body: Type.Object({ user: UserV1 }) },
  async handle({ loaded, caller, services }) {
    return { user: await userV1View(services.db, caller.companyId, viewContextOf(services), loaded) }
  },
})

const getUserV2 = route({
  method: 'GET',
  path: '/v2/users/:id',
  summary: 'Retrieve a user by id or email address',
  tag,
  roles: anyRole,
  params: UserParams,
  load: loadUser,
  reply: { status: 200, body: Type.Object({ user: UserV2 }) },
  async handle({ loaded, services }) {
    return { user: userV2View(viewContextOf(services), loaded) }
  },
})

/** Whether the id is that of an owner or admin of the company. */
async function isAdminNamed({ body, caller, services }: Pick<NewUserRequest, 'body' | 'caller' | 'services'>) {
  const id = idFrom(body.inviter_user_id)
  const user = id === undefined ? undefined : await findUser(services.db, caller.companyId, id)
  const held = user ? await rolesOf(services.db, caller.companyId, user.id) : []
  return held.includes('owner') || held.includes('admin')
}

const createUserV1 = route({
  method: 'POST',
  path: '/v1/users',
  summary: 'Invite a user',
  description:
    'Sends an invitation by email; the user must confirm the account within 24 hours. Emits user.created(.v2).',
  tag,
  deprecated: oldVersion('/v2/users'),
  body: InvitedUser,
  unprocessable: ['email'],
  errors: [
    { status: 400, when: 'inviter_user_id is unknown or not an admin' },
    { status: 422, when: 'email is malformed or already used in the company' },
  ],
  reply: { status: 201, body: Type.Object({ user: UserV1 }) },
  async handle(input) {
    const { body, caller, services } = input
    if (body.inviter_user_id !== undefined && !(await isAdminNamed(input))) {
      throw badRequest('`inviter_user_id` must be the id of an owner or admin of the company')
    }
    const user = await invite(input)
    return { user: await userV1View(services.db, caller.companyId, viewContextOf(services), user) }
  },
})

const createUserV2 = route({
  method: 'POST',
  path: '/v2/users',
  summary: 'Invite a user',
  description: 'As V1, but an inviter_user_id that is unknown or not an admin is ignored.',
  tag,
  body: InvitedUser,
  unprocessable: ['email'],
  errors: [{ status: 422, when: 'email is malformed or already used in the company' }],
  reply: { status: 201, body: Type.Object({ user: UserV2 }) },
  async handle(input) {
    const user = await invite(input)
    return { user: userV2View(viewContextOf(input.services), user) }
  },
})

type UpdateInput = Input<typeof UserParams, typeof UserParams, typeof UpdateBody, User>

type Update = Pick<UpdateInput, 'body' | 'caller' | 'services' | 'loaded' | 'address'>

function change({ body, caller, services, loaded, address }: Update): Promise<User> {
  const input = {
    firstName: nameIn('first_name', body.first_name),
    lastName: nameIn('last_name', body.last_name),
    status: body.availability_status,
    reason: reasonIn(body.substatus, body.availability_status ?? loaded.status),
    roles: body.role_ids,
    wrapUpTime: body.wrap_up_time,
  }
  return changeUser(services, caller.companyId, loaded.id, input, { actor: actorOf(caller), address })
}

/** Validated only if it applies, so that a client can send back a user as it was read. */
function reasonIn(given: unknown, status: AvailabilityStatus): AwayReason | undefined {
  if (given === undefined || status !== 'unavailable') return undefined
  const reason = awayReasons.find((one) => one === given)
  if (!reason) throw badRequest(`\`substatus\` must be one of ${awayReasons.join(', ')}`)
  return reason
}

function nameIn(field: string, given: unknown): string | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string' && given.trim() === '') throw unprocessable(`\`${field}\` must not be blank`)
  if (typeof given === 'string' && [...given.trim()].length <= maxUserNameLength) return given.trim()
  throw badRequest(`\`${field}\` must be a String of at most ${maxUserNameLength} characters`)
}

const updateErrors = [{ status: 422 as const, when: 'a name is blank, or the last owner would lose the role' }]

const updateUserV1 = route({
  method: 'PUT',
  path: '/v1/users/:id',
  summary: 'Update a user',
  tag,
  deprecated: oldVersion('/v2/users/:id'),
  params: UserParams,
  load: loadUser,
  edits: userEdits,
  body: UpdateBody,
  errors: updateErrors,
  reply: { status: 200, body: Type.Object({ user: UserV1 }) },
  async handle(input) {
    const { services, caller } = input
    return { user: await userV1View(services.db, caller.companyId, viewContextOf(services), await change(input)) }
  },
})

const updateUserV2 = route({
  method: 'PUT',
  path: '/v2/users/:id',
  summary: 'Update a user',
  tag,
  params: UserParams,
  load: loadUser,
  edits: userEdits,
  body: UpdateBody,
  errors: updateErrors,
  reply: { status: 200, body: Type.Object({ user: UserV2 }) },
  async handle(input) {
    return { user: userV2View(viewContextOf(input.services), await change(input)) }
  },
})

const removeUser = route({
  method: 'DELETE',
  path: '/v1/users/:id',
  summary: 'Delete a user and erase their data',
  description: 'Reads return 404 immediately; the data is erased within minutes. Emits user.deleted(.v2).',
  tag,
  params: UserParams,
  load: loadUser,
  errors: [{ status: 422, when: 'the user is the last owner, or is on a call' }],
  reply: { status: 204 },
  async handle({ loaded, caller, address, services }) {
    await deleteUser(services, caller.companyId, loaded.id, { actor: actorOf(caller), address })
    return {}
  },
})

const availabilityOf = (user: User, at: number) => granular({ ...user, openForCalls: isOpenForCalls(user, at) })
const Granular = oneOf(['available', 'offline', 'do_not_disturb', 'in_call', 'after_call_work'])

const listAvailabilities = route({
  method: 'GET',
  path: '/v1/users/availabilities',
  summary: 'List the granular availability of all users',
  tag,
  roles: anyRole,
  query: RangeQuery,
  reply: {
    status: 200,
    body: Type.Object({
      meta: Meta,
      users: Type.Array(Type.Object({ id: Type.Integer(), availability: Granular })),
    }),
  },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const { users, total } = await pageOfUsers(services.db, caller.companyId, window)
    const at = services.clock.now()
    const items = users.map((user) => ({ id: user.id, availability: availabilityOf(user, at) }))
    return { meta: metaOf(place, window, items.length, total), users: items }
  },
})

const getAvailability = route({
  method: 'GET',
  path: '/v1/users/:id/availability',
  summary: 'Retrieve the granular availability of a user',
  tag,
  roles: anyRole,
  params: UserParams,
  load: loadUser,
  reply: { status: 200, body: Type.Object({ availability: Granular }) },
  async handle({ loaded, services }) {
    return { availability: availabilityOf(loaded, services.clock.now()) }
  },
})

const listNumbersOfUser = route({
  method: 'GET',
  path: '/v2/users/:id/numbers',
  summary: 'List the Numbers of a user',
  tag,
  roles: anyRole,
  params: UserParams,
  load: loadUser,
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ numbers: Type.Array(NumberOfUser), meta: Meta }) },
  async handle({ query, loaded, caller, services, place }) {
    const window = windowOf(query)
    const linked = await linkedNumberIds(services.db, caller.companyId, [loaded.id])
    const page = await pageOfNumbers(services.db, caller.companyId, window, linked.get(loaded.id) ?? [])
    const context = viewContextOf(services)
    const numbers = page.numbers.map((number) => numberOfUserView(context, number))
    return { numbers, meta: metaOf(place, window, numbers.length, page.total) }
  },
})

const WorkingHours = Type.Object({ hours: Json, closed_dates: Json })

const getWorkingHours = route({
  method: 'GET',
  path: '/v1/users/:id/working_hours',
  summary: 'Retrieve the working hours of a user',
  tag,
  access: 'app',
  params: Type.Object({ id: Id }),
  load: loadUser,
  reply: { status: 200, body: WorkingHours },
  async handle({ loaded }) {
    return workingHoursOf(loaded)
  },
})

const putWorkingHours = route({
  method: 'PUT',
  path: '/v1/users/:id/working_hours',
  summary: 'Set the working hours of a user, in the time zone of the user',
  tag,
  access: 'app',
  params: Type.Object({ id: Id }),
  load: loadUser,
  edits: { object: 'working_hours', view: ({ loaded }) => workingHoursOf(loaded) },
  body: Type.Object({ hours: Json, closed_dates: Type.Optional(Json) }),
  reply: { status: 200, body: WorkingHours },
  async handle({ body, loaded, caller, services }) {
    const parsed = parseSchedule(body)
    if ('problem' in parsed) throw badRequest(parsed.problem)
    await setWorkingHours(services, caller.companyId, loaded.id, parsed.schedule)
    return { hours: parsed.schedule.hours, closed_dates: parsed.schedule.closedDates }
  },
})

export const userRoutes = [
  listUsersV1,
  listAvailabilities,
  getUserV1,
  createUserV1,
  updateUserV1,
  removeUser,
  getAvailability,
  listUsersV2,
  getUserV2,
  createUserV2,
  updateUserV2,
  listNumbersOfUser,
  getWorkingHours,
  putWorkingHours,
]
