import { Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { admins } from '../../accounts/index.ts'
import { changeRules } from './rules.ts'
import { dialLimitsOf, saveDialLimits } from './store.ts'
import { DialLimitsView, dialLimitsView, limitsWith } from './view.ts'

const tag = 'Trunks'
const rules = { read: dialLimitsOf, save: saveDialLimits, action: 'dial_limits.changed' }
const Limits = Type.Object({ dial_limits: DialLimitsView })

const getLimits = route({
  method: 'GET',
  path: '/v1/dial_limits',
  summary: 'Retrieve the outbound calling rules',
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
  summary: 'Update the outbound calling rules; emergency calls are never restricted',
  tag,
  access: 'app',
  edits: {
    object: 'dial_limits',
    view: async ({ caller, services }) => dialLimitsView(await dialLimitsOf(services.db, caller.companyId)),
  },
  body: Type.Partial(DialLimitsView),
  reply: { status: 200, body: Limits },
  async handle({ body, caller, services, address }) {
    const changed = await changeRules(services, { caller, address }, rules, (before) => limitsWith(before, body))
    return { dial_limits: dialLimitsView(changed) }
  },
})

export const dialLimitRoutes = [getLimits, changeLimits]
