import type { Route } from '../http/route.ts'
import { apiKeyRoutes } from './accounts/api-keys/routes.ts'
import { auditRoutes } from './accounts/audit/routes.ts'
import { companyRoutes } from './accounts/companies/routes.ts'
import { forwardingRoutes } from './accounts/devices/forwarding-routes.ts'
import { deviceRoutes } from './accounts/devices/routes.ts'
import { directMessageRoutes } from './accounts/direct-messages/routes.ts'
import { directoryRoutes } from './accounts/directory/routes.ts'
import { mailTestRoutes } from './accounts/emails/test-route.ts'
import { meRoutes } from './accounts/me/routes.ts'
import { passkeyRoutes } from './accounts/passkeys/routes.ts'
import { agentActionRoutes } from './accounts/presence/routes.ts'
import { pushRoutes } from './accounts/push/routes.ts'
import { savedFilterRoutes } from './accounts/saved-filters/routes.ts'
import { sessionRoutes } from './accounts/sessions/routes.ts'
import { signInRoutes } from './accounts/sign-in/routes.ts'
import { ssoRoutes } from './accounts/sso/routes.ts'
import { teamRoutes } from './accounts/teams/routes.ts'
import { twoStepRoutes } from './accounts/two-step/routes.ts'
import { profileRoutes } from './accounts/users/profile-routes.ts'
import { userRoutes } from './accounts/users/routes.ts'
import { activityRoutes } from './analytics/activity/routes.ts'
import { agentSheetRoutes } from './analytics/agents/routes.ts'
import { analyticsCallRoutes } from './analytics/calls/routes.ts'
import { analyticsRoutes } from './analytics/exports/routes.ts'
import { scheduledReportRoutes } from './analytics/scheduled-reports/routes.ts'
import { blockedCallerRoutes } from './calls/blocked-callers/routes.ts'
import { callRoutes } from './calls/calls/routes.ts'
import { dialerRoutes } from './calls/dialer/routes.ts'
import { liveAlertRoutes } from './calls/live-alerts/routes.ts'
import { liveViewRoutes } from './calls/live-view/routes.ts'
import { phoneRoutes } from './calls/phones/routes.ts'
import { qualityRoutes } from './calls/quality/routes.ts'
import { recordingConsentRoutes } from './calls/recordings/consent-route.ts'
import { retentionRoutes } from './calls/retention/routes.ts'
import { tagRoutes } from './calls/tags/routes.ts'
import { toDoRoutes } from './calls/to-do/routes.ts'
import { adminRoutes, appRoutes } from './configuration/admin/routes.ts'
import { configurationRoutes } from './configuration/document/routes.ts'
import { contactBulkChangeRoutes } from './contacts/bulk/routes.ts'
import { contactRoutes } from './contacts/contacts/routes.ts'
import { contactOwnerRoutes } from './contacts/owners/routes.ts'
import { contactSuggestionRoutes } from './contacts/suggestions/routes.ts'
import { importRoutes } from './imports/runs/routes.ts'
import { integrationRoutes } from './integrations/apps/routes.ts'
import { deliveryRoutes } from './integrations/deliveries/routes.ts'
import { eventRoutes } from './integrations/events/routes.ts'
import { flowTestRoutes } from './integrations/flow-tests/routes.ts'
import { oauthRoutes } from './integrations/oauth/routes.ts'
import { replayRoutes } from './integrations/replays/routes.ts'
import { adminWebhookRoutes } from './integrations/webhooks/admin-routes.ts'
import { webhookRoutes } from './integrations/webhooks/routes.ts'
import { coachingRoutes } from './intelligence/across-calls/coaching-routes.ts'
import { acrossCallsRoutes } from './intelligence/across-calls/routes.ts'
import { evaluationRoutes } from './intelligence/evaluations/routes.ts'
import { guideRoutes } from './intelligence/guides/routes.ts'
import { engineRoutes } from './intelligence/providers/routes.ts'
import { insightChangeRoutes } from './intelligence/results/change-routes.ts'
import { intelligenceRoutes } from './intelligence/results/routes.ts'
import { intelligenceSettingRoutes } from './intelligence/settings/routes.ts'
import { suggestionRoutes } from './intelligence/suggestions/routes.ts'
import { carrierLineRoutes } from './messages/carriers/line-routes.ts'
import { carrierRoutes } from './messages/carriers/routes.ts'
import { customerRoutes } from './messages/inbox/customer-routes.ts'
import { conversationRoutes } from './messages/inbox/routes.ts'
import { sendingRoutes } from './messages/inbox/sending.ts'
import { messageLimitRoutes } from './messages/limits/routes.ts'
import { messageLineRoutes } from './messages/lines/routes.ts'
import { messageBulkRoutes } from './messages/messages/bulk-routes.ts'
import { messageRoutes } from './messages/messages/routes.ts'
import { smsTemplateRoutes } from './messages/templates/routes.ts'
import { whatsappRoutes } from './messages/whatsapp/routes.ts'
import { audioRoutes } from './numbers/audio/routes.ts'
import { invitationRoutes } from './numbers/invitations/routes.ts'
import { numberRoutes } from './numbers/numbers/routes.ts'
import { recordingNoticeRoutes } from './numbers/recording-notice/routes.ts'
import { userImportRoutes } from './numbers/user-import/routes.ts'
import { homeRoutes } from './overview/home/routes.ts'
import { searchRoutes } from './overview/search/routes.ts'
import { dialLimitRoutes } from './trunks/outbound-rules/routes.ts'
import { trunkRoutes } from './trunks/trunks/routes.ts'
import { voiceAgentRoutes } from './voice-agents/agents/routes.ts'
import { campaignRoutes } from './voice-agents/campaigns/routes.ts'
import { knowledgeDocumentRoutes } from './voice-agents/knowledge/routes.ts'
import { callOptOutRoutes } from './voice-agents/opt-outs/routes.ts'
import { outboundAgentRoutes } from './voice-agents/outbound-calls/routes.ts'
import { performanceRoutes } from './voice-agents/performance/routes.ts'
import { agentTestRoutes } from './voice-agents/tests/routes.ts'
import { agentVersionRoutes } from './voice-agents/versions/routes.ts'

/** One line per feature. */
const features: Route[] = [
  ...signInRoutes,
  ...sessionRoutes,
  ...twoStepRoutes,
  ...ssoRoutes,
  ...passkeyRoutes,
  ...meRoutes,
  ...savedFilterRoutes,
  ...directMessageRoutes,
  ...pushRoutes,
  ...auditRoutes,
  ...liveViewRoutes,
  ...liveAlertRoutes,
  ...agentActionRoutes,
  ...homeRoutes,
  ...searchRoutes,
  ...companyRoutes,
  ...apiKeyRoutes,
  ...retentionRoutes,
  ...userRoutes,
  ...directoryRoutes,
  ...profileRoutes,
  ...invitationRoutes,
  ...userImportRoutes,
  ...mailTestRoutes,
  ...deviceRoutes,
  ...forwardingRoutes,
  ...phoneRoutes,
  ...teamRoutes,
  ...dialerRoutes,
  ...trunkRoutes,
  ...dialLimitRoutes,
  ...messageLimitRoutes,
  ...carrierRoutes,
  ...carrierLineRoutes,
  ...callRoutes,
  ...blockedCallerRoutes,
  ...toDoRoutes,
  ...qualityRoutes,
  ...recordingConsentRoutes,
  ...intelligenceRoutes,
  ...insightChangeRoutes,
  ...evaluationRoutes,
  ...guideRoutes,
  ...intelligenceSettingRoutes,
  ...suggestionRoutes,
  ...engineRoutes,
  ...acrossCallsRoutes,
  ...coachingRoutes,
  ...numberRoutes,
  ...recordingNoticeRoutes,
  ...audioRoutes,
  ...messageLineRoutes,
  ...messageRoutes,
  ...messageBulkRoutes,
  ...smsTemplateRoutes,
  ...conversationRoutes,
  ...customerRoutes,
  ...sendingRoutes,
  ...whatsappRoutes,
  ...contactBulkChangeRoutes,
  ...contactOwnerRoutes,
  ...contactRoutes,
  ...contactSuggestionRoutes,
  ...tagRoutes,
  ...importRoutes,
  ...integrationRoutes,
  ...oauthRoutes,
  ...webhookRoutes,
  ...adminWebhookRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...flowTestRoutes,
  ...voiceAgentRoutes,
  ...agentTestRoutes,
  ...performanceRoutes,
  ...agentVersionRoutes,
  ...knowledgeDocumentRoutes,
  ...outboundAgentRoutes,
  ...callOptOutRoutes,
  ...campaignRoutes,
  ...analyticsRoutes,
  ...analyticsCallRoutes,
  ...agentSheetRoutes,
  ...activityRoutes,
  ...scheduledReportRoutes,
]

/** All routes. */
export const routes: Route[] = [...appRoutes(features), ...adminRoutes(features), ...configurationRoutes(features)]
