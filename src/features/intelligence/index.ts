// What other contexts use of intelligence.
export { writeEvaluation } from './evaluations/store.ts'
export { insightPayloads, renderInsightFacts } from './results/events.ts'
export {
  insertImportedActionItem,
  insertInsight,
  insertSpeechLines,
  writeTranscript,
} from './results/store.ts'
export { summariesOf } from './results/summaries-store.ts'
