import { second, systemClock } from '../lib/clock.ts'

/** Printed by `doctor --json`: the field names are kept for compatibility. */
export interface DoctorFinding {
  about: string
  state: 'fine' | 'look' | 'wrong'
  says: string
}

const defaultTimeoutMs = 10 * second

/** Runs a check; its failure is a finding with the reason and what to do. */
export async function tried(
  about: string,
  remedy: string,
  check: () => Promise<DoctorFinding | string>,
  timeoutMs = defaultTimeoutMs,
): Promise<DoctorFinding> {
  try {
    const found = await inTime(check(), timeoutMs)
    return typeof found === 'string' ? { about, state: 'fine', says: found } : found
  } catch (error) {
    return { about, state: 'wrong', says: `${reasonOf(error)}; ${remedy}` }
  }
}

function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock().machineAfter(timeoutMs, () =>
      reject(new Error(`no response within ${timeoutMs / second} seconds`)),
    )
    work.then(resolve, reject).finally(cancel)
  })
}

/** One line: errors of connections to several addresses have no message, only those of each address. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return 'unknown error'
  const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : ''
  return `${(error.message || error.name).split('\n', 1)[0]}${cause}`
}
