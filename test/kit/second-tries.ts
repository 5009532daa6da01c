import type { Reporter, TestCase } from 'vitest/node'

/** Whoever passed only at the second try is named at the end, with what was wrong at the first. */
export default class SecondTries implements Reporter {
  readonly #named: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    const errors = test.result().errors ?? []
    const [first] = errors
    this.#named.push(`  ${test.module.relativeModuleId} > ${test.fullName}\n    ${first?.message ?? 'no message'}`)
  }

  onTestRunEnd(): void {
    if (this.#named.length === 0) return
    process.stdout.write(`\nPASSED ONLY AT THE SECOND TRY (${this.#named.length}):\n${this.#named.join('\n')}\n\n`)
  }
}
