import type { Cancel, Clock } from './clock.ts'

/** Calls `run` at this interval of machine time until cancelled. */
export function every(clock: Pick<Clock, 'machineAfter'>, ms: number, run: () => void): Cancel {
  let cancel: Cancel = () => {}
  const schedule = () => {
    cancel = clock.machineAfter(ms, () => {
      schedule()
      run()
    })
  }
  schedule()
  return () => cancel()
}
