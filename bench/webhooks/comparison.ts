import { quantile } from '../kit.ts'
import type { Commit } from './product.ts'
import type { Arrival } from './receiver.ts'

/** What the receiver saw against what was committed. */
export interface Comparison {
  /** Commit to receipt, in ms, in the order of commits. */
  latencies: number[]
  lost: number
  duplicates: number
  orderViolations: number
}

/** Replays are not counted. */
export function compare(commits: readonly Commit[], arrivals: readonly Arrival[]): Comparison {
  const first = new Map<string, Arrival>()
  const seen = new Set<string>()
  let duplicates = 0
  const inOrder = [...arrivals].filter(({ replay }) => !replay).sort((a, b) => a.at - b.at)
  for (const arrival of inOrder) {
    if (seen.has(arrival.message)) duplicates++
    seen.add(arrival.message)
    if (!first.has(arrival.event)) first.set(arrival.event, arrival)
  }
  const came = commits.flatMap((commit) => {
    const arrival = first.get(commit.event)
    return arrival ? [{ commit, arrival }] : []
  })
  return {
    latencies: came.map(({ commit, arrival }) => arrival.at - commit.at),
    lost: commits.length - came.length,
    duplicates,
    orderViolations: violations(came),
  }
}

/** Per webhook and resource the numbers must rise by one from one arrival to the next. */
function violations(came: readonly { commit: Commit; arrival: Arrival }[]): number {
  const last = new Map<string, number>()
  let count = 0
  for (const { commit, arrival } of [...came].sort((a, b) => a.arrival.at - b.arrival.at)) {
    const key = `${arrival.hook} ${commit.resource}`
    const before = last.get(key)
    if (before !== undefined && arrival.seq !== before + 1) count++
    last.set(key, arrival.seq)
  }
  return count
}

export interface Spread {
  p50: number
  p99: number
}

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
})

/** Faults of all phases together. */
export class Faults {
  lost = 0
  duplicates = 0
  orderViolations = 0

  add({ lost, duplicates, orderViolations }: Comparison): void {
    this.lost += lost
    this.duplicates += duplicates
    this.orderViolations += orderViolations
  }
}
