// What other contexts use of calls.
export { exampleCalls } from './calls/event-samples.ts'
export { callPayloads, renderCallFacts } from './calls/events.ts'
export { loadCall } from './calls/load-call.ts'
export { findNamed } from './calls/parts-store.ts'
export { type Call, type CallAudioKind, callsById, findCall, lockCall } from './calls/store.ts'
export { freshSoundUrls } from './recordings/links.ts'
export { attachAudio, findRecordedCall } from './recordings/store.ts'
