// What other contexts use of analytics.
export { type Narrowing, narrowedBy } from './activity/store.ts'
export { analyticsPayloads, renderExportFacts } from './exports/events.ts'
export { downloadAddress } from './exports/links.ts'
export { narrowingFields, periodErrors, periodFields, periodIn } from './period.ts'
