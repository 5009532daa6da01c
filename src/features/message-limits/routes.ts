import { Type } from 'typebox'
import { transaction } from '../../db/database.ts'
import { route } from '../../http/route.ts'
import { actorOf, audit } from '../audit.ts'
import { admins } from '../roles.ts'
import { messageRulesOf, saveMessageRules } from './store.ts'
import { MessageLimitsView, messageLimitsView, rulesWith } from './view.ts'

const tag = 'Messages'
const Limits = Type.Object({ message_limits: MessageLimitsView })

const getLimits = route({
  method: 'GET',
  path: '/v1/message_limits',
  summary: 'Retrieve the outbound rules for messages: countries, caps and rates',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Limits },
  async handle({ caller, services }) {
    const rules = await messageRulesOf(services.db, caller.companyId, services.rules.sandbox)
    return { message_limits: messageLimitsView(rules) }
  },
})

const changeLimits = route({
  method: 'PUT',
  path: '/v1/message_limits',
  summary: 'Change the outbound rules for messages',
  tag,
  access: 'app',
  body: Type.Partial(MessageLimitsView),
  reply: { status: 200, body: Limits },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const changed = await transaction(services.db, async (tx) => {
      const rules = rulesWith(await messageRulesOf(tx, companyId, services.rules.sandbox), body)
      await saveMessageRules(tx, companyId, rules)
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'message_limits.changed', address })
      return rules
    })
    return { message_limits: messageLimitsView(changed) }
  },
})

export const messageLimitRoutes = [getLimits, changeLimits]
