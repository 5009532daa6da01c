import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { afterCommit, transaction } from '../../db/database.ts'
import { badRequest, notFound, unprocessable } from '../../http/errors.ts'
import { route } from '../../http/route.ts'
import { Id, nullable, oneOf, text } from '../../http/schemas.ts'
import type { Services } from '../../services.ts'
import { actorOf, audit } from '../audit.ts'
import { findNumber } from '../numbers/store.ts'
import { admins } from '../roles.ts'
import { deleteTrunk, findTrunk, insertTrunk, type Trunk, type TrunkSettings, trunksOf, updateTrunk } from './store.ts'
import { numberForms, TrunkView, transports, trunkView } from './view.ts'

// The lines to the outside. Under /app only: what a carrier is told is nothing for third parties.

const tag = 'Trunks'
const most = 20
const OneTrunk = Type.Object({ trunk: TrunkView })
const params = Type.Object({ id: Id })

const fields = {
  name: text(255),
  enabled: Type.Boolean(),
  host: text(253, { examples: ['sip.carrier.example'] }),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
  transport: oneOf(transports),
  srtp: Type.Boolean(),
  registers: Type.Boolean(),
  username: nullable(text(255)),
  password: nullable(text(255)),
  domain: nullable(text(253)),
  addresses: Type.Array(text(64), { maxItems: 50, description: 'Addresses or ranges such as 192.0.2.0/24' }),
  prefixes: Type.Array(Type.String({ pattern: '^\\+?[1-9]\\d{0,14}$', maxLength: 16, examples: ['+33'] }), {
    maxItems: 200,
  }),
  number_form: oneOf(numberForms),
  behind_nat: Type.Boolean(),
  emergency: Type.Boolean(),
  priority: Type.Integer({ minimum: 0, maximum: 1_000 }),
  max_calls: Type.Integer({ minimum: 1, maximum: 10_000 }),
}
const { name, host, ...others } = fields
const optional = Object.fromEntries(Object.entries(others).map(([key, schema]) => [key, Type.Optional(schema)])) as {
  [K in keyof typeof others]: ReturnType<typeof Type.Optional<(typeof others)[K]>>
}
const NewTrunk = Type.Object({ name, host, ...optional })
const ChangedTrunk = Type.Object({ name: Type.Optional(name), host: Type.Optional(host), ...optional })

const fresh: Omit<TrunkSettings, 'name' | 'host'> = {
  enabled: true,
  port: null,
  transport: 'udp',
  srtp: false,
  registers: false,
  username: null,
  passwordSealed: null,
  domain: null,
  addresses: [],
  prefixes: [],
  numberForm: 'plus',
  behindNat: false,
  emergency: false,
  priority: 10,
  maxCalls: 50,
}

const listTrunks = route({
  method: 'GET',
  path: '/v1/trunks',
  summary: 'List SIP trunks, in the order in which they are tried',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ trunks: Type.Array(TrunkView) }) },
  async handle({ caller, services }) {
    return { trunks: (await trunksOf(services.db, caller.companyId)).map(trunkView) }
  },
})

const createTrunk = route({
  method: 'POST',
  path: '/v1/trunks',
  summary: 'Connect a SIP trunk; it is used at once',
  tag,
  access: 'app',
  body: NewTrunk,
  errors: [{ status: 400, when: `a setting does not fit the others, or there are ${most} trunks already` }],
  reply: { status: 201, body: OneTrunk },
  async handle({ body, caller, services, address }) {
    const settings = checked({ ...fresh, name: body.name, host: body.host, ...given(services, body) })
    const made = await transaction(services.db, async (tx) => {
      if ((await trunksOf(tx, caller.companyId)).length >= most) throw badRequest(`There are ${most} trunks already`)
      const trunk = await insertTrunk(tx, caller.companyId, settings, services.clock.now())
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, caller.companyId, told(caller, 'trunk.created', trunk, address))
      return trunk
    })
    return { trunk: trunkView(made) }
  },
})

const changeTrunk = route({
  method: 'PUT',
  path: '/v1/trunks/:id',
  summary: 'Change a SIP trunk; calls that it carries go on',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => findTrunk(services.db, caller.companyId, id),
  body: ChangedTrunk,
  errors: [{ status: 400, when: 'a setting does not fit the others' }],
  reply: { status: 200, body: OneTrunk },
  async handle({ body, loaded, caller, services, address }) {
    const { id, companyId, up: _up, upAt: _upAt, ...before } = loaded
    const settings = checked({ ...before, ...given(services, body) })
    const changed = await transaction(services.db, async (tx) => {
      const trunk = await updateTrunk(tx, companyId, id, settings)
      if (!trunk) throw notFound()
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, companyId, told(caller, 'trunk.changed', trunk, address))
      return trunk
    })
    return { trunk: trunkView(changed) }
  },
})

const removeTrunk = route({
  method: 'DELETE',
  path: '/v1/trunks/:id',
  summary: 'Disconnect a SIP trunk; calls that it carries go on to their end',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => findTrunk(services.db, caller.companyId, id),
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await deleteTrunk(tx, caller.companyId, loaded.id))) throw notFound()
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, caller.companyId, told(caller, 'trunk.deleted', loaded, address))
    })
    return {}
  },
})

const TestResult = Type.Object({
  outcome: oneOf(['answered', 'busy', 'no_answer', 'rejected', 'failed', 'not_allowed'] as const),
  code: nullable(Type.Integer({ description: 'What the carrier answered, as SIP writes it' })),
  seconds: Type.Number({ description: 'Until that' }),
  explanation: Type.String(),
})

const testTrunk = route({
  method: 'POST',
  path: '/v1/trunks/:id/test_call',
  summary: 'Call somebody over this trunk; who answers hears a melody, and the call ends by itself',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => findTrunk(services.db, caller.companyId, id),
  body: Type.Object({ number_id: Id, to: text(16, { examples: ['+14155550123'] }) }),
  errors: [{ status: 400, when: 'the Number is none of the company’s' }],
  reply: { status: 200, body: TestResult },
  async handle({ body, loaded, caller, services, address }) {
    if (!(await findNumber(services.db, caller.companyId, body.number_id)))
      throw badRequest('`number_id` is no Number of the company')
    const wish = { trunkId: loaded.id, numberId: body.number_id, to: body.to }
    const result = await services.trunks.test(caller.companyId, wish)
    await transaction(services.db, (tx) =>
      audit(services, tx, caller.companyId, told(caller, 'trunk.tested', loaded, address)),
    )
    return result
  },
})

type Caller = Parameters<typeof actorOf>[0]

const told = (caller: Caller, action: string, { id, host, transport }: Trunk, address: string) => ({
  actor: actorOf(caller),
  action,
  target: `trunk:${id}`,
  details: { host, transport },
  address,
})

/** The settings that a body names. */
function given({ vault }: Services, body: Static<typeof ChangedTrunk>): Partial<TrunkSettings> {
  const { password, number_form, behind_nat, max_calls, prefixes, ...same } = body
  return {
    ...same,
    ...(password !== undefined && { passwordSealed: password === null ? null : vault.seal(password) }),
    ...(number_form !== undefined && { numberForm: number_form }),
    ...(behind_nat !== undefined && { behindNat: behind_nat }),
    ...(max_calls !== undefined && { maxCalls: max_calls }),
    ...(prefixes !== undefined && { prefixes: prefixes.map((prefix) => prefix.replace('+', '')) }),
  } as Partial<TrunkSettings>
}

const hostName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
/** What would end a header, or a quoted part of one. */
const unsafe = /[\r\n"<>\\;,\s]/

function checked(settings: TrunkSettings): TrunkSettings {
  const { host, domain, username, addresses, srtp, transport, registers, passwordSealed } = settings
  if (isIP(host) === 0 && !hostName.test(host)) throw badRequest('`host` must be a name or an address, without sip:')
  if (domain !== null && !hostName.test(domain)) throw badRequest('`domain` must be a name')
  if (username !== null && unsafe.test(username)) throw badRequest('`username` holds a character that SIP cannot carry')
  const odd = addresses.find((range) => !isRange(range))
  if (odd !== undefined) throw badRequest(`\`addresses\`: ${odd.slice(0, 64)} is no address and no range`)
  if (srtp && transport !== 'tls') throw badRequest('`srtp` needs `transport` tls: its keys travel with the call')
  if (registers && (username === null || passwordSealed === null)) {
    throw unprocessable('`registers` needs `username` and `password`')
  }
  return settings
}

function isRange(text: string): boolean {
  const [net = '', bits, more] = text.split('/')
  const family = isIP(net)
  if (family === 0 || more !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

export const trunkRoutes = [listTrunks, createTrunk, changeTrunk, removeTrunk, testTrunk]
