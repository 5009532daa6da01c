import { Type } from 'typebox'
import { transaction } from '../../db/database.ts'
import { route } from '../../http/route.ts'
import { actorOf, audit } from '../audit.ts'
import { admins } from '../roles.ts'
import { dialLimitsOf, saveDialLimits } from './store.ts'
import { DialLimitsView, dialLimitsView } from './view.ts'

const tag = 'Trunks'
const Limits = Type.Object({ dial_limits: DialLimitsView })

const getLimits = route({
  method: 'GET',
  path: '/v1/dial_limits',
  summary: 'What may be dialled, how often and for how much',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Limits },
  async handle({ caller, services }) {
    return { dial_limits: dialLimitsView(await dialLimitsOf(services.db, caller.companyId)) }
  },
})

const changeLimits = route({
  method: 'PUT',
  path: '/v1/dial_limits',
  summary: 'Change what may be dialled; emergency numbers are never held back',
  tag,
  access: 'app',
  body: Type.Partial(DialLimitsView),
  reply: { status: 200, body: Limits },
  async handle({ body, caller, services, address }) {
    const changed = await transaction(services.db, async (tx) => {
      const before = await dialLimitsOf(tx, caller.companyId)
      const limits = {
        ...before,
        ...(body.countries !== undefined && { countries: body.countries }),
        ...(body.concurrent !== undefined && { concurrent: body.concurrent }),
        ...(body.concurrent_per_user !== undefined && { concurrentPerUser: body.concurrent_per_user }),
        ...(body.per_minute !== undefined && { perMinute: body.per_minute }),
        ...(body.per_minute_per_user !== undefined && { perMinutePerUser: body.per_minute_per_user }),
        ...(body.daily_spend !== undefined && { dailySpend: body.daily_spend }),
        ...(body.rates !== undefined && {
          rates: Object.fromEntries(body.rates.map(({ prefix, per_minute }) => [prefix, per_minute])),
        }),
        ...(body.max_seconds !== undefined && { maxSeconds: body.max_seconds }),
      }
      await saveDialLimits(tx, caller.companyId, limits)
      await audit(services, tx, caller.companyId, { actor: actorOf(caller), action: 'dial_limits.changed', address })
      return limits
    })
    return { dial_limits: dialLimitsView(changed) }
  },
})

export const dialLimitRoutes = [getLimits, changeLimits]
