import { expect, test } from 'vitest'
import { type Clock, systemClock } from './clock.ts'
import { createPeriodicTask } from './periodic-task.ts'

/** A clock whose timers fire only when the test says so. */
function timers() {
  const waiting = new Set<() => void>()
  const clock: Clock = {
    ...systemClock(),
    machineAfter(_ms, run) {
      waiting.add(run)
      return () => waiting.delete(run)
    },
  }
  const fire = () => {
    for (const run of [...waiting]) {
      waiting.delete(run)
      run()
    }
  }
  return { clock, waiting, fire }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('the next interval starts when the run has ended, also after a failure', async () => {
  const { clock, waiting, fire } = timers()
  const errors: unknown[] = []
  let finish = () => {}
  let runs = 0
  const task = createPeriodicTask({
    clock,
    intervalMs: 1_000,
    run: () => {
      runs++
      return new Promise((_resolve, reject) => {
        finish = () => reject(new Error(`run ${runs}`))
      })
    },
    onError: (error) => void errors.push(error),
  })

  task.start()
  const atStart = runs
  fire()
  await turn()
  const duringRun = waiting.size
  finish()
  await turn()

  expect([atStart, runs, duringRun, waiting.size]).toEqual([0, 1, 0, 1])
  expect(errors).toEqual([new Error('run 1')])
})

test('a stop waits for the current run and prevents further ones', async () => {
  const { clock, waiting, fire } = timers()
  let finish = () => {}
  const task = createPeriodicTask({
    clock,
    intervalMs: 1_000,
    run: () =>
      new Promise((resolve) => {
        finish = resolve
      }),
    onError: () => {},
  })
  task.start()
  fire()
  let isStopped = false

  const stopping = task.stop().then(() => {
    isStopped = true
  })
  await turn()
  const early = isStopped
  finish()
  await stopping
  task.start()

  expect([early, isStopped, waiting.size]).toEqual([false, true, 0])
})
