import type { Clock } from './clock.ts'

const maxPauseMs = 100

/**
 * Repeats until nothing is left to do. Between two batches everybody else gets a turn: with the embedded store nothing in a
 * batch waits for anything, and without a pause the whole work would be one. A pause is as long as the batch before it.
 */
export async function inBatches(clock: Clock, work: () => Promise<number>): Promise<void> {
  for (let begun = clock.steadyNow(); (await work()) > 0; begun = clock.steadyNow()) {
    const took = clock.steadyNow() - begun
    await new Promise<void>((resolve) => clock.machineAfter(Math.min(Math.max(1, took), maxPauseMs), resolve))
  }
}
