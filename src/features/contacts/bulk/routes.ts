// Imports, bulk deletions and merges of contacts, for the dashboard.
import { type Static, Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { notFound, unprocessable } from '../../../http/errors.ts'
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
  recentBulkChanges,
  userIdOf,
  usersById,
} from '../../accounts/index.ts'
import { findContact } from '../contacts/store.ts'
import { ContactView, contactView } from '../contacts/view.ts'
import { contactChanges, mergeContacts, type NewContactRow, startBulkChange, undoBulkChange } from './actions.ts'
import { type CheckedRow, checkRows, type GivenRow } from './check-rows.ts'

const tag = 'Contacts'
const maxImportRows = 10_000
const bodyLimit = 16 * 1_048_576
const shownRows = 20

const BulkChangeView = Type.Object({
  id: Type.Integer(),
  kind: oneOf(['import', 'merge', 'delete']),
  state: oneOf(['running', 'done', 'failed', 'undoing', 'undone']),
  total: Type.Integer(),
  done: Type.Integer({ description: 'Contacts written; after an undo, those that were changed later and kept' }),
  created_at: Type.Integer({ description: 'UNIX seconds' }),
})

const bulkChangeView = ({ createdAt, kind, ...change }: BulkChange): Static<typeof BulkChangeView> => ({
  ...change,
  kind: kind === 'user_import' ? 'import' : kind,
  created_at: unixSeconds(createdAt),
})

// Longer than allowed: the check reports each row instead of refusing all of them.
const Cell = Type.String({ maxLength: 20_000 })
const GivenDetail = Type.Object({ label: Type.Optional(Cell), value: Cell })
const ImportRow = Type.Object({
  first_name: Type.Optional(Cell),
  last_name: Type.Optional(Cell),
  company_name: Type.Optional(Cell),
  information: Type.Optional(Cell),
  phone_numbers: Type.Optional(Type.Array(GivenDetail, { maxItems: 100 })),
  emails: Type.Optional(Type.Array(GivenDetail, { maxItems: 100 })),
})
const ImportRows = Type.Array(ImportRow, { minItems: 1, maxItems: maxImportRows })

const RowProblem = Type.Object({
  row: Type.Integer({ description: 'Position in the request, from 0' }),
  errors: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
  duplicate_of: nullable(Type.Integer({ description: 'The contact that has one of its numbers' })),
  same_as: nullable(Type.Integer({ description: 'An earlier row with one of its numbers' })),
})

const checkImport = route({
  method: 'POST',
  path: '/v1/contacts/import_checks',
  summary: 'Check the rows of an import; nothing is written',
  tag,
  access: 'app',
  roles: admins,
  bodyLimit,
  body: Type.Object({ rows: ImportRows }),
  reply: {
    status: 200,
    body: Type.Object({
      valid: Type.Integer({ description: 'Rows without errors that are no duplicates' }),
      invalid: Type.Integer(),
      duplicates: Type.Integer(),
      problems: Type.Array(RowProblem),
      sample: Type.Array(
        Type.Object({
          first_name: nullable(Type.String()),
          last_name: nullable(Type.String()),
          company_name: nullable(Type.String()),
          phone_numbers: Type.Array(Type.String()),
          emails: Type.Array(Type.String()),
        }),
        { description: 'The first rows as they would be written' },
      ),
    }),
  },
  async handle({ body, caller, services }) {
    const checked = await checkRows(services.db, caller.companyId, body.rows as GivenRow[])
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
      sample: checked.slice(0, shownRows).map(({ contact }) => ({
        first_name: contact.firstName,
        last_name: contact.lastName,
        company_name: contact.companyName,
        phone_numbers: contact.phones.map(({ value }) => value),
        emails: contact.emails.map(({ value }) => value),
      })),
    }
  },
})

/** Rows that were checked before the transaction of the request: thousands take too long to hold the database. */
const checkedRows = new WeakMap<object, CheckedRow[]>()

const importContacts = route({
  method: 'POST',
  path: '/v1/contacts/imports',
  summary: 'Import contacts',
  description: 'A job writes all rows; if one cannot be written, all are undone. The import can be undone for a day.',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  bodyLimit,
  body: Type.Object({
    rows: ImportRows,
    duplicates: oneOf(['skip', 'update'], {
      description: 'Rows whose number a contact already has: `update` adds to that contact',
    }),
  }),
  errors: [{ status: 422, when: 'a row is invalid; nothing is written' }],
  reply: { status: 201, body: Type.Object({ change: BulkChangeView }) },
  async check({ body, caller, services }) {
    const checked = await checkRows(services.db, caller.companyId, body.rows as GivenRow[])
    const wrong = checked.findIndex(({ errors }) => errors.length > 0)
    if (wrong >= 0)
      throw unprocessable(`Row ${wrong + 1}: ${checked[wrong]?.errors[0]?.message}. Nothing was imported.`)
    checkedRows.set(body, checked)
  },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const checked = checkedRows.get(body) ?? []
    const rows = checked.flatMap(({ contact, duplicateOf, sameAs }): NewContactRow[] => {
      if (sameAs !== null || (duplicateOf !== null && body.duplicates === 'skip')) return []
      return [{ objectId: duplicateOf, input: contact }]
    })
    const change = await startBulkChange(services, companyId, { kind: 'import', userId: userIdOf(caller), rows })
    const details = { contacts: rows.length }
    await auditAlone(services, companyId, { actor: actorOf(caller), action: 'contacts.imported', details, address })
    return { change: bulkChangeView(change) }
  },
})

const deleteContacts = route({
  method: 'POST',
  path: '/v1/contacts/deletions',
  summary: 'Delete several contacts; it can be undone for a day',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  body: Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 1_000 }) }),
  reply: { status: 201, body: Type.Object({ change: BulkChangeView }) },
  async handle({ body, caller, services, address }) {
    const rows = [...new Set(body.ids)].map((objectId) => ({ objectId, input: null }))
    const change = await startBulkChange(services, caller.companyId, { kind: 'delete', userId: userIdOf(caller), rows })
    const entry = { actor: actorOf(caller), action: 'contacts.deleted', details: { contacts: rows.length }, address }
    await auditAlone(services, caller.companyId, entry)
    return { change: bulkChangeView(change) }
  },
})

type Loading = { params: { id: number }; caller: Caller; services: Services }
const params = Type.Object({ id: Id })
const WhoseField = Type.Optional(oneOf(['this', 'other'], { default: 'this' }))

const merge = route({
  method: 'POST',
  path: '/v1/contacts/:id/merge',
  summary: 'Merge another contact into this one; it can be undone for a day',
  description:
    'All numbers and addresses are kept; of the other fields those of this contact, unless chosen otherwise.',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  params,
  load: ({ params, caller, services }: Loading) => findContact(services.db, caller.companyId, params.id),
  body: Type.Object({
    contact_id: Id,
    first_name: WhoseField,
    last_name: WhoseField,
    company_name: WhoseField,
    information: WhoseField,
  }),
  errors: [{ status: 400, when: 'it is the same contact, or together they have more than 20 numbers or addresses' }],
  reply: { status: 200, body: Type.Object({ contact: ContactView, change: BulkChangeView }) },
  async handle({ loaded, body, caller, services }) {
    const { companyId } = caller
    const from = await findContact(services.db, companyId, body.contact_id)
    if (!from) throw notFound()
    const fields = [
      [body.first_name, 'firstName'],
      [body.last_name, 'lastName'],
      [body.company_name, 'companyName'],
      [body.information, 'information'],
    ] as const
    const taken = fields.flatMap(([whose, field]) => (whose === 'other' ? [field] : []))
    const change = await mergeContacts(services, companyId, userIdOf(caller), { into: loaded, from, taken })
    const contact = await findContact(services.db, companyId, loaded.id)
    if (!contact) throw notFound()
    return { contact: contactView(services.links, contact), change: bulkChangeView(change) }
  },
})

const loadChange = ({ params, caller, services }: Loading) =>
  findBulkChange(services.db, caller.companyId, params.id, contactChanges)

const getBulkChange = route({
  method: 'GET',
  path: '/v1/contacts/bulk_changes/:id',
  summary: 'Retrieve the progress of an import, merge or deletion',
  tag,
  access: 'app',
  roles: admins,
  params,
  load: loadChange,
  reply: { status: 200, body: Type.Object({ change: BulkChangeView }) },
  async handle({ loaded }) {
    return { change: bulkChangeView(loaded) }
  },
})

const undo = route({
  method: 'POST',
  path: '/v1/contacts/bulk_changes/:id/undo',
  summary: 'Undo an import, merge or deletion; contacts changed later are kept',
  tag,
  access: 'app',
  roles: admins,
  keyedInApps: true,
  params,
  load: loadChange,
  errors: [{ status: 400, when: 'it is not complete, or already undone' }],
  reply: { status: 201, body: Type.Object({ change: BulkChangeView }) },
  async handle({ loaded, caller, services, address }) {
    const change = await undoBulkChange(services, caller.companyId, loaded.id)
    const details = { change: loaded.kind, contacts: loaded.done }
    const entry = { actor: actorOf(caller), action: 'contacts.change_undone', details, address }
    await auditAlone(services, caller.companyId, entry)
    return { change: bulkChangeView(change) }
  },
})

const listBulkChanges = route({
  method: 'GET',
  path: '/v1/contacts/bulk_changes',
  summary: 'List the imports, merges and deletions of the last day',
  tag,
  access: 'app',
  roles: admins,
  reply: {
    status: 200,
    body: Type.Object({
      changes: Type.Array(
        Type.Object({
          ...BulkChangeView.properties,
          user_name: nullable(Type.String({ description: 'Who made the change' })),
        }),
      ),
    }),
  },
  async handle({ caller: { companyId }, services: { db } }) {
    const changes = await recentBulkChanges(db, companyId, contactChanges)
    const users = await usersById(db, companyId, [...new Set(changes.flatMap(({ userId }) => userId ?? []))])
    const nameOf = (user: { firstName: string; lastName: string } | undefined) =>
      user ? `${user.firstName} ${user.lastName}`.trim() : null
    return {
      changes: changes.map(({ userId, ...change }) => ({
        ...bulkChangeView(change),
        user_name: nameOf(users.get(userId ?? 0)),
      })),
    }
  },
})

export const contactBulkChangeRoutes = [
  checkImport,
  importContacts,
  deleteContacts,
  merge,
  listBulkChanges,
  getBulkChange,
  undo,
]
