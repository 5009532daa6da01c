import { Type } from 'typebox'
import { Meta, metaOf, PageQuery, windowOf } from '../../http/paging.ts'
import { type Route, route } from '../../http/route.ts'
import { oneOf } from '../../http/schemas.ts'
import { firstBroken } from '../audit.ts'
import { listKeys } from '../companies/store.ts'
import { admins } from '../roles.ts'
import { usersById } from '../users/store.ts'
import { pageOfEntries } from './store.ts'
import { EntryView, entryView } from './view.ts'

const listEntries = route({
  method: 'GET',
  path: '/v1/audit_log',
  summary: 'See who did what in the company',
  description:
    'Sign-ins, keys, roles, webhooks, recordings, grants; the newest first unless told. Entries cannot be changed or ' +
    'deleted: each is chained to the one before, and `chain` says whether all of them are as they were written.',
  tag: 'Company',
  access: 'app',
  roles: admins,
  query: Type.Object({ ...PageQuery.properties, order: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })) }),
  reply: {
    status: 200,
    body: Type.Object({
      meta: Meta,
      audit_log: Type.Array(EntryView),
      chain: Type.String({ description: '`intact`, or `broken at` and the id of the first entry that is wrong' }),
    }),
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
    const broken = await firstBroken(services, companyId)
    return {
      meta: metaOf(place, window, entries.length, total),
      audit_log: entries.map((entry) => entryView(entry, nameOf)),
      chain: broken === undefined ? 'intact' : `broken at ${broken}`,
    }
  },
})

export const auditRoutes: Route[] = [listEntries]
