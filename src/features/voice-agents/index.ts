// What other contexts use of voice-agents.
export { findAgent } from './agents/store.ts'
export { renderOutboundCallFacts, renderVoiceAgentFacts, voiceAgentPayloads } from './sessions/events.ts'
export { type AgentSession, sessionsOf } from './sessions/store.ts'
export { SessionOfCall, sessionOfCall } from './sessions/view.ts'
