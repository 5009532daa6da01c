import { Type } from 'typebox'
import { ApiError } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { nameText, oneOf, text } from '../../../http/schemas.ts'
import { findCompany } from '../companies/store.ts'
import { anyRole } from '../credentials/roles.ts'
import { acceptLink, askForReset, changePassword, lookAtLink, signIn, signOut, signOutEverywhere } from './actions.ts'
import { entered, SessionView, sessionView } from './session-view.ts'
import { signedIn } from './signed-in.ts'

const tag = 'Sign-in'
const password = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const NewPassword = Type.String({
  minLength: 10,
  maxLength: 200,
  description: 'At least ten characters, not easy to guess',
})
const Token = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Last segment of the link',
  examples: ['5f0c2a'.repeat(11).slice(0, 64)],
})

const SecondStepCode = nameText(20, { description: 'Code of the authenticator app, or a recovery code' })

const open = route({
  method: 'POST',
  path: '/v1/session',
  summary: 'Sign in',
  description: 'Sets the session cookie. An address with accounts in several companies must name one.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({
    email: text(254),
    password: password('Password of the account'),
    company_id: Type.Optional(Type.Integer({ description: 'Company of the account, if there are several' })),
    code: Type.Optional(SecondStepCode),
  }),
  errors: [
    { status: 403, when: 'the email address or password is incorrect' },
    {
      status: 409,
      when:
        'the credentials match accounts in several companies: `errors.companies` lists them; or the account has ' +
        'two-step verification: send `code`, too (`errors.two_step`)',
    },
    { status: 429, when: 'ten sign-ins for the account from your network failed within 15 minutes' },
  ],
  reply: { status: 200, body: SessionView },
  async handle({ body, services, session, address, header }) {
    const { email, password, company_id: companyId, code } = body
    const userAgent = header('user-agent')
    const result = await signIn(services, { email, password, companyId, code, address, userAgent, old: session.id })
    if ('sessionId' in result) return entered({ services, session }, result)
    const companies: string[] = []
    for (const { companyId } of result.choose) {
      companies.push(`${companyId} ${(await findCompany(services.db, companyId)).name}`)
    }
    throw new ApiError(409, 'Choose the company with `company_id`', {}, { companies })
  },
})

const look = route({
  method: 'GET',
  path: '/v1/session',
  summary: 'Retrieve the signed-in user',
  tag,
  access: 'app',
  roles: anyRole,
  enrolment: true,
  reply: { status: 200, body: SessionView },
  async handle({ caller, services, session, address }) {
    const { companyId, userId, sessionId } = signedIn({ caller, session, address })
    return sessionView(services, companyId, userId, sessionId)
  },
})

const close = route({
  method: 'DELETE',
  path: '/v1/session',
  summary: 'Sign out of this session',
  tag,
  access: 'app',
  roles: anyRole,
  enrolment: true,
  reply: { status: 204 },
  async handle({ caller, services, session, address }) {
    await signOut(services, signedIn({ caller, session, address }))
    session.change(null)
    return {}
  },
})

const closeAll = route({
  method: 'DELETE',
  path: '/v1/sessions',
  summary: 'Sign out of all sessions',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 204 },
  async handle({ caller, services, session, address }) {
    await signOutEverywhere(services, signedIn({ caller, session, address }))
    session.change(null)
    return {}
  },
})

const change = route({
  method: 'PUT',
  path: '/v1/session/password',
  summary: 'Change your password',
  description: 'All your other sessions end.',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ password: password('Current password'), new_password: NewPassword }),
  errors: [
    { status: 400, when: 'the current password is incorrect, or the new one is easy to guess' },
    { status: 429, when: 'ten attempts failed' },
  ],
  reply: { status: 204 },
  async handle({ body, caller, services, session, address }) {
    const input = { old: body.password, wanted: body.new_password }
    await changePassword(services, signedIn({ caller, session, address }), input)
    return {}
  },
})

const forget = route({
  method: 'POST',
  path: '/v1/password_resets',
  summary: 'Send a password reset link',
  description:
    'The response is the same whether or not the address has an account. At most five links per address and ' +
    'hour are sent.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({ email: text(254) }),
  // `told` is an API name kept for compatibility.
  reply: { status: 202, body: Type.Object({ told: Type.String() }) },
  async handle({ body, services, address }) {
    await askForReset(services, body.email, address)
    return { told: 'If there is an account with this address, a link has been sent' }
  },
})

const lookLink = route({
  method: 'POST',
  path: '/v1/account_links/look',
  summary: 'Retrieve the account of a link',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({ token: Token }),
  reply: {
    status: 200,
    body: Type.Object({
      kind: oneOf(['invitation', 'reset']),
      email: Type.String(),
      first_name: Type.String(),
      company_name: Type.String(),
      two_step: Type.Boolean({ description: 'Whether `code` is needed to use the link' }),
    }),
  },
  async handle({ body, services }) {
    const { kind, user, company, hasTwoStep } = await lookAtLink(services, body.token)
    const { email, firstName } = user
    return { kind, email, first_name: firstName, company_name: company.name, two_step: hasTwoStep }
  },
})

const accept = route({
  method: 'POST',
  path: '/v1/account_links/use',
  summary: 'Create a password with a link and sign in',
  description: 'A link works once and for 24 hours. All sessions of the account end.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({
    token: Token,
    password: NewPassword,
    code: Type.Optional(SecondStepCode),
    time_zone: Type.Optional(
      Type.String({ maxLength: 64, description: 'IANA time zone of the browser of an invited user' }),
    ),
  }),
  errors: [
    { status: 400, when: 'the link was already used or has expired, or the password is easy to guess' },
    { status: 409, when: 'the account has two-step verification: send `code`, too' },
  ],
  reply: { status: 200, body: SessionView },
  async handle({ body, services, session, address, header }) {
    const { token, password, code, time_zone: timeZone } = body
    const origin = { address, userAgent: header('user-agent'), old: session.id, timeZone, code }
    const link = await acceptLink(services, token, password, origin)
    return entered({ services, session }, link)
  },
})

export const signInRoutes: Route[] = [open, look, close, closeAll, change, forget, lookLink, accept]
