import { type Static, Type } from 'typebox'
import { browserName } from '../../../domain/browser-name.ts'
import type { Caller } from '../../../http/caller.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, Json, nameText, nullable, Timestamp, text } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { anyRole, userIdOf } from '../credentials/roles.ts'
import { entered, SessionView } from '../sign-in/session-view.ts'
import { signedIn } from '../sign-in/signed-in.ts'
import { addPasskey, passkeyOptions, passkeySignInOptions, removePasskey, signInWithPasskey } from './actions.ts'
import { type Passkey, passkeysOf, renamePasskey } from './store.ts'

// Passkeys of the signed-in user, and the sign-in with one (WebAuthn, discoverable credentials).

const tag = 'Sign-in'
const Options = Type.Object({ options: Json }, { description: 'For navigator.credentials' })
const Name = nameText(60, { examples: ['Laptop'] })

const PasskeyView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  synced: Type.Boolean({ description: 'Kept by a password manager on several devices' }),
  created_at: Timestamp,
  last_used_at: nullable(Type.String({ format: 'date-time' })),
})

const passkeyView = (passkey: Passkey): Static<typeof PasskeyView> => ({
  id: passkey.id,
  name: passkey.name,
  synced: passkey.synced,
  created_at: isoSeconds(passkey.createdAt),
  last_used_at: passkey.lastUsedAt === null ? null : isoSeconds(passkey.lastUsedAt),
})

const encoded = (max: number) => text(max, { description: 'Base64url' })
const kind = Type.Literal('public-key')

async function loadPasskey({
  params,
  caller,
  services,
}: {
  params: { id: number }
  caller: Caller
  services: Services
}) {
  const userId = userIdOf(caller)
  const mine = userId === null ? [] : await passkeysOf(services.db, caller.companyId, userId)
  return mine.find(({ id }) => id === params.id)
}

const list = route({
  method: 'GET',
  path: '/v1/session/passkeys',
  summary: 'List your passkeys',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 200, body: Type.Object({ passkeys: Type.Array(PasskeyView) }) },
  async handle({ caller, services, session, address }) {
    const { companyId, userId } = signedIn({ caller, session, address })
    return { passkeys: (await passkeysOf(services.db, companyId, userId)).map(passkeyView) }
  },
})

const begin = route({
  method: 'POST',
  path: '/v1/session/passkeys/options',
  summary: 'Start adding a passkey: returns the options for the browser',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ password: Type.Optional(text(200, { description: 'Current password, if you have one' })) }),
  errors: [
    { status: 400, when: 'the current password is incorrect, or you have 20 passkeys' },
    { status: 429, when: 'ten attempts failed' },
  ],
  reply: { status: 200, body: Options },
  async handle({ body, caller, services, session, address }) {
    return { options: await passkeyOptions(services, signedIn({ caller, session, address }), body.password) }
  },
})

const add = route({
  method: 'POST',
  path: '/v1/session/passkeys',
  summary: 'Add the passkey that the browser has created',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({
    name: Type.Optional(Name),
    id: encoded(2_048),
    type: kind,
    client_data: encoded(8_192),
    attestation: encoded(65_536),
    transports: Type.Optional(Type.Array(text(30), { maxItems: 10 })),
  }),
  errors: [{ status: 400, when: 'the response does not answer a request of this session' }],
  reply: { status: 201, body: Type.Object({ passkey: PasskeyView }) },
  async handle({ body, caller, services, session, address, header }) {
    const { id, type, client_data: clientDataJSON, attestation: attestationObject, transports } = body
    const response = {
      id,
      rawId: id,
      type,
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject, ...(transports && { transports }) },
    }
    const name = body.name ?? browserName(header('user-agent') ?? null)
    const who = signedIn({ caller, session, address })
    return { passkey: passkeyView(await addPasskey(services, who, { response, name })) }
  },
})

const rename = route({
  method: 'PUT',
  path: '/v1/session/passkeys/:id',
  summary: 'Rename a passkey',
  tag,
  access: 'app',
  roles: anyRole,
  params: Type.Object({ id: Id }),
  load: loadPasskey,
  body: Type.Object({ name: Name }),
  reply: { status: 200, body: Type.Object({ passkey: PasskeyView }) },
  async handle({ body, loaded, caller, services }) {
    await renamePasskey(services.db, caller.companyId, loaded.id, body.name)
    return { passkey: passkeyView({ ...loaded, name: body.name }) }
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/session/passkeys/:id',
  summary: 'Remove a passkey',
  tag,
  access: 'app',
  roles: anyRole,
  params: Type.Object({ id: Id }),
  load: loadPasskey,
  reply: { status: 204 },
  async handle({ loaded, caller, services, session, address }) {
    await removePasskey(services, signedIn({ caller, session, address }), loaded)
    return {}
  },
})

const beginSignIn = route({
  method: 'POST',
  path: '/v1/passkey_sign_in/options',
  summary: 'Start a sign-in with a passkey: returns the options for the browser',
  tag,
  access: 'app',
  anyone: true,
  reply: { status: 200, body: Options },
  handle: async ({ services }) => ({ options: await passkeySignInOptions(services) }),
})

const finishSignIn = route({
  method: 'POST',
  path: '/v1/passkey_sign_in',
  summary: 'Sign in with a passkey',
  description: 'Sets the session cookie. No code of an authenticator app is needed.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({
    id: encoded(2_048),
    type: kind,
    client_data: encoded(8_192),
    authenticator_data: encoded(8_192),
    signature: encoded(8_192),
  }),
  errors: [{ status: 403, when: 'the passkey is unknown or the request has expired' }],
  reply: { status: 200, body: SessionView },
  async handle({ body, services, session, address, header }) {
    const { id, type, client_data: clientDataJSON, authenticator_data: authenticatorData, signature } = body
    const inner = { clientDataJSON, authenticatorData, signature }
    const response = { id, rawId: id, type, clientExtensionResults: {}, response: inner }
    const origin = { address, userAgent: header('user-agent'), old: session.id }
    return entered({ services, session }, await signInWithPasskey(services, response, origin))
  },
})

export const passkeyRoutes: Route[] = [list, begin, add, rename, remove, beginSignIn, finishSignIn]
