// The user who is responsible for a contact, for the dashboard.
import { Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findUser } from '../../accounts/index.ts'
import { findContact } from '../contacts/store.ts'
import { setContactOwner } from './store.ts'

type Loading = { params: { id: number }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findContact(services.db, caller.companyId, id)
const shared = { tag: 'Contacts', access: 'app', roles: anyRole, params: Type.Object({ id: Id }), load } as const
const Owner = Type.Object({ owner: nullable(Type.Object({ id: Type.Integer(), name: Type.String() })) })

async function ownerView({ db }: Services, companyId: CompanyId, ownerId: number | null) {
  const user = ownerId === null ? undefined : await findUser(db, companyId, ownerId)
  return { owner: user ? { id: user.id, name: `${user.firstName} ${user.lastName}`.trim() } : null }
}

const getOwner = route({
  ...shared,
  method: 'GET',
  path: '/v1/contacts/:id/owner',
  summary: 'Retrieve the owner of a contact',
  reply: { status: 200, body: Owner },
  handle: ({ loaded, caller, services }) => ownerView(services, caller.companyId, loaded.ownerId),
})

const putOwner = route({
  ...shared,
  method: 'PUT',
  path: '/v1/contacts/:id/owner',
  summary: 'Set the owner of a contact',
  body: Type.Object({ user_id: nullable(Id) }),
  errors: [{ status: 400, when: 'the user does not exist' }],
  reply: { status: 200, body: Owner },
  async handle({ body: { user_id: userId }, loaded, caller: { companyId }, services }) {
    if (userId !== null && !(await findUser(services.db, companyId, userId)))
      throw badRequest('`user_id` is not a user of the company')
    await setContactOwner(services.db, companyId, loaded.id, userId)
    return ownerView(services, companyId, userId)
  },
})

export const contactOwnerRoutes = [getOwner, putOwner]
