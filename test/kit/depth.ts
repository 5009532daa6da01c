const { TEST_SEED = '20261115', TEST_DEPTH = 'quick' } = process.env

// `npm test` skips the longest tests (see vitest.config.ts); `TEST_DEPTH=full npm test`, which CI runs, includes
// everything: feature tests on the second database where SQL is at stake, more random cases, more kills. A number goes
// further: `TEST_DEPTH=10` is ten times the full run, and all feature tests on both databases.

export const isFullRun = TEST_DEPTH !== 'quick'

/** Further than CI: every feature test on both databases. */
export const isDeeperRun = isFullRun && TEST_DEPTH !== 'full'

/**
 * Random tests use a fixed seed, so that a failure means a change. `TEST_SEED=random` uses another one each time and
 * prints it, `TEST_SEED=7` repeats one.
 */
export const seed = TEST_SEED === 'random' ? Date.now() % 2 ** 31 : Number(TEST_SEED)

/** Number of repetitions of random and kill tests. */
export function times({ quick, full }: { quick: number; full: number }): number {
  if (TEST_DEPTH === 'quick') return quick
  if (TEST_DEPTH === 'full') return full
  return Math.ceil(full * Number(TEST_DEPTH))
}
