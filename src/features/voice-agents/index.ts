// What other contexts use of voice-agents.
export { agentsAmong, findAgent } from './agents/store.ts'
export { campaignPayloads, renderCampaignFacts, renderCampaignResultFacts } from './campaigns/events.ts'
export { type NamedSource, replaceSuggestionSources, suggestionSources } from './knowledge/sources-store.ts'
export { createDocumentSearch } from './knowledge/suggested.ts'
export { deleteUseBefore } from './performance/usage-store.ts'
export { renderOutboundCallFacts, renderVoiceAgentFacts, voiceAgentPayloads } from './sessions/events.ts'
export { type AgentSession, sessionsOf } from './sessions/store.ts'
export { SessionOfCall, sessionOfCall } from './sessions/view.ts'
