// What other contexts use of analytics.
export { analyticsPayloads, renderExportFacts } from './exports/events.ts'
export { downloadAddress } from './exports/links.ts'
