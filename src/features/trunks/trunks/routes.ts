import { type Static, Type } from 'typebox'
import { afterCommit, transaction } from '../../../db/database.ts'
import { badRequest, forbidden, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import { codecNames } from '../../../media/codecs.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, findNumber } from '../../accounts/index.ts'
import { checkedTrunk, newTrunk, problemOfWidth } from './settings.ts'
import {
  deleteTrunk,
  findTrunk,
  insertTrunk,
  sharedTrunksOf,
  type Trunk,
  type TrunkSettings,
  trunksOf,
  updateTrunk,
  usableTrunk,
} from './store.ts'
import {
  inboundDigests,
  numberForms,
  SharedTrunkView,
  sharedTrunkView,
  TrunkView,
  transports,
  trunkView,
} from './view.ts'

// SIP trunks. Under /app only: integrations have no access to carrier settings.

const tag = 'Trunks'
const maxTrunks = 20
const OneTrunk = Type.Object({ trunk: TrunkView })
const params = Type.Object({ id: Id })

const fields = {
  name: nameText(255),
  enabled: Type.Boolean(),
  host: text(253, { examples: ['sip.carrier.example'] }),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
  transport: oneOf(transports),
  srtp: Type.Boolean(),
  registers: Type.Boolean(),
  username: nullable(text(255)),
  password: nullable(text(255)),
  domain: nullable(text(253)),
  addresses: Type.Array(text(64), { maxItems: 50, description: 'IP addresses or ranges such as 192.0.2.0/24' }),
  prefixes: Type.Array(Type.String({ pattern: '^\\+?[1-9]\\d{0,14}$', maxLength: 16, examples: ['+33'] }), {
    maxItems: 200,
  }),
  number_form: oneOf(numberForms),
  behind_nat: Type.Boolean(),
  emergency: Type.Boolean(),
  priority: Type.Integer({ minimum: 0, maximum: 1_000 }),
  max_calls: Type.Integer({ minimum: 1, maximum: 10_000 }),
  inbound_username: nullable(
    text(255, { description: 'With `inbound_password`: calls from the trunk must authenticate' }),
  ),
  inbound_password: nullable(text(255)),
  inbound_digest: oneOf(inboundDigests, {
    description: 'Digest algorithms offered to calls from the trunk; `any`: SHA-256, then MD5',
  }),
  codecs: Type.Array(oneOf(codecNames), {
    minItems: 1,
    maxItems: codecNames.length,
    description: 'Audio codecs, in the order of preference; `g722` and `opus` are wideband',
  }),
}
const { name, host, ...others } = fields
const optional = Object.fromEntries(Object.entries(others).map(([key, schema]) => [key, Type.Optional(schema)])) as {
  [K in keyof typeof others]: ReturnType<typeof Type.Optional<(typeof others)[K]>>
}
const NewTrunk = Type.Object({ name, host, ...optional })
const ChangedTrunk = Type.Object({ name: Type.Optional(name), host: Type.Optional(host), ...optional })

const listTrunks = route({
  method: 'GET',
  path: '/v1/trunks',
  summary: 'List SIP trunks by priority, and the shared trunks of the operator',
  tag,
  access: 'app',
  roles: admins,
  reply: {
    status: 200,
    body: Type.Object({ trunks: Type.Array(TrunkView), shared_trunks: Type.Array(SharedTrunkView) }),
  },
  async handle({ caller, services }) {
    const trunks = await trunksOf(services.db, caller.companyId)
    const shared = await sharedTrunksOf(services.db, caller.companyId)
    return { trunks: trunks.map(trunkView), shared_trunks: shared.map(sharedTrunkView) }
  },
})

const createTrunk = route({
  method: 'POST',
  path: '/v1/trunks',
  summary: 'Create a SIP trunk; it is used immediately',
  tag,
  access: 'app',
  body: NewTrunk,
  errors: [{ status: 400, when: `the settings are inconsistent, or there are already ${maxTrunks} trunks` }],
  reply: { status: 201, body: OneTrunk },
  async handle({ body, caller, services, address }) {
    const settings = checked(services, { ...newTrunk, name: body.name, host: body.host, ...given(services, body) })
    const made = await transaction(services.db, async (tx) => {
      if ((await trunksOf(tx, caller.companyId)).length >= maxTrunks)
        throw badRequest(`There are already ${maxTrunks} trunks; delete one first`)
      const trunk = await insertTrunk(tx, caller.companyId, settings, services.clock.now())
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, caller.companyId, trunkAuditEntry(caller, 'trunk.created', trunk, address))
      return trunk
    })
    return { trunk: trunkView(made) }
  },
})

type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }

/** The company can use a shared trunk, but only the operator can change it. */
async function ownTrunk({ params: { id }, caller: { companyId }, services: { db } }: Loading) {
  const own = await findTrunk(db, companyId, id)
  if (!own && (await usableTrunk(db, companyId, id))) throw forbidden('This trunk is managed by the operator')
  return own
}

const changeTrunk = route({
  method: 'PUT',
  path: '/v1/trunks/:id',
  summary: 'Update a SIP trunk; its active calls continue',
  tag,
  access: 'app',
  params,
  load: ownTrunk,
  edits: { object: 'trunk', view: ({ loaded }) => trunkView(loaded) },
  body: ChangedTrunk,
  errors: [{ status: 400, when: 'the settings are inconsistent' }],
  reply: { status: 200, body: OneTrunk },
  async handle({ body, loaded, caller, services, address }) {
    const { id, companyId: _owner, up: _up, upAt: _upAt, upDetail: _detail, ...before } = loaded
    const { companyId } = caller
    const settings = checked(services, { ...before, ...given(services, body) })
    const changed = await transaction(services.db, async (tx) => {
      const trunk = await updateTrunk(tx, companyId, id, settings)
      if (!trunk) throw notFound()
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, companyId, trunkAuditEntry(caller, 'trunk.changed', trunk, address))
      return trunk
    })
    return { trunk: trunkView(changed) }
  },
})

const removeTrunk = route({
  method: 'DELETE',
  path: '/v1/trunks/:id',
  summary: 'Delete a SIP trunk; its active calls continue',
  tag,
  access: 'app',
  params,
  load: ownTrunk,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await deleteTrunk(tx, caller.companyId, loaded.id))) throw notFound()
      afterCommit(tx, () => services.trunks.changed())
      await audit(services, tx, caller.companyId, trunkAuditEntry(caller, 'trunk.deleted', loaded, address))
    })
    return {}
  },
})

const TestResult = Type.Object({
  outcome: oneOf(['answered', 'busy', 'no_answer', 'no_response', 'rejected', 'failed', 'not_allowed'] as const),
  code: nullable(Type.Integer({ description: 'Provisional and final responses of the carrier' })),
  response: nullable(Type.String({ description: 'The final SIP response', examples: ['404 Not Found'] })),
  seconds: Type.Number({ description: 'Until the final response' }),
  explanation: Type.String(),
})

const testTrunk = route({
  method: 'POST',
  path: '/v1/trunks/:id/test_call',
  summary: 'Place a test call over this trunk; the called party hears a melody, and the call ends automatically',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => usableTrunk(services.db, caller.companyId, id),
  body: Type.Object({ number_id: Id, to: text(16, { examples: ['+14155550123'] }) }),
  errors: [{ status: 400, when: 'the Number does not belong to the company' }],
  reply: { status: 200, body: TestResult },
  async handle({ body, loaded, caller, services, address }) {
    if (!(await findNumber(services.db, caller.companyId, body.number_id)))
      throw badRequest('`number_id` is not a Number of the company')
    const input = { trunkId: loaded.id, numberId: body.number_id, to: body.to }
    const result = await services.trunks.test(caller.companyId, input)
    await transaction(services.db, (tx) =>
      audit(services, tx, caller.companyId, trunkAuditEntry(caller, 'trunk.tested', loaded, address)),
    )
    return result
  },
})

type Caller = Parameters<typeof actorOf>[0]

const trunkAuditEntry = (caller: Caller, action: string, { id, name, host, transport }: Trunk, address: string) => ({
  actor: actorOf(caller),
  action,
  target: `trunk:${id}`,
  details: { name, host, transport },
  address,
})

/** The settings in a request body. */
function given({ vault }: Services, body: Static<typeof ChangedTrunk>): Partial<TrunkSettings> {
  const { password, number_form, behind_nat, max_calls, prefixes, inbound_username, inbound_password, ...rest } = body
  const { inbound_digest, ...same } = rest
  return {
    ...same,
    ...(password !== undefined && { passwordSealed: password === null ? null : vault.seal(password) }),
    ...(inbound_username !== undefined && { inboundUsername: inbound_username }),
    ...(inbound_password !== undefined && {
      inboundPasswordSealed: inbound_password === null ? null : vault.seal(inbound_password),
    }),
    ...(inbound_digest !== undefined && { inboundDigest: inbound_digest }),
    ...(number_form !== undefined && { numberForm: number_form }),
    ...(behind_nat !== undefined && { behindNat: behind_nat }),
    ...(max_calls !== undefined && { maxCalls: max_calls }),
    ...(prefixes !== undefined && { prefixes: prefixes.map((prefix) => prefix.replace('+', '')) }),
  } as Partial<TrunkSettings>
}

/** For a company: the ranges of its carrier, limited in size. */
function checked({ rules }: Services, settings: TrunkSettings): TrunkSettings {
  const problem = problemOfWidth(settings.addresses) ?? rules.trunkHostProblem(settings.host)
  if (problem !== undefined) throw badRequest(problem)
  return checkedTrunk(settings)
}

export const trunkRoutes = [listTrunks, createTrunk, changeTrunk, removeTrunk, testTrunk]
