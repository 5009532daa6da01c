import type { Clock } from './clock.ts'

const maxPauseMs = 100

/**
 * Repeats until no work is left. Pauses between batches let other work run: with the embedded store a batch never
 * yields. A pause lasts as long as the batch before it.
 */
export async function inBatches(clock: Clock, work: () => Promise<number>): Promise<void> {
  for (let started = clock.steadyNow(); (await work()) > 0; started = clock.steadyNow()) {
    const took = clock.steadyNow() - started
    await new Promise<void>((resolve) => clock.machineAfter(Math.min(Math.max(1, took), maxPauseMs), resolve))
  }
}
