// What other contexts use of calls.
export { exampleCalls } from './calls/event-samples.ts'
export { callPayloads, renderCallFacts } from './calls/events.ts'
export { loadCall } from './calls/load-call.ts'
export { findNamed } from './calls/parts-store.ts'
export { type Call, type CallAudioKind as Sound, callsById, findCall, lockCall } from './calls/store.ts'
export { freshSoundUrls } from './recordings/links.ts'
export { findSoundingCall, setSound } from './recordings/store.ts'
