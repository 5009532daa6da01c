import type { HomeFigures } from './store.ts'

/** The steps until a company takes calls, in order. */
export const setupSteps = ['number', 'trunk', 'users', 'flow', 'test_call', 'go_live'] as const

type Figures = Pick<HomeFigures, 'numbers' | 'trunks' | 'trunks_up' | 'users' | 'flows' | 'calls'>

/** In the sandbox, calls are simulated: a trunk and going live are optional there. */
export function setupOf(figures: Figures, { isSandbox }: { isSandbox: boolean }) {
  const isDone: Record<(typeof setupSteps)[number], boolean> = {
    number: figures.numbers > 0,
    trunk: figures.trunks > 0,
    users: figures.users > 1,
    flow: figures.flows > 0,
    test_call: figures.calls > 0,
    go_live: !isSandbox && figures.trunks_up > 0,
  }
  const steps = setupSteps.map((kind) => ({
    kind,
    done: isDone[kind],
    optional: isSandbox && (kind === 'trunk' || kind === 'go_live'),
  }))
  return { complete: steps.every(({ done, optional }) => done || optional), steps }
}
