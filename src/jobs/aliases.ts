import type { JobKind } from './payloads.ts'

/** Kinds that a process of the previous release enqueues after migration 0034, during a rolling upgrade. */
const aliases = new Map<string, JobKind>([
  ['call.listen', 'call.speech_to_text'],
  ['call.transcribe', 'call.build_transcript'],
])

/** The kind of a job by its stored name. */
export const jobKind = (name: string): JobKind => aliases.get(name) ?? (name as JobKind)

/** All names under which jobs of these kinds may be stored. */
export const storedNamesOf = (kinds: readonly JobKind[]): string[] => [
  ...kinds,
  ...[...aliases].filter(([, kind]) => kinds.includes(kind)).map(([name]) => name),
]
