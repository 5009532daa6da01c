import type { Route } from '../http/route.ts'
import { activityRoutes } from './activity/routes.ts'
import { outboundAgentRoutes } from './ai-outbound-calls/routes.ts'
import { voiceAgentRoutes } from './ai-voice-agents/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { audioRoutes } from './audio/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { callRoutes } from './calls/routes.ts'
import { carrierLineRoutes } from './carriers/line-routes.ts'
import { carrierRoutes } from './carriers/routes.ts'
import { companyRoutes } from './companies/routes.ts'
import { contactSuggestionRoutes } from './contact-suggestions/routes.ts'
import { contactRoutes } from './contacts/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { dialLimitRoutes } from './dial-limits/routes.ts'
import { dialerRoutes } from './dialer/routes.ts'
import { engineRoutes } from './engines/routes.ts'
import { evaluationRoutes } from './evaluations/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { guideRoutes } from './guides/routes.ts'
import { conversationRoutes } from './inbox/routes.ts'
import { sendingRoutes } from './inbox/sending.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { insightChangeRoutes } from './intelligence/change-routes.ts'
import { intelligenceRoutes } from './intelligence/routes.ts'
import { intelligenceSettingRoutes } from './intelligence-settings/routes.ts'
import { liveViewRoutes } from './live-view/routes.ts'
import { meRoutes } from './me/routes.ts'
import { messageLimitRoutes } from './message-limits/routes.ts'
import { messageLineRoutes } from './message-lines/routes.ts'
import { messageBulkRoutes } from './messages/bulk-routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { numberRoutes } from './numbers/routes.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { phoneRoutes } from './phones/routes.ts'
import { replayRoutes } from './replays/routes.ts'
import { behaviourRoutes } from './sandbox/behaviour.ts'
import { clockRoutes } from './sandbox/clock.ts'
import { simulatedMessageRoutes } from './sandbox/messages.ts'
import { worldRoutes } from './sandbox/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { smsTemplateRoutes } from './sms-templates/routes.ts'
import { tagRoutes } from './tags/routes.ts'
import { teamRoutes } from './teams/routes.ts'
import { trunkRoutes } from './trunks/routes.ts'
import { profileRoutes } from './users/profile-routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { whatsappRoutes } from './whatsapp/routes.ts'

/** The list of all routes: one line per feature. */
export const routes: Route[] = [
  ...signInRoutes,
  ...meRoutes,
  ...auditRoutes,
  ...liveViewRoutes,
  ...companyRoutes,
  ...userRoutes,
  ...profileRoutes,
  ...phoneRoutes,
  ...teamRoutes,
  ...dialerRoutes,
  ...trunkRoutes,
  ...dialLimitRoutes,
  ...messageLimitRoutes,
  ...carrierRoutes,
  ...carrierLineRoutes,
  ...callRoutes,
  ...intelligenceRoutes,
  ...insightChangeRoutes,
  ...evaluationRoutes,
  ...guideRoutes,
  ...intelligenceSettingRoutes,
  ...engineRoutes,
  ...numberRoutes,
  ...audioRoutes,
  ...messageLineRoutes,
  ...messageRoutes,
  ...messageBulkRoutes,
  ...smsTemplateRoutes,
  ...conversationRoutes,
  ...sendingRoutes,
  ...whatsappRoutes,
  ...contactRoutes,
  ...contactSuggestionRoutes,
  ...tagRoutes,
  ...integrationRoutes,
  ...oauthRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...voiceAgentRoutes,
  ...outboundAgentRoutes,
  ...analyticsRoutes,
  ...activityRoutes,
]

/** Registered in sandbox mode only. */
export const sandboxRoutes: Route[] = [...clockRoutes, ...worldRoutes, ...behaviourRoutes, ...simulatedMessageRoutes]
