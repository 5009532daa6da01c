export * from './asset-placeholders.ts'
export * from './payload.ts'
export * from './publish.ts'
export * from './sample-ids.ts'
