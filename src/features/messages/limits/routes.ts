import { Type } from 'typebox'
import type { MessageRules } from '../../../domain/message-guard.ts'
import { route } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { admins } from '../../accounts/index.ts'
import { changeRules, type OutboundRules } from '../../trunks/index.ts'
import { messageRulesOf, saveMessageRules } from './store.ts'
import { MessageLimitsView, messageLimitsView, rulesWith } from './view.ts'

const tag = 'Messages'
const rulesIn = ({ rules }: Services): OutboundRules<MessageRules> => ({
  read: (db, companyId) => messageRulesOf(db, companyId, rules.sandbox),
  save: saveMessageRules,
  action: 'message_limits.changed',
})
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
    const rules = await rulesIn(services).read(services.db, caller.companyId)
    return { message_limits: messageLimitsView(rules) }
  },
})

const changeLimits = route({
  method: 'PUT',
  path: '/v1/message_limits',
  summary: 'Change the outbound rules for messages',
  tag,
  access: 'app',
  edits: {
    object: 'message_limits',
    view: async ({ caller, services }) =>
      messageLimitsView(await rulesIn(services).read(services.db, caller.companyId)),
  },
  body: Type.Partial(MessageLimitsView),
  reply: { status: 200, body: Limits },
  async handle({ body, caller, services, address }) {
    const changed = await changeRules(services, { caller, address }, rulesIn(services), (before) =>
      rulesWith(before, body),
    )
    return { message_limits: messageLimitsView(changed) }
  },
})

export const messageLimitRoutes = [getLimits, changeLimits]
