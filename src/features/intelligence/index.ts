// What other contexts use of intelligence.
export { insightPayloads, renderInsightFacts } from './results/events.ts'
