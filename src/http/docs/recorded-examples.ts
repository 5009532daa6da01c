import recorded from './recorded-examples.json' with { type: 'json' }

/** A request that a fresh demo company has accepted, and its response. */
interface RecordedExample {
  /** Values of the path. */
  ids?: Record<string, unknown>
  body?: unknown
  response?: unknown
}

/** Stands for the base URL in the file. */
export const serverPlaceholder = 'http://hookswitch.invalid'

const examples: Record<string, RecordedExample> = recorded

/** Recorded by `npm run examples`; undefined for operations that the demo company cannot show. */
export function recordedExample(operationId: string, server: string): RecordedExample | undefined {
  const found = examples[operationId]
  return found && (JSON.parse(JSON.stringify(found).replaceAll(serverPlaceholder, server)) as RecordedExample)
}
