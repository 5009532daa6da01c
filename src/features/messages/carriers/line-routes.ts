import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, text } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, findNumber } from '../../accounts/index.ts'
import { type Carrier, findCarrier, findLine, hasOptedOut, linesOf, saveLine, setOptOut } from '../lines/store.ts'
import { defaultLine } from '../lines/view.ts'
import { lineNumbers, optOutsOf } from './store.ts'
import { LineView, lineView, OptOutView } from './view.ts'

// Messaging settings of each Number, and opted-out recipients.

const tag = 'SMS & WhatsApp'
const params = Type.Object({ id: Id })
const maxOptOuts = 1_000
const platformId = { pattern: '^[0-9]{1,32}$', maxLength: 32, examples: ['106540352242922'] }

const listLines = route({
  method: 'GET',
  path: '/v1/message_lines',
  summary: 'List the messaging settings of all Numbers',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ message_lines: Type.Array(LineView) }) },
  async handle({ caller, services }) {
    const set = new Map((await linesOf(services.db, caller.companyId)).map((line) => [line.numberId, line]))
    const numbers = await lineNumbers(services.db, caller.companyId)
    return {
      message_lines: numbers.map((number) =>
        lineView(number, set.get(number.id) ?? defaultLine(caller.companyId, number.id)),
      ),
    }
  },
})

const changeLine = route({
  method: 'PUT',
  path: '/v1/message_lines/:id',
  summary: 'Update the messaging settings of a Number; `id` is the ID of the Number',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }: Loading) => findNumber(services.db, caller.companyId, id),
  edits: {
    object: 'message_line',
    view: async ({ loaded: number, caller: { companyId }, services }) =>
      lineView(number, (await findLine(services.db, companyId, number.id)) ?? defaultLine(companyId, number.id)),
  },
  body: Type.Partial(
    Type.Object({
      texts: Type.Boolean(),
      carrier_id: nullable(Id),
      per_second: nullable(Type.Integer({ minimum: 1, maximum: 1_000 })),
      whatsapp_carrier_id: nullable(Id),
      waba_id: nullable(Type.String(platformId)),
      phone_number_id: nullable(Type.String(platformId)),
    }),
  ),
  errors: [{ status: 400, when: 'a carrier does not belong to the company, or does not support the channel' }],
  reply: { status: 200, body: Type.Object({ message_line: LineView }) },
  async handle({ body, loaded: number, caller, services, address }) {
    const { db, clock } = services
    const { companyId } = caller
    await mustCarry(services, companyId, 'carrier_id', body.carrier_id, ['smpp', 'http'])
    await mustCarry(services, companyId, 'whatsapp_carrier_id', body.whatsapp_carrier_id, ['whatsapp'])
    const line = await transaction(db, async (tx) => {
      const before = await findLine(tx, companyId, number.id)
      const now = {
        ...before,
        ...(body.texts !== undefined && { texts: body.texts }),
        ...(body.carrier_id !== undefined && { carrierId: body.carrier_id }),
        ...(body.per_second !== undefined && { perSecond: body.per_second }),
        ...(body.whatsapp_carrier_id !== undefined && { whatsappCarrierId: body.whatsapp_carrier_id }),
        ...(body.waba_id !== undefined && { wabaId: body.waba_id }),
        ...(body.phone_number_id !== undefined && { phoneNumberId: body.phone_number_id }),
      }
      if (now.whatsappCarrierId !== null && (now.wabaId === null || now.phoneNumberId === null)) {
        throw unprocessable('`whatsapp_carrier_id` needs `waba_id` and `phone_number_id`')
      }
      await saveLine(tx, companyId, now, clock.now())
      await notify(tx, 'carriers', String(companyId))
      await audit(services, tx, companyId, {
        actor: actorOf(caller),
        action: 'message_line.changed',
        target: `number:${number.id}`,
        details: { texts: now.texts, carrier_id: now.carrierId, whatsapp_carrier_id: now.whatsappCarrierId },
        address,
      })
      return now
    })
    return { message_line: lineView(number, line) }
  },
})

async function mustCarry(
  { db }: Services,
  companyId: CompanyId,
  field: string,
  id: number | null | undefined,
  kinds: readonly Carrier['kind'][],
): Promise<void> {
  if (id === null || id === undefined) return
  const carrier = await findCarrier(db, companyId, id)
  if (!carrier) throw badRequest(`\`${field}\` is not a carrier of the company`)
  if (!kinds.includes(carrier.kind))
    throw badRequest(`\`${field}\`: the carrier ${carrier.name} does not support this channel`)
}

const listOptOuts = route({
  method: 'GET',
  path: '/v1/opt_outs',
  summary: 'List opted-out recipients by Number, newest first',
  tag,
  access: 'app',
  roles: admins,
  reply: {
    status: 200,
    body: Type.Object({
      opt_outs: Type.Array(OptOutView, { description: `At most ${maxOptOuts}` }),
      total: Type.Integer(),
    }),
  },
  async handle({ caller, services }) {
    const { optOuts, total } = await optOutsOf(services.db, caller.companyId, maxOptOuts)
    const opt_outs = optOuts.map(({ numberId, phone, at }) => ({ number_id: numberId, phone, at: isoSeconds(at) }))
    return { opt_outs, total }
  },
})

const removeOptOut = route({
  method: 'DELETE',
  path: '/v1/message_lines/:id/opt_outs/:phone',
  summary: 'Opt a recipient back in; only at the request of the recipient',
  tag,
  access: 'app',
  params: Type.Object({ id: Id, phone: text(20, { examples: ['+14155550123'] }) }),
  async load({ params: { id, phone }, caller, services }: Loading & { params: { phone: string } }) {
    const number = await findNumber(services.db, caller.companyId, id)
    return number && (await hasOptedOut(services.db, caller.companyId, id, phone)) ? number : undefined
  },
  reply: { status: 204 },
  async handle({ params: { phone }, loaded: number, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await hasOptedOut(tx, caller.companyId, number.id, phone))) throw notFound()
      await setOptOut(tx, caller.companyId, number.id, phone, null)
      await audit(services, tx, caller.companyId, {
        actor: actorOf(caller),
        action: 'opt_out.removed',
        target: `number:${number.id}`,
        details: { phone: `…${phone.slice(-4)}` },
        address,
      })
    })
    return {}
  },
})

interface Loading {
  params: { id: number }
  caller: { companyId: CompanyId }
  services: Services
}

export const carrierLineRoutes = [listLines, changeLine, listOptOuts, removeOptOut]
