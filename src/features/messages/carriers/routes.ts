import { type Static, Type } from 'typebox'
import { type Tx, transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, auditAlone, findNumber, userIdOf } from '../../accounts/index.ts'
import { admitRecipients, countOutgoing, type Outgoing, reportingRefusals } from '../limits/guard.ts'
import {
  type Carrier,
  carriersOf,
  deleteCarrier,
  findCarrier,
  insertCarrier,
  linesOf,
  updateCarrier,
} from '../lines/store.ts'
import { checkedSettings, checkHeaders } from './check.ts'
import { secretsOf } from './secrets.ts'
import { carrierKinds, defaultHttp, HttpSettings, type Secrets, SmppSettings, WhatsappSettings } from './settings.ts'
import { waitingOf } from './store.ts'
import { CarrierView, carrierView, waitingFor } from './view.ts'

// Carriers for SMS, MMS and WhatsApp. Under /app only: third-party apps have no access to carrier settings.

const tag = 'SMS & WhatsApp'
const maxCarriers = 20
const OneCarrier = Type.Object({ carrier: CarrierView })
const params = Type.Object({ id: Id })
const secret = (maxLength: number) => Type.Optional(nullable(text(maxLength)))

const parts = {
  smpp: Type.Optional(Type.Object({ ...Type.Partial(SmppSettings).properties, password: secret(64) })),
  http: Type.Optional(
    Type.Object({
      ...Type.Partial(HttpSettings).properties,
      received: Type.Optional(Type.Partial(HttpSettings.properties.received)),
      reported: Type.Optional(Type.Partial(HttpSettings.properties.reported)),
      secret_headers: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.String({
              minLength: 1,
              maxLength: 128,
              pattern: '^[A-Za-z0-9-]+$',
              examples: ['Authorization'],
            }),
            value: nullable(text(2_000, { description: 'Null: keep the stored one' })),
          }),
          { maxItems: 20 },
        ),
      ),
      inbound_secret: secret(500),
    }),
  ),
  whatsapp: Type.Optional(
    Type.Object({
      ...Type.Partial(WhatsappSettings).properties,
      access_token: secret(1_000),
      app_secret: secret(500),
      verify_token: secret(500),
    }),
  ),
}
const NewCarrier = Type.Object({
  name: nameText(255),
  kind: oneOf(carrierKinds),
  enabled: Type.Optional(Type.Boolean()),
  ...parts,
})
const ChangedCarrier = Type.Object({
  name: Type.Optional(nameText(255)),
  enabled: Type.Optional(Type.Boolean()),
  ...parts,
})

const loadCarrier = ({ params: { id }, caller, services }: Loading) => findCarrier(services.db, caller.companyId, id)
interface Loading {
  params: { id: number }
  caller: { companyId: CompanyId }
  services: Services
}

const listCarriers = route({
  method: 'GET',
  path: '/v1/carriers',
  summary: 'List message carriers with their queued messages',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ carriers: Type.Array(CarrierView) }) },
  async handle({ caller, services }) {
    const { db } = services
    const [lines, waiting] = [await linesOf(db, caller.companyId), await waitingOf(db, caller.companyId)]
    const carriers = await carriersOf(db, caller.companyId)
    return { carriers: carriers.map((one) => carrierView(services, one, waitingFor(one, lines, waiting))) }
  },
})

const createCarrier = route({
  method: 'POST',
  path: '/v1/carriers',
  summary: 'Create a message carrier; Numbers use it once they name it',
  tag,
  access: 'app',
  body: NewCarrier,
  errors: [{ status: 400, when: `a setting is invalid, or the company already has ${maxCarriers} carriers` }],
  reply: { status: 201, body: OneCarrier },
  async handle({ body, caller, services, address }) {
    const { name, kind, enabled = true } = body
    const settings = checkedSettings(services, kind, settingsIn(body, kind, defaultHttp))
    const secretsSealed = sealed(services, secretsIn(body, kind, {}))
    const made = await transaction(services.db, async (tx) => {
      if ((await carriersOf(tx, caller.companyId)).length >= maxCarriers)
        throw badRequest(`The company already has ${maxCarriers} carriers; delete one first`)
      const wanted = { name, kind, enabled, settings: { ...settings }, secretsSealed }
      const carrier = await insertCarrier(tx, caller.companyId, wanted, services.clock.now())
      await changed(tx, caller.companyId)
      await audit(services, tx, caller.companyId, auditEntry(caller, 'carrier.created', carrier, address))
      return carrier
    })
    return { carrier: carrierView(services, made, []) }
  },
})

const changeCarrier = route({
  method: 'PUT',
  path: '/v1/carriers/:id',
  summary: 'Update a message carrier; secrets that are left out stay unchanged',
  tag,
  access: 'app',
  params,
  load: loadCarrier,
  edits: { object: 'carrier', view: ({ loaded, services }) => carrierView(services, loaded, []) },
  body: ChangedCarrier,
  errors: [{ status: 400, when: 'a setting is invalid' }],
  reply: { status: 200, body: OneCarrier },
  async handle({ body, loaded, caller, services, address }) {
    const { id, kind } = loaded
    const before = { ...defaultHttp, ...loaded.settings }
    const wanted = {
      kind,
      name: body.name ?? loaded.name,
      enabled: body.enabled ?? loaded.enabled,
      settings: { ...checkedSettings(services, kind, { ...loaded.settings, ...settingsIn(body, kind, before) }) },
      secretsSealed: sealed(services, secretsIn(body, kind, secretsOf(services, loaded))),
    }
    const saved = await transaction(services.db, async (tx) => {
      const carrier = await updateCarrier(tx, caller.companyId, id, wanted)
      if (!carrier) throw notFound()
      await changed(tx, caller.companyId)
      await audit(services, tx, caller.companyId, auditEntry(caller, 'carrier.changed', carrier, address))
      return carrier
    })
    return { carrier: carrierView(services, saved, []) }
  },
})

const removeCarrier = route({
  method: 'DELETE',
  path: '/v1/carriers/:id',
  summary: 'Delete a message carrier; queued messages wait until their Numbers have another carrier',
  tag,
  access: 'app',
  params,
  load: loadCarrier,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await deleteCarrier(tx, caller.companyId, loaded.id))) throw notFound()
      await changed(tx, caller.companyId)
      await audit(services, tx, caller.companyId, auditEntry(caller, 'carrier.deleted', loaded, address))
    })
    return {}
  },
})

const testCarrier = route({
  method: 'POST',
  path: '/v1/carriers/:id/test_message',
  summary: 'Send a test message through a carrier; it is not stored',
  tag,
  access: 'app',
  params,
  load: loadCarrier,
  body: Type.Object({
    number_id: Id,
    to: Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16, examples: ['+14155550123'] }),
    body: Type.Optional(text(160)),
  }),
  errors: [{ status: 400, when: 'the Number does not belong to the company' }],
  reply: {
    status: 200,
    body: Type.Object({
      outcome: oneOf(['taken', 'refused', 'later', 'unknown'] as const),
      code: nullable(Type.Integer({ description: 'Error code of a rejected message, as in failed messages' })),
      seconds: Type.Number({ description: 'Seconds until the result' }),
      explanation: Type.String(),
    }),
  },
  async handle({ body, loaded, caller, services, address }) {
    const number = await findNumber(services.db, caller.companyId, body.number_id)
    if (!number) throw badRequest('`number_id` is not a Number of the company')
    const words = body.body ?? 'This is a test of the line.'
    const text = { carrierId: loaded.id, numberId: number.id, to: body.to, body: words }
    await reportingRefusals(services, caller.companyId, userIdOf(caller) ?? undefined, () =>
      admitTest(services, caller.companyId, { recipients: [body.to], body: words, isFreeReply: false }),
    )
    const result = await services.carriers.test(caller.companyId, text)
    await auditAlone(services, caller.companyId, auditEntry(caller, 'carrier.tested', loaded, address))
    return result
  },
})

async function admitTest(services: Services, companyId: CompanyId, outgoing: Outgoing): Promise<void> {
  const limits = await admitRecipients(services, companyId, outgoing)
  await transaction(services.db, (tx) => countOutgoing(services, tx, companyId, limits, outgoing))
}

const syncCarrier = route({
  method: 'POST',
  path: '/v1/carriers/:id/sync',
  summary: 'Synchronize templates, limits and quality ratings of the Numbers on this carrier with WhatsApp',
  tag,
  access: 'app',
  params,
  load: loadCarrier,
  errors: [{ status: 400, when: 'the carrier is not a WhatsApp carrier' }],
  reply: {
    status: 200,
    body: Type.Object({
      lines: Type.Integer(),
      templates: Type.Integer(),
      left_out: Type.Integer({ description: 'Templates skipped because they contain unsupported components' }),
      trouble: nullable(Type.String()),
    }),
  },
  async handle({ loaded, caller, services }) {
    if (loaded.kind !== 'whatsapp') throw badRequest('Only WhatsApp carriers can be synchronized')
    const { leftOut, ...result } = await services.carriers.sync(caller.companyId, loaded.id)
    return { ...result, left_out: leftOut }
  },
})

const changed = (tx: Tx, companyId: CompanyId) => notify(tx, 'carriers', String(companyId))

type Caller = Parameters<typeof actorOf>[0]

const auditEntry = (caller: Caller, action: string, { id, name, kind }: Carrier, address: string) => ({
  actor: actorOf(caller),
  action,
  target: `carrier:${id}`,
  details: { name, kind },
  address,
})

type Given = Static<typeof ChangedCarrier>

type Paths = Pick<HttpSettings, 'received' | 'reported'>

function settingsIn({ smpp, http, whatsapp }: Given, kind: Carrier['kind'], before: Paths): object {
  if (kind === 'smpp') {
    const { password: _password, ...settings } = smpp ?? {}
    return settings
  }
  if (kind === 'http') {
    const { secret_headers: _headers, inbound_secret: _secret, received, reported, ...settings } = http ?? {}
    const paths = { received: { ...before.received, ...received }, reported: { ...before.reported, ...reported } }
    return { ...settings, ...paths }
  }
  const { access_token: _token, app_secret: _secret, verify_token: _verify, ...settings } = whatsapp ?? {}
  return settings
}

/** Secrets that are left out stay unchanged; null removes them. */
function secretsIn({ smpp, http, whatsapp }: Given, kind: Carrier['kind'], before: Secrets): Secrets {
  const kept = <K extends keyof Secrets>(key: K, given: Secrets[K] | null | undefined) => {
    const value = given === undefined ? before[key] : (given ?? undefined)
    return value === undefined ? {} : { [key]: value }
  }
  if (kind === 'smpp') return kept('password', smpp?.password)
  if (kind === 'http') return { ...kept('headers', headersIn(http, before)), ...kept('inbound', http?.inbound_secret) }
  return {
    ...kept('accessToken', whatsapp?.access_token),
    ...kept('appSecret', whatsapp?.app_secret),
    ...kept('verifyToken', whatsapp?.verify_token),
  }
}

function headersIn(http: Given['http'], { headers: before = [] }: Secrets): Secrets['headers'] {
  if (!http?.secret_headers) return undefined
  const headers = http.secret_headers.map(({ name, value }) => {
    const kept = before.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
    const now = value ?? kept
    if (now === undefined) throw badRequest(`The secret header ${name} has no stored value; send one`)
    return { name, value: now }
  })
  checkHeaders(headers)
  return headers
}

const sealed = ({ vault }: Services, secrets: Secrets) =>
  Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets))

export const carrierRoutes = [listCarriers, createCarrier, changeCarrier, removeCarrier, testCarrier, syncCarrier]
