// Import of users from a table: check, import, progress, undo, and links to pass on.
import { type Static, Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf } from '../../../http/schemas.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import {
  actorOf,
  admins,
  auditAlone,
  type BulkChange,
  findBulkChange,
  rolesOf,
  userIdOf,
} from '../../accounts/index.ts'
import { linksOfImport, startUserImport, undoUserImport, userImports } from './actions.ts'
import { type CheckedUser, checkUsers, type GivenUser } from './check-rows.ts'

const tag = 'Users'
const maxImportRows = 10_000
const bodyLimit = 16 * 1_048_576
const shownRows = 20

const UserImportView = Type.Object({
  id: Type.Integer(),
  state: oneOf(['running', 'done', 'failed', 'undoing', 'undone']),
  total: Type.Integer(),
  done: Type.Integer({ description: 'Users created; after an undo, those who had accepted the invitation and stay' }),
  created_at: Type.Integer({ description: 'UNIX seconds' }),
})

const importView = ({ id, state, total, done, createdAt }: BulkChange): Static<typeof UserImportView> => ({
  id,
  state,
  total,
  done,
  created_at: unixSeconds(createdAt),
})

// Longer than allowed: the check reports each row instead of refusing all of them.
const Cell = Type.Optional(Type.String({ maxLength: 20_000 }))
const Cells = Type.Optional(Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 100 }))
const UserRows = Type.Array(
  Type.Object({
    email: Cell,
    first_name: Cell,
    last_name: Cell,
    roles: Cells,
    teams: Type.Optional(Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 100, description: 'Names' })),
    numbers: Type.Optional(
      Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 100, description: 'Names or digits' }),
    ),
    extension: Cell,
    wrap_up_time: Cell,
  }),
  { minItems: 1, maxItems: maxImportRows },
)

async function isOwner({ db }: Services, caller: Caller): Promise<boolean> {
  const id = userIdOf(caller)
  return id !== null && (await rolesOf(db, caller.companyId, id)).includes('owner')
}

const checkUserImport = route({
  method: 'POST',
  path: '/v1/users/import_checks',
  summary: 'Check the rows of an import of users; nothing is written',
  tag,
  access: 'app',
  roles: admins,
  bodyLimit,
  body: Type.Object({ rows: UserRows }),
  reply: {
    status: 200,
    body: Type.Object({
      valid: Type.Integer({ description: 'Rows without errors that are no duplicates' }),
      invalid: Type.Integer(),
      duplicates: Type.Integer(),
      problems: Type.Array(
        Type.Object({
          row: Type.Integer({ description: 'Position in the request, from 0' }),
          errors: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
          duplicate_of: nullable(Type.Integer({ description: 'The user who has the address' })),
          same_as: nullable(Type.Integer({ description: 'An earlier row with the address' })),
        }),
      ),
      sample: Type.Array(
        Type.Object({
          email: Type.String(),
          first_name: Type.String(),
          last_name: Type.String(),
          roles: Type.Array(Type.String()),
          extension: nullable(Type.String({ description: 'null: the next free one' })),
        }),
        { description: 'The first rows as they would be written' },
      ),
    }),
  },
  async handle({ body, caller, services }) {
    const rows = body.rows as GivenUser[]
    const checked = await checkUsers(services.db, caller.companyId, rows, await isOwner(services, caller))
    const problems = checked.flatMap(({ errors, duplicateOf, sameAs }, row) =>
      errors.length > 0 || duplicateOf !== null || sameAs !== null
        ? [{ row, errors, duplicate_of: duplicateOf, same_as: sameAs }]
        : [],
    )
    const invalid = problems.filter(({ errors }) => errors.length > 0).length
    return {
      valid: checked.length - problems.length,
      invalid,
      duplicates: problems.length - invalid,
      problems,
      sample: checked.slice(0, shownRows).map(({ user }) => ({
        email: user.email,
        first_name: user.firstName,
        last_name: user.lastName,
        roles: user.roles,
        extension: user.extension,
      })),
    }
  },
})

/** Rows that were checked before the transaction of the request: thousands take too long to hold the database. */
const checkedRows = new WeakMap<object, CheckedUser[]>()

const importUsers = route({
  method: 'POST',
  path: '/v1/users/imports',
  summary: 'Import users; rows of users who exist are skipped',
  description:
    'A job writes all rows; if one cannot be written, all are undone. Invitations are sent when all rows are written. ' +
    'The import can be undone for a day; emails that were sent cannot, but their links stop working.',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  bodyLimit,
  body: Type.Object({
    rows: UserRows,
    send_invitations: Type.Boolean({ description: 'Send each user an email with a link' }),
  }),
  errors: [{ status: 422, when: 'a row is invalid; nothing is written' }],
  reply: { status: 201, body: Type.Object({ import: UserImportView }) },
  async check({ body, caller, services }) {
    const rows = body.rows as GivenUser[]
    const checked = await checkUsers(services.db, caller.companyId, rows, await isOwner(services, caller))
    const wrong = checked.findIndex(({ errors }) => errors.length > 0)
    if (wrong >= 0)
      throw unprocessable(`Row ${wrong + 1}: ${checked[wrong]?.errors[0]?.message}. Nothing was imported.`)
    checkedRows.set(body, checked)
  },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const checked = checkedRows.get(body) ?? []
    const users = checked.flatMap(({ user, duplicateOf, sameAs }) =>
      duplicateOf === null && sameAs === null ? [user] : [],
    )
    const started = { userId: userIdOf(caller), users, invite: body.send_invitations }
    const change = await startUserImport(services, companyId, started)
    const details = { users: users.length }
    await auditAlone(services, companyId, { actor: actorOf(caller), action: 'users.imported', details, address })
    return { import: importView(change) }
  },
})

type Loading = { params: { id: number }; caller: Caller; services: Services }
const params = Type.Object({ id: Id })
const load = ({ params, caller, services }: Loading) =>
  findBulkChange(services.db, caller.companyId, params.id, userImports)

const getUserImport = route({
  method: 'GET',
  path: '/v1/users/imports/:id',
  summary: 'Retrieve the progress of an import of users',
  tag,
  access: 'app',
  roles: admins,
  params,
  load,
  reply: { status: 200, body: Type.Object({ import: UserImportView }) },
  async handle({ loaded }) {
    return { import: importView(loaded) }
  },
})

const undoImport = route({
  method: 'POST',
  path: '/v1/users/imports/:id/undo',
  summary: 'Undo an import of users; those who have accepted the invitation are kept',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  params,
  load,
  errors: [{ status: 400, when: 'it is not complete, or already undone' }],
  reply: { status: 201, body: Type.Object({ import: UserImportView }) },
  async handle({ loaded, caller, services, address }) {
    const change = await undoUserImport(services, caller.companyId, loaded.id)
    await auditAlone(services, caller.companyId, { actor: actorOf(caller), action: 'users.import_undone', address })
    return { import: importView(change) }
  },
})

const postLinks = route({
  method: 'POST',
  path: '/v1/users/imports/:id/links',
  summary: 'Create invitation links for the users of an import, 200 rows per request',
  description:
    'For users who have not accepted the invitation; links to accounts of owners only for owners. A link works once, is ' +
    'valid for 24 hours, and sets the password of the account.',
  tag,
  access: 'app',
  roles: admins,
  params,
  load,
  body: Type.Object({
    after: Type.Optional(
      Type.Integer({ minimum: -1, maximum: maxImportRows, description: '`next` of the response before' }),
    ),
  }),
  reply: {
    status: 201,
    body: Type.Object({
      links: Type.Array(Type.Object({ email: Type.String(), name: Type.String(), link: Type.String() })),
      next: nullable(Type.Integer({ description: 'null on the last page' })),
    }),
  },
  async handle({ loaded, body, caller, services, address }) {
    const { companyId } = caller
    const asked = { after: body.after ?? -1, withOwners: await isOwner(services, caller) }
    const result = await linksOfImport(services, companyId, loaded.id, asked)
    const details = { links: result.links.length }
    const entry = { actor: actorOf(caller), action: 'users.invitation_links_created', details, address }
    await auditAlone(services, companyId, entry)
    return result
  },
})

export const userImportRoutes = [checkUserImport, importUsers, getUserImport, undoImport, postLinks]
