// Combinations of filters that a user named. They belong to the user; others use the URL of the page.
import { Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, oneOf } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, userIdOf } from '../credentials/roles.ts'
import { deleteSavedFilter, findSavedFilter, savedFiltersOf, saveFilter } from './store.ts'

const tag = 'Me'
const maxFilters = 100

const SavedFilterView = Type.Object({
  id: Type.Integer(),
  page: Type.String(),
  name: Type.String(),
  query: Type.String({ description: 'The query of the page URL, without the question mark' }),
})

function signedIn(caller: Caller): number {
  const id = userIdOf(caller)
  if (id === null) throw forbidden('Sign in first')
  return id
}

const FilterPage = oneOf([
  'calls',
  'contacts',
  'users',
  'numbers',
  'teams',
  'tags',
  'agents',
  'trunks',
  'api-keys',
  'oauth-apps',
  'webhooks',
  'deliveries',
  'events',
  'templates',
  'topics',
  'playbooks',
  'summary-templates',
  'scorecards',
  'exports',
  'blocked-callers',
  'audit-log',
  'mails',
  'carriers',
  'opt-outs',
])

const listSavedFilters = route({
  method: 'GET',
  path: '/v1/me/filters',
  summary: 'List your saved filters',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 200, body: Type.Object({ filters: Type.Array(SavedFilterView) }) },
  async handle({ caller, services }) {
    return { filters: await savedFiltersOf(services.db, caller.companyId, signedIn(caller)) }
  },
})

const createSavedFilter = route({
  method: 'POST',
  path: '/v1/me/filters',
  summary: 'Save a filter; one with the same name on the same page is replaced',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ page: FilterPage, name: nameText(80), query: Type.String({ maxLength: 2_000 }) }),
  errors: [{ status: 400, when: `you already have ${maxFilters} filters` }],
  reply: { status: 201, body: Type.Object({ filter: SavedFilterView }) },
  async handle({ body, caller, services }) {
    const userId = signedIn(caller)
    const known = await savedFiltersOf(services.db, caller.companyId, userId)
    const isNew = !known.some(({ page, name }) => page === body.page && name === body.name)
    if (isNew && known.length >= maxFilters) throw badRequest(`You have ${maxFilters} saved filters; delete one first`)
    const filter = await saveFilter(services.db, caller.companyId, userId, { ...body, at: services.clock.now() })
    return { filter: filter }
  },
})

type Loading = { params: { id: number }; caller: Caller; services: Services }

const removeSavedFilter = route({
  method: 'DELETE',
  path: '/v1/me/filters/:id',
  summary: 'Delete a saved filter',
  tag,
  access: 'app',
  roles: anyRole,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }: Loading) =>
    findSavedFilter(services.db, caller.companyId, signedIn(caller), params.id),
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    await deleteSavedFilter(services.db, caller.companyId, signedIn(caller), loaded.id)
    return {}
  },
})

export const savedFilterRoutes = [listSavedFilters, createSavedFilter, removeSavedFilter]
