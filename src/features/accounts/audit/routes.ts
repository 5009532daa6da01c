import { Type } from 'typebox'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { type Route, route } from '../../../http/route.ts'
import { oneOf } from '../../../http/schemas.ts'
import { listKeys } from '../companies/store.ts'
import { admins } from '../credentials/roles.ts'
import { usersById } from '../users/store.ts'
import { checkChain } from './record.ts'
import { pageOfEntries } from './store.ts'
import { EntryView, entryView } from './view.ts'

const listEntries = route({
  method: 'GET',
  path: '/v1/audit_log',
  summary: 'List the audit log',
  description:
    'Sign-ins and changes to API keys, roles, webhooks, recordings and grants, newest first by default. ' +
    'Entries cannot be changed or deleted: each is chained to the previous one, and GET ' +
    '/app/v1/audit_log/check verifies the chain.',
  tag: 'Company',
  access: 'app',
  roles: admins,
  query: Type.Object({ ...PageQuery.properties, order: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })) }),
  reply: {
    status: 200,
    body: Type.Object({ meta: Meta, audit_log: Type.Array(EntryView) }),
  },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf({ ...query, order: query.order ?? 'desc' })
    const { entries, total } = await pageOfEntries(services.db, companyId, window)
    const people = await usersById(
      services.db,
      companyId,
      entries.flatMap(({ actor_kind, actor_id }) => (actor_kind === 'user' && actor_id !== null ? [actor_id] : [])),
    )
    const keys = new Map((await listKeys(services.db, companyId)).map(({ id, name }) => [id, name]))
    const nameOf = (kind: string, id: number) => {
      if (kind === 'key') return keys.get(id)
      const user = kind === 'user' ? people.get(id) : undefined
      return user && `${user.firstName} ${user.lastName}`.trim()
    }
    return {
      meta: metaOf(place, window, entries.length, total),
      audit_log: entries.map((entry) => entryView(entry, nameOf)),
    }
  },
})

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

export const auditRoutes: Route[] = [listEntries, checkEntries]
