import { Type } from 'typebox'
import { badRequest, oauthError } from '../../../http/errors.ts'
import { type Input, type Route, route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import { actorOf, admins, findCompany, userIdOf } from '../../accounts/index.ts'
import { changeApp, decide, deleteApp, exchange, refusalOf, registerApp, renewSecret } from './actions.ts'
import { readAuthorization } from './authorization.ts'
import { appsOnOffer, findApp, listApps } from './store.ts'
import { AppView, appView, NewAppView, OfferView, offerView } from './view.ts'

const tag = 'OAuth'

const secretNames = ['client_id', 'client_secret', 'code', 'code_verifier', 'redirect_uri', 'grant_type']

const getToken = route({
  method: 'POST',
  path: '/v1/oauth/token',
  summary: 'Exchange a code for an access token',
  description:
    'Accepts JSON or a form. The token does not expire. Errors have the codes of RFC 6749 in ' +
    '`error`, and `error_description` besides `troubleshoot`. A second use of a code revokes its token.',
  tag,
  access: 'open',
  form: true,
  body: Type.Object({
    client_id: text(200),
    client_secret: text(500),
    code: text(500, { description: 'From the redirect; valid once, for 10 minutes' }),
    redirect_uri: text(2_048, { description: 'Same value as in the authorization request' }),
    grant_type: text(200, { description: 'authorization_code', examples: ['authorization_code'] }),
    code_verifier: Type.Optional(text(500, { description: 'RFC 7636; mandatory if there was a code_challenge' })),
  }),
  errors: [
    { status: 400, when: 'invalid_request, unsupported_grant_type or invalid_grant' },
    { status: 401, when: 'invalid_client: client_id or client_secret is wrong' },
    { status: 429, when: 'there were 20 wrong secrets for the client from your address within a minute' },
  ],
  refusal: (issue, fields) => (issue.status === 413 ? issue : refusalOf(issue.message, fields)),
  reply: {
    status: 200,
    body: Type.Object({
      access_token: Type.String(),
      token_type: oneOf(['Bearer']),
      created_at: Type.Integer({ description: 'UNIX seconds' }),
    }),
  },
  async handle({ body, place, address, services }) {
    // URLs end up in logs and browser histories.
    const query = new URLSearchParams(place.search)
    if (secretNames.some((name) => query.has(name)))
      throw oauthError('invalid_request', 'Send the parameters in the body, not in the URL')
    const { token, at } = await exchange(services, address, {
      clientId: body.client_id,
      clientSecret: body.client_secret,
      code: body.code,
      redirectUri: body.redirect_uri,
      grantType: body.grant_type,
      verifier: body.code_verifier,
    })
    return { access_token: token, token_type: 'Bearer' as const, created_at: unixSeconds(at) }
  },
})

const Request = text(15_000, { description: 'Query string of /oauth/authorize, unchanged' })

const lookAtRequest = route({
  method: 'POST',
  path: '/v1/oauth/authorizations/look',
  summary: 'Retrieve the authorization request of an app',
  tag,
  access: 'app',
  body: Type.Object({ request: Request }),
  errors: [{ status: 400, when: 'the app or its redirect_uri is unknown, or the request is not valid' }],
  reply: {
    status: 200,
    body: Type.Object({
      app: Type.Object({
        name: Type.String(),
        description: Type.String(),
        logo_url: nullable(Type.String()),
        maker: Type.String({ description: 'Company that registered the app' }),
      }),
      redirect_host: Type.String({ description: 'Host of the redirect_uri' }),
    }),
  },
  async handle({ body, services }) {
    const asked = await readAuthorization(services, body.request)
    if (asked.kind === 'refused') throw badRequest(asked.advice)
    if (asked.kind === 'answered')
      throw badRequest('The authorization request is not supported; contact the developer of the app')
    const { name, description, logoUrl, companyId, redirectUri } = asked.app
    const maker = await findCompany(services.db, companyId)
    return {
      app: { name, description, logo_url: logoUrl, maker: maker.name },
      redirect_host: new URL(redirectUri).host,
    }
  },
})

const answerRequest = route({
  method: 'POST',
  path: '/v1/oauth/authorizations',
  summary: 'Grant or deny an authorization request',
  description:
    'The response contains the URL to redirect to: the registered redirect_uri with a code or with access_denied.',
  tag,
  access: 'app',
  body: Type.Object({
    request: Request,
    allow: Type.Boolean(),
    number_ids: Type.Optional(
      nullable(Type.Array(Id, { minItems: 1, maxItems: 1_000, description: 'Only these Numbers; null: all' })),
    ),
  }),
  errors: [{ status: 400, when: 'the app or its redirect_uri is unknown, or a Number does not belong to the company' }],
  reply: { status: 200, body: Type.Object({ redirect_to: Type.String() }) },
  async handle({ body, caller, services, address }) {
    const userId = userIdOf(caller)
    if (userId === null) throw badRequest('Only a signed-in user can authorize an app')
    const decision = { search: body.request, allow: body.allow, numberIds: body.number_ids ?? null }
    return { redirect_to: await decide(services, { companyId: caller.companyId, userId, address }, decision) }
  },
})

const Uri = (description: string, example: string) =>
  text(2_048, { description: `${description}; public HTTPS`, examples: [example] })
const appFields = {
  name: nameText(100),
  description: Type.Optional(nullable(text(1_000))),
  logo_url: Type.Optional(nullable(Uri('Square logo', 'https://partner.example.com/logo.png'))),
  install_uri: Uri('Opened when an admin installs the app', 'https://partner.example.com/install'),
  redirect_uri: Uri('Redirect URI that receives the code', 'https://partner.example.com/callback'),
  listed: Type.Optional(Type.Boolean({ description: 'Let all companies of this installation install the app' })),
}

const listOauthApps = route({
  method: 'GET',
  path: '/v1/oauth_apps',
  summary: 'List the OAuth apps of the company',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ oauth_apps: Type.Array(AppView) }) },
  async handle({ caller, services }) {
    return { oauth_apps: (await listApps(services.db, caller.companyId)).map(appView) }
  },
})

type Asker = Pick<Input<never, never, never, never>, 'caller' | 'address'>
const authorOf = ({ caller, address }: Asker) => ({ companyId: caller.companyId, actor: actorOf(caller), address })

const createOauthApp = route({
  method: 'POST',
  path: '/v1/oauth_apps',
  summary: 'Register an OAuth app; the secret is returned only once',
  tag,
  access: 'app',
  body: Type.Object(appFields),
  errors: [{ status: 400, when: 'a URL is not public HTTPS, or the company already has 100 apps' }],
  reply: { status: 201, body: Type.Object({ oauth_app: NewAppView }) },
  async handle({ body, caller, address, services }) {
    const { app, secret } = await registerApp(services, authorOf({ caller, address }), {
      name: body.name,
      description: body.description ?? '',
      logoUrl: body.logo_url ?? null,
      installUri: body.install_uri,
      redirectUri: body.redirect_uri,
      listed: body.listed ?? false,
    })
    return { oauth_app: { ...appView(app), client_secret: secret } }
  },
})

const one = {
  params: Type.Object({ id: Id }),
  load: ({
    params,
    caller,
    services,
  }: Pick<Input<never, never, never, never>, 'caller' | 'services'> & { params: { id: number } }) =>
    findApp(services.db, caller.companyId, params.id),
}

const updateOauthApp = route({
  method: 'PUT',
  path: '/v1/oauth_apps/:id',
  summary: 'Update an OAuth app; client_id and secret do not change',
  tag,
  access: 'app',
  ...one,
  edits: { object: 'oauth_app', view: ({ loaded }) => appView(loaded) },
  body: Type.Partial(Type.Object(appFields)),
  errors: [{ status: 400, when: 'a URL is not public HTTPS' }],
  reply: { status: 200, body: Type.Object({ oauth_app: AppView }) },
  async handle({ body, loaded, caller, address, services }) {
    const changes = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.description !== undefined && { description: body.description ?? '' }),
      ...(body.logo_url !== undefined && { logoUrl: body.logo_url }),
      ...(body.install_uri !== undefined && { installUri: body.install_uri }),
      ...(body.redirect_uri !== undefined && { redirectUri: body.redirect_uri }),
      ...(body.listed !== undefined && { listed: body.listed }),
    }
    return { oauth_app: appView(await changeApp(services, authorOf({ caller, address }), loaded.id, changes)) }
  },
})

const rotateAppSecret = route({
  method: 'POST',
  path: '/v1/oauth_apps/:id/secret/rotations',
  summary: 'Rotate the secret of an OAuth app; the old secret is rejected from the next request on',
  description: 'The new secret is returned only once. Existing tokens remain valid.',
  tag,
  access: 'app',
  ...one,
  reply: { status: 201, body: Type.Object({ client_secret: Type.String() }) },
  async handle({ loaded, caller, address, services }) {
    return { client_secret: await renewSecret(services, authorOf({ caller, address }), loaded.id) }
  },
})

const deleteOauthApp = route({
  method: 'DELETE',
  path: '/v1/oauth_apps/:id',
  summary: 'Delete an OAuth app; it is uninstalled from every company',
  tag,
  access: 'app',
  ...one,
  reply: { status: 204 },
  async handle({ loaded, caller, address, services }) {
    await deleteApp(services, authorOf({ caller, address }), loaded.id)
    return {}
  },
})

const getMarketplace = route({
  method: 'GET',
  path: '/v1/marketplace',
  summary: 'List the apps that can be installed',
  description: 'Apps registered by the company, and apps that other companies offer to all.',
  tag,
  access: 'app',
  reply: { status: 200, body: Type.Object({ apps: Type.Array(OfferView) }) },
  async handle({ caller, services }) {
    return { apps: (await appsOnOffer(services.db, caller.companyId)).map(offerView) }
  },
})

export const oauthRoutes: Route[] = [
  getToken,
  lookAtRequest,
  answerRequest,
  listOauthApps,
  createOauthApp,
  updateOauthApp,
  rotateAppSecret,
  deleteOauthApp,
  getMarketplace,
]
