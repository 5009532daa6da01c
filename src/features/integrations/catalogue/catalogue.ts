import fastJson from 'fast-json-stringify'
import type { Static, TSchema } from 'typebox'
import { type AnyEventName, eventNames, serviceEventNames } from '../../../domain/events.ts'
import { hour } from '../../../lib/clock.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { nestedNumber, type ViewContext } from '../../accounts/users/nested.ts'
import type { User } from '../../accounts/users/store.ts'
import { EventUserV1, UserV2, UserV2WithLastCall, userV2View, userWithNumbers } from '../../accounts/users/view.ts'
import { ReportCreated, ReportFailed, reportCreated, reportFailed } from '../../analytics/exports/view.ts'
import {
  exampleCalls,
  sampleOfCall,
  sampleOfCallBack,
  sampleOfChoice,
  sampleOfRing,
  sampleSentOut,
} from '../../calls/calls/event-samples.ts'
import { EventCall, EventCallSentOut, EventCallWithCallback, EventCallWithOptions } from '../../calls/calls/schemas.ts'
import { deletedContact, EventContact, eventContact } from '../../contacts/contacts/view.ts'
import { EventEvaluation } from '../../intelligence/evaluations/view.ts'
import { EventUtterances } from '../../intelligence/realtime/view.ts'
import {
  sampleActionItem,
  sampleCustomSummary,
  sampleEvaluation,
  samplePlaybookResult,
  sampleSentiment,
  sampleSummary,
  sampleTopics,
  sampleTranscript,
  sampleUtterances,
} from '../../intelligence/results/event-samples.ts'
import {
  EventActionItem,
  EventCustomSummary,
  EventPlaybookResult,
  EventSentiment,
  EventSummary,
  EventTopics,
  EventTranscript,
} from '../../intelligence/results/view.ts'
import {
  sampleDelivered,
  sampleGroupDelivered,
  sampleGroupReceived,
  sampleGroupSent,
  sampleReceived,
  sampleSent,
} from '../../messages/messages/event-samples.ts'
import { EventGroupMessage, EventMessage } from '../../messages/messages/view.ts'
import { EventNumberWithUsers, numberWithUsers } from '../../numbers/numbers/view.ts'
import { OutboundCallFailed, outboundCallFailed } from '../../voice-agents/outbound-calls/view.ts'
import { exampleMoment, exampleOutboundCall } from '../../voice-agents/sessions/event-samples.ts'
import {
  AgentEnded,
  AgentEscalated,
  AgentStarted,
  AgentSummary,
  agentEnded,
  agentEscalated,
  agentStarted,
  agentSummary,
} from '../../voice-agents/sessions/view.ts'
import { IntegrationDeleted, integrationDeleted } from '../apps/view.ts'
import {
  WebhookDisabled,
  WebhookFailing,
  WebhookTest,
  webhookDisabled,
  webhookFailing,
  webhookTest,
} from '../webhooks/view.ts'
import {
  classicNumber,
  disabledWebhook,
  disconnectedUser,
  exampleContact,
  exampleExport,
  exampleNumber,
  exampleUser,
  exampleWebhook,
  failingWebhook,
  invitedUser,
  newContact,
  newNumber,
  userAtLunch,
} from './samples.ts'

/** What an event carries in `data`. */
export interface Payload<T extends TSchema = TSchema> {
  schema: T
  /** The JSON text: it cannot hold a field that the schema does not name. */
  write(value: Static<T>): string
  /** Made by the views of real events, of people and things that do not exist. */
  sample(scene: ViewContext): Static<T>
}

/** The JSON text of `data` in a sample of the event. */
export function sampleOf(name: AnyEventName, scene: ViewContext): string {
  const payload: Payload = payloads[name]
  return payload.write(payload.sample(scene))
}

export function samplesFor(scene: ViewContext): Map<AnyEventName, string> {
  const samples = new Map<AnyEventName, string>()
  for (const name of [...eventNames, ...serviceEventNames]) {
    samples.set(name, sampleOf(name, scene))
  }
  return samples
}

/** The same schemas as the API's answers, one writer each, made at the first need. */
function carrying<T extends TSchema>(schema: T): (sample: Payload<T>['sample']) => Payload<T> {
  let stringify: ((value: unknown) => string) | undefined
  const write = (value: Static<T>) => {
    stringify ??= fastJson(schema as object) as (value: unknown) => string
    return stringify(value)
  }
  return (sample) => ({ schema, write, sample })
}

const userV1 = carrying(EventUserV1)
const userV2 = carrying(UserV2)
const userV2WithCall = carrying(UserV2WithLastCall)
const call = carrying(EventCall)
const callWithCallback = carrying(EventCallWithCallback)
const number = carrying(EventNumberWithUsers)
const contact = carrying(EventContact)
const message = carrying(EventMessage)
const groupMessage = carrying(EventGroupMessage)
const playbookResult = carrying(EventPlaybookResult)
const customSummary = carrying(EventCustomSummary)
const evaluation = carrying(EventEvaluation)

const withNumber = (user: (at: number) => User) =>
  userV1((scene) => userWithNumbers(scene, user(scene.at), [nestedNumber(scene, exampleNumber(scene.at))]))
const alone = (user: (at: number) => User) => userV2((scene) => userV2View(scene, user(scene.at)))
const onHours = (hours: 'begun' | 'ended') =>
  number((scene) => numberWithUsers(scene, classicNumber(scene.at, hours), [exampleUser(scene.at)]))

type ExampleCall = keyof typeof exampleCalls
const callIs = (which: ExampleCall) => call((scene) => sampleOfCall(scene, exampleCalls[which](scene.at)))
const perhapsCallback = (which: ExampleCall) =>
  callWithCallback((scene) => sampleOfCallBack(scene, exampleCalls[which](scene.at)))
const wrappingUp = userV2WithCall((scene) => ({
  ...userV2View(scene, exampleUser(scene.at)),
  last_call_id: exampleCalls.done(scene.at).id,
}))

/** Every event and what it carries; the compiler asks for the line of a new one. */
export const payloads = {
  'call.created': perhapsCallback('begun'),
  'call.ringing_on_agent': call(sampleOfRing),
  'call.agent_declined': call(sampleOfRing),
  'call.answered': perhapsCallback('answered'),
  'call.transferred': callIs('transferred'),
  'call.external_transferred': carrying(EventCallSentOut)(sampleSentOut),
  'call.unsuccessful_transfer': callIs('transferred'),
  'call.hungup': perhapsCallback('done'),
  'call.ended': perhapsCallback('ended'),
  'call.hold': callIs('talking'),
  'call.unhold': callIs('talking'),
  'call.ivr_option_selected': carrying(EventCallWithOptions)(sampleOfChoice),
  'call.comm_assets_generated': callIs('ended'),
  'call.voicemail_left': callIs('withVoicemail'),
  'call.assigned': perhapsCallback('assigned'),
  'call.archived': perhapsCallback('archived'),
  'call.tagged': callIs('tagged'),
  'call.untagged': callIs('ended'),
  'call.commented': callIs('commented'),
  'user.created': userV1((scene) => userWithNumbers(scene, invitedUser(scene.at), [])),
  'user.deleted': withNumber(disconnectedUser),
  'user.connected': withNumber(exampleUser),
  'user.disconnected': withNumber(disconnectedUser),
  'user.opened': withNumber(exampleUser),
  'user.closed': withNumber(userAtLunch),
  'user.wut_start': withNumber(exampleUser),
  'user.wut_end': withNumber(exampleUser),
  'user.created.v2': alone(invitedUser),
  'user.deleted.v2': alone(disconnectedUser),
  'user.connected.v2': alone(exampleUser),
  'user.disconnected.v2': alone(disconnectedUser),
  'user.opened.v2': alone(exampleUser),
  'user.closed.v2': alone(userAtLunch),
  'user.wut_start.v2': wrappingUp,
  'user.wut_end.v2': wrappingUp,
  'number.created': number((scene) => numberWithUsers(scene, newNumber(scene.at), [])),
  'number.opened': onHours('begun'),
  'number.closed': onHours('ended'),
  'number.deleted': number((scene) => numberWithUsers(scene, exampleNumber(scene.at), [])),
  'contact.created': contact(({ links, at }) => eventContact(links, newContact(at))),
  'contact.updated': contact(({ links, at }) => eventContact(links, exampleContact(at))),
  'contact.deleted': contact(({ links, at }) => deletedContact(links, exampleContact(at))),
  'message.sent': message(sampleSent),
  'message.received': message(sampleReceived),
  'message.status_updated': message(sampleDelivered),
  'group_message.sent': groupMessage(sampleGroupSent),
  'group_message.received': groupMessage(sampleGroupReceived),
  'group_message.status_updated': groupMessage(sampleGroupDelivered),
  'transcription.created': carrying(EventTranscript)(sampleTranscript),
  'summary.created': carrying(EventSummary)(sampleSummary),
  'topics.created': carrying(EventTopics)(sampleTopics),
  'sentiment.created': carrying(EventSentiment)(sampleSentiment),
  'action_item.created': carrying(EventActionItem)(sampleActionItem),
  'playbook_result.created': playbookResult(samplePlaybookResult),
  'playbook_result.updated': playbookResult(samplePlaybookResult),
  'realtime_transcription.utterances_received': carrying(EventUtterances)(sampleUtterances),
  'custom_summary.result_created': customSummary(sampleCustomSummary(false)),
  'custom_summary.result_updated': customSummary(sampleCustomSummary(true)),
  'call_evaluation.created': evaluation(sampleEvaluation(false)),
  'call_evaluation.updated': evaluation(sampleEvaluation(true)),
  'ai_voice_agent.started': carrying(AgentStarted)(({ at }) => agentStarted(exampleMoment(at))),
  'ai_voice_agent.ended': carrying(AgentEnded)(({ at }) => agentEnded(exampleMoment(at))),
  'ai_voice_agent.escalated': carrying(AgentEscalated)(({ at }) => agentEscalated(exampleMoment(at))),
  'ai_voice_agent.summary': carrying(AgentSummary)(({ at }) => agentSummary(exampleMoment(at))),
  'ai_voice_agent.outbound_call_failed': carrying(OutboundCallFailed)(({ at }) =>
    outboundCallFailed(exampleOutboundCall(at)),
  ),
  'analytics.report_created': carrying(ReportCreated)(({ links, at }) =>
    reportCreated(exampleExport(at), {
      url: `${links.assets}/exports/1/${exampleExport(at).id}/weekly.csv?expires=…`,
      until: isoMillis(at + hour),
    }),
  ),
  'analytics.report_failed': carrying(ReportFailed)(({ at }) => reportFailed(exampleExport(at))),
  'integration.deleted': carrying(IntegrationDeleted)(() => integrationDeleted(12, 1)),
  'webhook.failing': carrying(WebhookFailing)(({ at }) => webhookFailing(failingWebhook(at))),
  'webhook.disabled': carrying(WebhookDisabled)(({ at }) => webhookDisabled(disabledWebhook(at))),
  'webhook.test': carrying(WebhookTest)(({ at }) => webhookTest(exampleWebhook, at)),
} satisfies Record<AnyEventName, Payload>
