import { api } from '../../kit/api.ts'
import type { Role } from '../../kit/session.tsx'
import type { TeamItem } from '../../kit/ui/lists.ts'
import type { BulkAction } from '../parts/bulk-bar.tsx'
import { roleWords } from '../parts/profile.ts'
import type { DirectoryUser } from './directory.ts'

// Bulk actions on users, row by row: what the server refuses for one user does not stop the others.

type Action = BulkAction<DirectoryUser>

const pathOf = ({ id }: DirectoryUser) => ({ params: { id } })

export const newRoles = (roles: Role[], me: number): Action => ({
  done: `now ${roleWords(roles)}`,
  skips: {
    row: (user) => user.roles.toSorted().join() === roles.toSorted().join(),
    because: 'with these roles already',
  },
  run: async (user) => {
    if (user.id === me) throw new Error('You cannot change your own role')
    await api.put('/v2/users/{id}', { ...pathOf(user), body: { role_ids: roles } })
  },
  undo: (user) => api.put('/v2/users/{id}', { ...pathOf(user), body: { role_ids: user.roles } }),
})

const memberPath = (team: TeamItem, user: DirectoryUser) => ({ params: { team_id: team.id, user_id: user.id } })
const join = (team: TeamItem) => (user: DirectoryUser) =>
  api.post('/v1/teams/{team_id}/users/{user_id}', memberPath(team, user))
const leave = (team: TeamItem) => (user: DirectoryUser) =>
  api.delete('/v1/teams/{team_id}/users/{user_id}', memberPath(team, user))
const isMember = (team: TeamItem) => (user: DirectoryUser) => user.teams.some(({ id }) => id === team.id)

export const addToTeam = (team: TeamItem): Action => ({
  done: `added to ${team.name}`,
  skips: { row: isMember(team), because: 'already in the team' },
  run: join(team),
  undo: leave(team),
})

export const removeFromTeam = (team: TeamItem): Action => ({
  done: `removed from ${team.name}`,
  skips: { row: (user) => !isMember(team)(user), because: 'not in the team' },
  run: leave(team),
  undo: join(team),
})

const deactivateOne = (user: DirectoryUser) => api.post('/v1/users/{id}/deactivate', pathOf(user))
const reactivateOne = (user: DirectoryUser) => api.post('/v1/users/{id}/reactivate', pathOf(user))

export const deactivate: Action = {
  done: 'deactivated',
  skips: { row: ({ state }) => state === 'deactivated', because: 'deactivated already' },
  run: deactivateOne,
  undo: reactivateOne,
}

export const reactivate: Action = {
  done: 'reactivated',
  skips: { row: ({ state }) => state !== 'deactivated', because: 'not deactivated' },
  run: reactivateOne,
  undo: deactivateOne,
}

export const resendInvitation: Action = {
  done: 'invited again. The emails are being sent',
  skips: { row: ({ state }) => state !== 'invited', because: 'with an account already' },
  run: (user) => api.post('/v1/users/{id}/invitation', pathOf(user)),
}

export const deletion = (me: number): Action => ({
  done: 'deleted',
  run: async (user) => {
    if (user.id === me) throw new Error('You cannot delete your own account')
    await api.delete('/v1/users/{id}', pathOf(user))
  },
})
