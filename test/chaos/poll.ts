import { setTimeout as wait } from 'node:timers/promises'

const patienceMs = 180_000

/** Asks again and again; throws when it is not so within three minutes, longer than any lease lasts. */
export async function pollUntil(isSo: () => Promise<boolean>, what: string, intervalMs = 50): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs / 1_000} s: ${what}`)
    await wait(intervalMs)
  }
}
