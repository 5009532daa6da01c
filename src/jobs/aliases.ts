import type { JobKind } from './payloads.ts'

/**
 * Former names of kinds. A process of the previous release enqueues them during a rolling upgrade; `sandbox.scene` is also
 * in the queue of an installation that was upgraded during a scenario.
 */
const aliases = new Map<string, JobKind>([
  ['call.listen', 'call.speech_to_text'],
  ['call.transcribe', 'call.build_transcript'],
  ['sandbox.scene', 'sandbox.step'],
])

/** The kind of a job by its stored name. */
export const jobKind = (name: string): JobKind => aliases.get(name) ?? (name as JobKind)

/** All names under which jobs of these kinds may be stored. */
export const storedNamesOf = (kinds: readonly JobKind[]): string[] => [
  ...kinds,
  ...[...aliases].filter(([, kind]) => kinds.includes(kind)).map(([name]) => name),
]
