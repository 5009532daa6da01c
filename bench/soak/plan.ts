import { parseArgs } from 'node:util'

// How long, on which database, and when something fails.

export interface Plan {
  database: 'sqlite' | 'postgres'
  durationMs: number
  sampleMs: number
  /** Not part of any trend, at the beginning of each process. */
  warmUpMs: number
  faults: readonly Fault[]
}

export interface Fault {
  kind: 'kill_server' | 'receivers_fail' | 'restart_database'
  atMs: number
}

const minute = 60_000
const usage = 'npm run soak -- [--minutes N] [--postgres]'

export function planOf(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: '120' }, postgres: { type: 'boolean', default: false } },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 2 && minutes <= 24 * 60)) throw new Error(`${usage}: N is from 2 to ${24 * 60}`)
  const durationMs = minutes * minute
  return {
    database: values.postgres ? 'postgres' : 'sqlite',
    durationMs,
    // 240 samples, so that a short run has enough of them.
    sampleMs: Math.max(5_000, Math.min(30_000, durationMs / 240)),
    warmUpMs: durationMs / 10,
    faults: faultsOf(durationMs, values.postgres),
  }
}

/** The server is killed early: most of the time one process is observed. */
function faultsOf(durationMs: number, hasServer: boolean): Fault[] {
  const at = (kind: Fault['kind'], shares: number[]) => shares.map((share) => ({ kind, atMs: share * durationMs }))
  return [
    ...at('kill_server', [0.15, 0.3]),
    ...at('receivers_fail', [0.1, 0.35, 0.6, 0.85]),
    ...(hasServer ? at('restart_database', [0.2, 0.5]) : []),
  ].sort((a, b) => a.atMs - b.atMs)
}

/** How long the failing receivers answer 500. */
export const outageOf = ({ durationMs }: Plan): number => durationMs / 20
