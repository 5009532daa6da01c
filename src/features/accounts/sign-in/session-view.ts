import { type Static, Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import { everyFeature } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'
import type { Input } from '../../../http/route.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { companyCountry, findCompany } from '../companies/store.ts'
import { anyRole } from '../credentials/roles.ts'
import { twoStepState } from '../two-step/store.ts'
import { findUser, rolesOf } from '../users/store.ts'
import { csrfOf, type NewSession } from './actions.ts'

const Roles = oneOf(anyRole)

export const SessionView = Type.Object({
  user: Type.Object({
    id: Type.Integer(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    name: Type.String(),
    language: Type.String(),
    time_zone: Type.String(),
    default_number_id: nullable(Type.Integer()),
    roles: Type.Array(Roles),
  }),
  company: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    plan: Type.String(),
    country: nullable(Type.String({ description: 'Country in which national phone numbers are read' })),
  }),
  csrf_token: Type.String({ description: 'Send it as `X-CSRF-Token` with every change' }),
  mode: oneOf(['sandbox', 'production']),
  tenancy: oneOf(['single', 'multi'], { description: 'multi: the operator controls plans and Numbers' }),
  two_step: oneOf(['off', 'on', 'required'], {
    description: 'required: the company requires it, and until you set it up every other request is refused',
  }),
  mail_server: Type.Boolean({ description: 'Whether emails are sent; otherwise they are kept in the email log' }),
})

export async function sessionView(
  services: Services,
  companyId: CompanyId,
  userId: number,
  sessionId: string,
): Promise<Static<typeof SessionView>> {
  const { db, rules } = services
  const user = await findUser(db, companyId, userId)
  if (!user) throw forbidden('Sign in first')
  const { name, plan } = await findCompany(db, companyId)
  const { id, email, firstName, lastName, language, timeZone, defaultNumberId } = user
  return {
    user: {
      id,
      email,
      first_name: firstName,
      last_name: lastName,
      name: `${firstName} ${lastName}`.trim(),
      language,
      time_zone: timeZone,
      default_number_id: defaultNumberId,
      roles: await rolesOf(db, companyId, userId),
    },
    company: {
      id: companyId,
      name,
      plan: rules.everyFeature ? everyFeature.plan : plan,
      country: await companyCountry(db, companyId),
    },
    csrf_token: csrfOf(services, sessionId),
    mode: rules.sandbox ? 'sandbox' : 'production',
    tenancy: rules.tenancy,
    two_step: await twoStepState(db, companyId, userId, hashOf(sessionId)),
    mail_server: rules.hasMailServer,
  }
}

type Cookie = Pick<Input<never, never, never, never>, 'session' | 'services'>

/** Sets the cookie of a session that has started. */
export async function entered({ services, session }: Cookie, { companyId, userId, sessionId }: NewSession) {
  session.change(sessionId)
  return sessionView(services, companyId, userId, sessionId)
}
