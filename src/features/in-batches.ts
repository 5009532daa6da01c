import type { Clock } from '../lib/clock.ts'

/**
 * Repeats until nothing is left to do. Between two batches everybody else gets a turn: with the embedded store nothing in a
 * batch waits for anything, and without a pause the whole work would be one.
 */
export async function inBatches(clock: Clock, work: () => Promise<number>): Promise<void> {
  while ((await work()) > 0) await new Promise<void>((resolve) => clock.machineAfter(1, resolve))
}
