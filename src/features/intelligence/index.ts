// What other contexts use of intelligence.
export { insightPayloads, renderInsightFacts } from './results/events.ts'
export { summariesOf } from './results/summaries-store.ts'
