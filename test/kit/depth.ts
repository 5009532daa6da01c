const { TEST_SEED = '20261115', TEST_DEPTH = 'quick' } = process.env

// `npm test` leaves out the longest tests (see vitest.config.ts); `TEST_DEPTH=full npm test`, which CI runs, is everything:
// feature tests on the second database as well, more random cases, more kills. A number goes further still: `TEST_DEPTH=10` is ten times the full run.

export const isFullRun = TEST_DEPTH !== 'quick'

/**
 * What tests leave to chance is the same in every run, so that red means a change. `TEST_SEED=random` takes another way
 * each time and prints it, `TEST_SEED=7` takes one again.
 */
export const seed = TEST_SEED === 'random' ? Date.now() % 2 ** 31 : Number(TEST_SEED)

/** How often to repeat what is random or is killed. */
export function times({ quick, full }: { quick: number; full: number }): number {
  if (TEST_DEPTH === 'quick') return quick
  if (TEST_DEPTH === 'full') return full
  return Math.ceil(full * Number(TEST_DEPTH))
}
