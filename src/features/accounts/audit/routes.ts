import { type Static, Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import { csvLine } from '../../../domain/analytics/csv.ts'
import { type AuditKind, auditKinds } from '../../../domain/audit-kinds.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { type Pieces, type Route, route } from '../../../http/route.ts'
import { oneOf } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { listKeys } from '../api-keys/store.ts'
import { admins } from '../credentials/roles.ts'
import { usersById } from '../users/store.ts'
import { actorOf, auditAlone, checkChain } from './record.ts'
import { type Entry, type EntryFilter, entriesBefore, pageOfEntries } from './store.ts'
import { namedTargets } from './target-names-store.ts'
import { type AuditNames, EntryView, entryView } from './view.ts'

const Seconds = Type.Integer({ minimum: 0, maximum: 4_102_444_800 })

const filterQuery = {
  user_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Entries of this user' })),
  kind: Type.Optional(oneOf(Object.keys(auditKinds) as AuditKind[])),
  from: Type.Optional({ ...Seconds, description: 'UNIX time in seconds' }),
  to: Type.Optional({ ...Seconds, description: 'UNIX time in seconds' }),
}

interface FilterQuery {
  user_id?: number
  kind?: AuditKind
  from?: number
  to?: number
}

const filterOf = ({ user_id: userId, kind, from, to }: FilterQuery): EntryFilter => ({
  userId,
  kind,
  from: from === undefined ? undefined : from * 1_000,
  to: to === undefined ? undefined : to * 1_000 + 999,
})

const listEntries = route({
  method: 'GET',
  path: '/v1/audit_log',
  summary: 'List the audit log',
  description:
    'Sign-ins and changes to API keys, roles, webhooks, recordings and grants, newest first by default. ' +
    'Entries cannot be changed, and are deleted only after the retention period of the company: each is chained to the previous one, and GET ' +
    '/app/v1/audit_log/check verifies the chain.',
  tag: 'Company',
  access: 'app',
  roles: admins,
  query: Type.Object({
    ...PageQuery.properties,
    ...filterQuery,
    order: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })),
  }),
  reply: {
    status: 200,
    body: Type.Object({ meta: Meta, audit_log: Type.Array(EntryView) }),
  },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf({ ...query, order: query.order ?? 'desc' })
    const { entries, total } = await pageOfEntries(services.db, companyId, window, filterOf(query))
    const names = await namesIn(services, companyId, entries)
    return {
      meta: metaOf(place, window, entries.length, total),
      audit_log: entries.map((entry) => entryView(entry, names)),
    }
  },
})

async function namesIn({ db }: Services, companyId: CompanyId, entries: readonly Entry[]): Promise<AuditNames> {
  const ids = entries.flatMap(({ actor_kind, actor_id }) =>
    actor_kind === 'user' && actor_id !== null ? [actor_id] : [],
  )
  const people = await usersById(db, companyId, [...new Set(ids)])
  const keys = new Map((await listKeys(db, companyId)).map(({ id, name }) => [id, name]))
  const targets = entries.flatMap(({ target }) => target ?? [])
  const known = await namedTargets(db, companyId, targets)
  const recorded = recordedNames(entries)
  return {
    actor(kind, id) {
      if (kind === 'key') return keys.get(id)
      const user = kind === 'user' ? people.get(id) : undefined
      return user && `${user.firstName} ${user.lastName}`.trim()
    },
    target: (target) => known.get(target) ?? { name: recorded.get(target) ?? null, exists: false },
  }
}

/** The names that entries recorded: the only ones left of deleted objects. */
function recordedNames(entries: readonly Entry[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { target, details } of entries) {
    const name: unknown = details === null ? undefined : JSON.parse(details)?.name
    if (target !== null && typeof name === 'string') names.set(target, name)
  }
  return names
}

const exportEntries = route({
  method: 'GET',
  path: '/v1/audit_log/export',
  summary: 'Export the audit log as CSV',
  description: 'All entries that match the filters, newest first. The export itself is recorded in the log.',
  tag: 'Company',
  access: 'app',
  roles: admins,
  query: Type.Object(filterQuery),
  reply: { status: 200, stream: 'text/csv' },
  async handle({ query, caller, services, address }) {
    const { companyId } = caller
    const entry = { actor: actorOf(caller), action: 'audit_log.exported', address }
    await auditAlone(services, companyId, entry)
    return csvOf(services, companyId, filterOf(query)) as never
  },
})

const heading = [
  'id',
  'time',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'target',
  'target_name',
  'details',
  'address',
]
const rowsAtOnce = 500

async function* csvOf(services: Services, companyId: CompanyId, filter: EntryFilter): Pieces {
  yield csvLine(heading)
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const entries = await entriesBefore(services.db, companyId, filter, before, rowsAtOnce)
    const names = await namesIn(services, companyId, entries)
    yield entries.map((entry) => csvLine(cellsOf(entryView(entry, names), entry.details))).join('')
    const last = entries.at(-1)
    if (!last || entries.length < rowsAtOnce) return
    before = last.n
  }
}

const cellsOf = (
  { id, at, actor, action, target, target_name, address }: Static<typeof EntryView>,
  details: string | null,
) => [id, at, actor.kind, actor.id, actor.name, action, target, target_name, details, address]

const checkEntries = route({
  method: 'GET',
  path: '/v1/audit_log/check',
  summary: 'Verify the audit log',
  description: 'Reads the whole log. Run it on demand, not with every page.',
  tag: 'Company',
  access: 'app',
  roles: admins,
  reply: {
    status: 200,
    body: Type.Object({
      chain: Type.String({ description: '`intact`, or `broken at` followed by the id of the first invalid entry' }),
      entries: Type.Integer({ description: 'Number of valid entries' }),
    }),
  },
  async handle({ caller: { companyId }, services }) {
    const { entries, brokenAt } = await checkChain(services, companyId)
    return { chain: brokenAt === undefined ? 'intact' : `broken at ${brokenAt}`, entries }
  },
})

export const auditRoutes: Route[] = [listEntries, exportEntries, checkEntries]
