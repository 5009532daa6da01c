import { Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, nameText } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf } from '../audit/record.ts'
import { admins, anyRole, userIdOf } from '../credentials/roles.ts'
import { signedIn } from '../sign-in/signed-in.ts'
import { findUser } from '../users/store.ts'
import {
  beginTwoStep,
  confirmTwoStep,
  disableTwoStep,
  renewRecoveryCodes,
  resetTwoStep,
  setTwoStepRequired,
} from './actions.ts'
import { countRecoveryCodes, countTwoStep, findTwoStep, isTwoStepRequired } from './store.ts'

const tag = 'Sign-in'

const Password = Type.String({ minLength: 1, maxLength: 200, description: 'Current password' })
const Code = nameText(20, { description: 'Code of the authenticator app, or a recovery code', examples: ['123456'] })
const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: 'Each works once. They are not shown again' }),
})
const wrongProof = [
  { status: 400, when: 'the current password is incorrect, or two-step verification is not enabled' },
  { status: 403, when: 'the code is incorrect or was used already' },
  { status: 429, when: 'ten attempts failed' },
] as const

const getOwn = route({
  method: 'GET',
  path: '/v1/session/two_step',
  summary: 'Retrieve the state of your two-step verification',
  tag,
  access: 'app',
  roles: anyRole,
  enrolment: true,
  reply: {
    status: 200,
    body: Type.Object({
      enabled: Type.Boolean(),
      required: Type.Boolean({ description: 'The company requires it of all users' }),
      recovery_codes_left: Type.Integer(),
    }),
  },
  async handle({ caller, services: { db }, session, address }) {
    const { companyId, userId } = signedIn({ caller, session, address })
    const own = await findTwoStep(db, companyId, userId)
    return {
      enabled: own?.isEnabled ?? false,
      required: await isTwoStepRequired(db, companyId),
      recovery_codes_left: await countRecoveryCodes(db, companyId, userId),
    }
  },
})

const begin = route({
  method: 'POST',
  path: '/v1/session/two_step',
  summary: 'Create a secret for an authenticator app',
  description: 'Two-step verification is enabled once a code made with the secret is confirmed.',
  tag,
  access: 'app',
  roles: anyRole,
  enrolment: true,
  body: Type.Object({ password: Password }),
  errors: [
    { status: 400, when: 'the current password is incorrect, or two-step verification is already enabled' },
    { status: 429, when: 'ten attempts failed' },
  ],
  reply: {
    status: 201,
    body: Type.Object({
      secret: Type.String({ description: 'Base32' }),
      uri: Type.String({ description: 'Content of the QR code' }),
    }),
  },
  handle: ({ body, caller, services, session, address }) =>
    beginTwoStep(services, signedIn({ caller, session, address }), body.password),
})

const confirm = route({
  method: 'POST',
  path: '/v1/session/two_step/confirm',
  summary: 'Enable two-step verification with the first code',
  tag,
  access: 'app',
  roles: anyRole,
  enrolment: true,
  body: Type.Object({ code: Code }),
  errors: [
    { status: 400, when: 'the code is incorrect, or no set-up was started' },
    { status: 429, when: 'ten codes were incorrect' },
  ],
  reply: { status: 200, body: RecoveryCodes },
  async handle({ body, caller, services, session, address }) {
    return { recovery_codes: await confirmTwoStep(services, signedIn({ caller, session, address }), body.code) }
  },
})

const disable = route({
  method: 'POST',
  path: '/v1/session/two_step/disable',
  summary: 'Disable your two-step verification',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ password: Password, code: Code }),
  errors: wrongProof,
  reply: { status: 204 },
  async handle({ body, caller, services, session, address }) {
    await disableTwoStep(services, signedIn({ caller, session, address }), body)
    return {}
  },
})

const renew = route({
  method: 'POST',
  path: '/v1/session/two_step/recovery_codes',
  summary: 'Replace your recovery codes',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ password: Password, code: Code }),
  errors: wrongProof,
  reply: { status: 200, body: RecoveryCodes },
  async handle({ body, caller, services, session, address }) {
    return { recovery_codes: await renewRecoveryCodes(services, signedIn({ caller, session, address }), body) }
  },
})

const UserParams = Type.Object({ id: Id })

const getOfUser = route({
  method: 'GET',
  path: '/v1/users/:id/two_step',
  summary: 'Retrieve whether a user has two-step verification',
  tag,
  access: 'app',
  roles: admins,
  params: UserParams,
  load: ({ params, caller, services }) => findUser(services.db, caller.companyId, params.id),
  reply: { status: 200, body: Type.Object({ enabled: Type.Boolean() }) },
  async handle({ loaded, caller, services }) {
    const found = await findTwoStep(services.db, caller.companyId, loaded.id)
    return { enabled: found?.isEnabled ?? false }
  },
})

const resetOfUser = route({
  method: 'DELETE',
  path: '/v1/users/:id/two_step',
  summary: 'Reset the two-step verification of a user',
  description: 'For a user who has lost phone and recovery codes. All sessions of the user end. Owners only.',
  tag,
  access: 'app',
  roles: ['owner'],
  params: UserParams,
  load: ({ params, caller, services }) => findUser(services.db, caller.companyId, params.id),
  errors: [{ status: 400, when: 'the user is you, or has not enabled it' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    if (loaded.id === userIdOf(caller))
      throw badRequest('Disable your own two-step verification under Account security')
    const isDone = await resetTwoStep(services, loaded, { actor: actorOf(caller), address })
    if (!isDone) throw badRequest('The user has not enabled two-step verification')
    return {}
  },
})

const CompanySecurity = Type.Object({
  two_step_required: Type.Boolean({ description: 'Users without it can do nothing but set it up' }),
  users: Type.Integer(),
  users_with_two_step: Type.Integer(),
})

const getCompanySecurity = route({
  method: 'GET',
  path: '/v1/company/security',
  summary: 'Retrieve the security settings of the company',
  tag: 'Company',
  access: 'app',
  roles: admins,
  reply: { status: 200, body: CompanySecurity },
  handle: ({ caller, services }) => companySecurity(services, caller.companyId),
})

const putCompanySecurity = route({
  method: 'PUT',
  path: '/v1/company/security',
  summary: 'Update the security settings of the company',
  tag: 'Company',
  access: 'app',
  roles: admins,
  body: Type.Object({ two_step_required: Type.Boolean() }),
  errors: [{ status: 400, when: 'your own account has no two-step verification' }],
  reply: { status: 200, body: CompanySecurity },
  async handle({ body, caller, services, session, address }) {
    await setTwoStepRequired(services, signedIn({ caller, session, address }), body.two_step_required)
    return companySecurity(services, caller.companyId)
  },
})

async function companySecurity({ db }: Services, companyId: CompanyId) {
  const { users, enabled } = await countTwoStep(db, companyId)
  return { two_step_required: await isTwoStepRequired(db, companyId), users, users_with_two_step: enabled }
}

export const twoStepRoutes: Route[] = [
  getOwn,
  begin,
  confirm,
  disable,
  renew,
  getOfUser,
  resetOfUser,
  getCompanySecurity,
  putCompanySecurity,
]
