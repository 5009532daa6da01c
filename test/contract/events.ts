// The names of all events, written down by hand.

export const eventNames = words(`
call.created call.ringing_on_agent call.agent_declined call.answered call.transferred call.external_transferred
call.unsuccessful_transfer call.hungup call.ended call.hold call.unhold call.ivr_option_selected
call.comm_assets_generated call.voicemail_left call.assigned call.archived call.tagged call.untagged call.commented
user.created user.deleted user.connected user.disconnected user.opened user.closed user.wut_start user.wut_end
user.created.v2 user.deleted.v2 user.connected.v2 user.disconnected.v2 user.opened.v2 user.closed.v2
user.wut_start.v2 user.wut_end.v2
number.created number.opened number.closed number.deleted
contact.created contact.updated contact.deleted
message.sent message.received message.status_updated
group_message.sent group_message.received group_message.status_updated
transcription.created summary.created topics.created sentiment.created action_item.created
playbook_result.created playbook_result.updated realtime_transcription.utterances_received
custom_summary.result_created custom_summary.result_updated call_evaluation.created call_evaluation.updated
ai_voice_agent.started ai_voice_agent.ended ai_voice_agent.escalated ai_voice_agent.summary
analytics.report_created analytics.report_failed
integration.deleted`)

/** Subscribed to by name. The first six are ours, beside the three of the contract. */
export const serviceEventNames = [
  'ai_voice_agent.outbound_call_failed',
  'ai_voice_agent.campaign_started',
  'ai_voice_agent.campaign_finished',
  'ai_voice_agent.campaign_result',
  'live_alert.raised',
  'live_alert.cleared',
  'webhook.failing',
  'webhook.disabled',
  'webhook.test',
]

/** V1 user events are replaced by V2; the opening of Numbers has no successor. */
export const isDeprecated = (name: string) =>
  /^user\.\w+$/.test(name) || name === 'number.opened' || name === 'number.closed'

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
