// The list of users in the dashboard: filtered, sorted and paged on the server, with roles, teams, Numbers and status.
import { type Static, Type } from 'typebox'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, oneOf } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { directoryInOrder, directorySorts, isListed, type ListedUser, listedAt, userStates } from './select.ts'
import { directoryOf } from './store.ts'

const Roles = oneOf(['owner', 'admin', 'supervisor', 'agent'])
const Availability = oneOf(['available', 'offline', 'do_not_disturb', 'in_call', 'after_call_work'])

const DirectoryEntry = Type.Object({
  id: Type.Integer(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  extension: Type.String(),
  wrap_up_time: Type.Integer(),
  roles: Type.Array(Roles),
  state: oneOf(userStates),
  availability: Availability,
  teams: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  numbers: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), digits: Type.String() }), {
    description: 'Numbers the user is linked to',
  }),
  created_at: Type.String({ format: 'date-time' }),
})

const view = ({ user, roles, teams, numbers, state, availability }: ListedUser): Static<typeof DirectoryEntry> => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  extension: user.extension,
  wrap_up_time: user.wrapUpTime,
  roles,
  state,
  availability,
  teams,
  numbers,
  created_at: isoSeconds(user.createdAt),
})

const listDirectory = route({
  method: 'GET',
  path: '/v1/users/directory',
  summary: 'Search users by role, team, Number, state and availability',
  tag: 'Users',
  access: 'app',
  query: Type.Object({
    ...PageQuery.properties,
    sort: Type.Optional(oneOf(directorySorts, { default: 'created_at' })),
    text: Type.Optional(Type.String({ maxLength: 255, description: 'Part of a name, email address or extension' })),
    role: Type.Optional(Roles),
    team_id: Type.Optional(Id),
    number_id: Type.Optional(Id),
    state: Type.Optional(oneOf(userStates)),
    availability: Type.Optional(Availability),
  }),
  reply: { status: 200, body: Type.Object({ meta: Meta, users: Type.Array(DirectoryEntry) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const at = services.clock.now()
    const all = (await directoryOf(services.db, caller.companyId)).map((entry) => listedAt(entry, at))
    const found = all.filter((entry) => isListed(entry, query))
    const users = directoryInOrder(found, query.sort ?? 'created_at', window.order)
      .slice(window.offset, window.offset + window.limit)
      .map(view)
    return { meta: metaOf(place, window, users.length, found.length), users }
  },
})

export const directoryRoutes = [listDirectory]
