import type { DriverStats } from '../../domain/voice.ts'

type Responses = Record<string, number>

/** Sums of all nodes; of the delays the longest. */
export function combinedStats(all: readonly DriverStats[]): DriverStats {
  const sum = (of: (stats: DriverStats) => number | undefined) => all.reduce((total, one) => total + (of(one) ?? 0), 0)
  return {
    legs: sum(({ legs }) => legs),
    maxLegs: sum(({ maxLegs }) => maxLegs),
    rooms: sum(({ rooms }) => rooms),
    tickLagMs: Math.max(0, ...all.map(({ tickLagMs }) => tickLagMs)),
    dropped: sum(({ dropped }) => dropped),
    recordingsFailed: sum(({ recordingsFailed }) => recordingsFailed),
    foreign: sum(({ foreign }) => foreign),
    invalid: sum(({ invalid }) => invalid),
    sipResponses: {
      received: responses(all.map(({ sipResponses }) => sipResponses?.received ?? {})),
      sent: responses(all.map(({ sipResponses }) => sipResponses?.sent ?? {})),
    },
  }
}

function responses(all: readonly Responses[]): Responses {
  const total: Responses = {}
  for (const one of all) for (const [kind, count] of Object.entries(one)) total[kind] = (total[kind] ?? 0) + count
  return total
}
