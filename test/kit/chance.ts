const { TEST_SEED = '20261115', TEST_DEPTH = '1' } = process.env

/**
 * What tests leave to chance is the same in every run, so that red means a change. `TEST_SEED=random` takes another way
 * each time and prints it, `TEST_SEED=7` takes one again, `TEST_DEPTH=10` goes ten times as far.
 */
export const seed = TEST_SEED === 'random' ? Date.now() % 2 ** 31 : Number(TEST_SEED)

export const times = (usual: number): number => Math.ceil(usual * Number(TEST_DEPTH))
