import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Links } from '../../../services.ts'
import type { User } from '../users/store.ts'
import type { Team } from './store.ts'

/** A member of a team: a user without `available`. */
const TeamMember = Type.Object({
  id: Type.Integer(),
  direct_link: Type.String(),
  name: Type.String(),
  email: Type.String(),
  availability_status: oneOf(['available', 'custom', 'unavailable']),
  default_number_id: nullable(Type.Integer()),
  created_at: Timestamp,
  time_zone: Type.String(),
  language: Type.String(),
  wrap_up_time: Type.Integer(),
})

export const TeamView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  direct_link: Type.String(),
  created_at: Timestamp,
  users: Type.Array(TeamMember),
})

export const teamView = (links: Links, team: Team): Static<typeof TeamView> => ({
  id: team.id,
  name: team.name,
  direct_link: `${links.api}/v1/teams/${team.id}`,
  created_at: isoSeconds(team.createdAt),
  users: team.members.map((user) => memberView(links, user)),
})

const memberView = (links: Links, user: User): Static<typeof TeamMember> => ({
  id: user.id,
  direct_link: `${links.api}/v1/users/${user.id}`,
  name: `${user.firstName} ${user.lastName}`,
  email: user.email,
  availability_status: user.status,
  default_number_id: user.defaultNumberId,
  created_at: isoSeconds(user.createdAt),
  time_zone: user.timeZone,
  language: user.language,
  wrap_up_time: user.wrapUpTime,
})
