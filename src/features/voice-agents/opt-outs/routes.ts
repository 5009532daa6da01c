import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { text } from '../../../http/schemas.ts'
import { withoutTrunkZero } from '../../../lib/phone-format.ts'
import { actorOf, audit } from '../../accounts/index.ts'
import { deleteCallOptOut, findCallOptOut, insertCallOptOut, pageOfCallOptOuts } from './store.ts'
import { CallOptOutView, callOptOutView } from './view.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'

const listCallOptOuts = route({
  method: 'GET',
  path: '/v1/call_opt_outs',
  summary: 'List phone numbers that AI voice agents do not call',
  tag,
  feature,
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, call_opt_outs: Type.Array(CallOptOutView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { optOuts, total } = await pageOfCallOptOuts(services.db, companyId, window)
    return { meta: metaOf(place, window, optOuts.length, total), call_opt_outs: optOuts.map(callOptOutView) }
  },
})

const addCallOptOut = route({
  method: 'POST',
  path: '/v1/call_opt_outs',
  summary: 'Opt a phone number out of calls by AI voice agents',
  tag,
  feature,
  body: Type.Object({ phone_number: text(16, { description: 'E.164', examples: ['+33123456789'] }) }),
  errors: [{ status: 400, when: '`phone_number` is not E.164' }],
  reply: { status: 201, body: CallOptOutView },
  async handle({ body: { phone_number: given }, caller, services, address }) {
    if (!isE164(given)) throw badRequest('`phone_number` must be E.164, such as +33123456789')
    const phone = await withoutTrunkZero(given)
    const { companyId } = caller
    const source = actorOf(caller).kind === 'user' ? ('dashboard' as const) : ('api' as const)
    return transaction(services.db, async (tx) => {
      await insertCallOptOut(tx, companyId, { phone, source, callId: null, createdAt: services.clock.now() })
      const optOut = await findCallOptOut(tx, companyId, phone)
      if (!optOut) throw notFound()
      const details = { phone: `…${phone.slice(-4)}` }
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'call_opt_out.added', details, address })
      return callOptOutView(optOut)
    })
  },
})

const removeCallOptOut = route({
  method: 'DELETE',
  path: '/v1/call_opt_outs/:phone_number',
  summary: 'Allow AI voice agents to call a phone number again; only at the request of its owner',
  tag,
  feature,
  params: Type.Object({ phone_number: text(20, { examples: ['+33123456789'] }) }),
  load: ({ params, caller, services }) => findCallOptOut(services.db, caller.companyId, params.phone_number),
  reply: { status: 204 },
  async handle({ loaded: { phone }, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await deleteCallOptOut(tx, caller.companyId, phone))) throw notFound()
      const details = { phone: `…${phone.slice(-4)}` }
      const entry = { actor: actorOf(caller), action: 'call_opt_out.removed', details, address }
      await audit(services, tx, caller.companyId, entry)
    })
    return {}
  },
})

export const callOptOutRoutes = [listCallOptOuts, addCallOptOut, removeCallOptOut]
