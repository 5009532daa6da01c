import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type AnyEventName, kindOf } from '../../../domain/events.ts'
import { appendEvents, type NewEvent } from '../../../events/log.ts'
import type { Services } from '../../../services.ts'
import type { ViewContext } from '../../accounts/users/nested.ts'
import type { User } from '../../accounts/users/store.ts'
import { usersV1View, userV2View } from '../../accounts/users/view.ts'
import type { Export } from '../../analytics/exports/store.ts'
import { reportCreated, reportFailed } from '../../analytics/exports/view.ts'
import { type CallFact, callTeller } from '../../calls/calls/events.ts'
import type { Contact } from '../../contacts/contacts/store.ts'
import { deletedContact, eventContact } from '../../contacts/contacts/view.ts'
import { type InsightFact, tellInsight } from '../../intelligence/results/events.ts'
import { type MessageFact, messageTeller } from '../../messages/messages/events.ts'
import type { PhoneNumber } from '../../numbers/numbers/store.ts'
import { numberView, numberWithUsers } from '../../numbers/numbers/view.ts'
import type { OutboundAgentCall } from '../../voice-agents/outbound-calls/store.ts'
import { outboundCallFailed } from '../../voice-agents/outbound-calls/view.ts'
import {
  type AgentMoment,
  agentEnded,
  agentEscalated,
  agentStarted,
  agentSummary,
} from '../../voice-agents/sessions/view.ts'
import { integrationDeleted } from '../apps/view.ts'
import { type DisabledWebhook, type FailingWebhook, webhookDisabled, webhookFailing } from '../webhooks/view.ts'
import { exportPlaceholders, exportRefs } from './assets.ts'
import { payloads } from './catalogue.ts'

/** Something that happened, about something as it is at this moment. A fact about a user becomes a V1 and a V2 event. */
export type Fact =
  | UserFact
  | CallFact
  | MessageFact
  | InsightFact
  | { about: 'number'; what: 'created' | 'opened' | 'closed' | 'deleted'; number: PhoneNumber }
  | { about: 'contact'; what: 'created' | 'updated' | 'deleted'; contact: Contact }
  /** Told to the webhooks made with its token, and to nobody else. */
  | { about: 'integration'; what: 'deleted'; tokenId: number }
  | { about: 'voice_agent'; what: 'started' | 'escalated' | 'ended' | 'summary'; moment: AgentMoment }
  | { about: 'outbound_call'; what: 'failed'; call: OutboundAgentCall }
  | { about: 'export'; what: 'created' | 'failed'; made: Export }
  | WebhookFact

export interface UserFact {
  about: 'user'
  what: 'created' | 'deleted' | 'connected' | 'disconnected' | 'opened' | 'closed' | 'wut_start' | 'wut_end'
  user: User
  /** The call that is wrapped up, for version 2. */
  lastCallId?: number
  /** The call whose `call.hungup` is delivered after this event. */
  beforeEndOf?: number
  /** When it happened, if that is not now. */
  at?: number
}

/** Told to the company's other webhooks: one that fails cannot be told so. */
type WebhookFact =
  | { about: 'webhook'; what: 'failing'; webhook: FailingWebhook }
  | { about: 'webhook'; what: 'disabled'; webhook: DisabledWebhook }

interface Telling
  extends Pick<NewEvent, 'resourceKey' | 'stream' | 'precedes' | 'data' | 'numberId' | 'audience' | 'assetRefs'> {
  name: AnyEventName
}

/** The one way to say that something happened: rendered and written in the transaction of the change. */
export async function publish(services: Services, tx: Tx, companyId: CompanyId, facts: readonly Fact[]): Promise<void> {
  const occurredAt = services.clock.now()
  const scene: ViewContext = { links: services.links, at: occurredAt }
  const rows: NewEvent[] = []
  const ofCalls = facts.filter((fact) => fact.about === 'call')
  const tellCall = ofCalls.length > 0 ? await callTeller(services, tx, companyId, scene, ofCalls) : undefined
  const tellMessage = await messageTeller(
    tx,
    companyId,
    scene,
    facts.filter((fact) => fact.about === 'message'),
  )
  const tellUser = await userTeller(
    tx,
    companyId,
    scene,
    facts.filter((fact) => fact.about === 'user'),
  )
  for (const fact of facts) {
    const tellings = await tell(fact)
    const at = timeOf(fact) ?? occurredAt
    for (const telling of tellings) {
      rows.push({ ...telling, resource: kindOf(telling.name).resource, occurredAt: at })
    }
  }
  const lateMs = services.sandbox?.faults.latenessMs(companyId) ?? 0
  await appendEvents(tx, services.clock, companyId, rows, lateMs)

  async function tell(fact: Fact): Promise<Telling[]> {
    if (fact.about === 'call') return tellCall ? [tellCall(fact)] : []
    if (fact.about === 'message') return tellMessage(fact)
    return fact.about === 'user' ? tellUser(fact) : tellOther(tx, companyId, scene, fact)
  }
}

/** When it happened, if that is not now. */
function timeOf(fact: Fact): number | undefined {
  if (fact.about === 'voice_agent') return fact.moment.at
  return fact.about === 'call' || fact.about === 'user' ? fact.at : undefined
}

/** What happened to many people: the Numbers of all of them are loaded once. */
async function userTeller(
  tx: Tx,
  companyId: CompanyId,
  scene: ViewContext,
  facts: readonly UserFact[],
): Promise<(fact: UserFact) => Telling[]> {
  const views =
    facts.length > 0
      ? await usersV1View(
          tx,
          companyId,
          scene,
          facts.map(({ user }) => user),
        )
      : []
  const viewOf = new Map(facts.map((fact, index) => [fact, views[index]]))
  return (fact) => {
    const { user, what, lastCallId, beforeEndOf } = fact
    const view = viewOf.get(fact)
    if (!view) throw new Error('every user gives a view')
    const resourceKey = `user:${user.id}`
    const v1 = `user.${what}` as const
    const v2 = `user.${what}.v2` as const
    const lastCall = lastCallId === undefined ? {} : { last_call_id: lastCallId }
    const order = { resourceKey, ...(beforeEndOf !== undefined && { precedes: `call:${beforeEndOf}` }) }
    return [
      { name: v1, ...order, data: payloads[v1].write(view) },
      { name: v2, ...order, data: payloads[v2].write({ ...userV2View(scene, user), ...lastCall }) },
    ]
  }
}

type OtherFact = Exclude<Fact, CallFact | UserFact | MessageFact>

async function tellOther(tx: Tx, companyId: CompanyId, scene: ViewContext, fact: OtherFact): Promise<Telling[]> {
  switch (fact.about) {
    case 'number': {
      const { number, what } = fact
      const name = `number.${what}` as const
      const gone = what === 'deleted'
      const view = gone ? numberWithUsers(scene, number, []) : await numberView(tx, companyId, scene, number)
      return [{ name, resourceKey: `number:${number.id}`, numberId: number.id, data: payloads[name].write(view) }]
    }
    case 'contact': {
      const { contact, what } = fact
      const name = `contact.${what}` as const
      const view = what === 'deleted' ? deletedContact : eventContact
      return [{ name, resourceKey: `contact:${contact.id}`, data: payloads[name].write(view(scene.links, contact)) }]
    }
    case 'integration': {
      const data = integrationDeleted(fact.tokenId, companyId)
      const resourceKey = `integration:${data.integration_id}`
      const audience = { token: fact.tokenId }
      return [{ name: 'integration.deleted', resourceKey, audience, data: payloads['integration.deleted'].write(data) }]
    }
    case 'voice_agent': {
      const { callId, part } = fact.moment
      return [{ ...agentTelling(fact.what, fact.moment), resourceKey: `call:${callId}`, numberId: part.numberId }]
    }
    case 'outbound_call': {
      const { call } = fact
      const name = 'ai_voice_agent.outbound_call_failed'
      const data = payloads[name].write(outboundCallFailed(call))
      return [{ name, resourceKey: `outbound_call:${call.id}`, numberId: call.numberId, data }]
    }
    case 'export': {
      const { made, what } = fact
      const resourceKey = `export:${made.id}`
      if (what === 'failed' || made.file === null) {
        const data = payloads['analytics.report_failed'].write(reportFailed(made))
        return [{ name: 'analytics.report_failed', resourceKey, data }]
      }
      const data = payloads['analytics.report_created'].write(reportCreated(made, exportPlaceholders(made.id)))
      return [{ name: 'analytics.report_created', resourceKey, data, assetRefs: exportRefs(made.id, made.file) }]
    }
    case 'insight':
      return [tellInsight(fact)]
    case 'webhook': {
      const { id } = fact.webhook
      return [{ ...webhookTelling(fact), resourceKey: `webhook:${id}`, audience: { except: id } }]
    }
  }
}

function agentTelling(what: 'started' | 'escalated' | 'ended' | 'summary', moment: AgentMoment) {
  switch (what) {
    case 'started':
      return {
        name: 'ai_voice_agent.started',
        data: payloads['ai_voice_agent.started'].write(agentStarted(moment)),
      } as const
    case 'escalated':
      return {
        name: 'ai_voice_agent.escalated',
        data: payloads['ai_voice_agent.escalated'].write(agentEscalated(moment)),
      } as const
    case 'ended':
      return { name: 'ai_voice_agent.ended', data: payloads['ai_voice_agent.ended'].write(agentEnded(moment)) } as const
    case 'summary':
      return {
        name: 'ai_voice_agent.summary',
        data: payloads['ai_voice_agent.summary'].write(agentSummary(moment)),
      } as const
  }
}

function webhookTelling(fact: WebhookFact): Pick<Telling, 'name' | 'data'> {
  switch (fact.what) {
    case 'failing':
      return { name: 'webhook.failing', data: payloads['webhook.failing'].write(webhookFailing(fact.webhook)) }
    case 'disabled':
      return { name: 'webhook.disabled', data: payloads['webhook.disabled'].write(webhookDisabled(fact.webhook)) }
  }
}
