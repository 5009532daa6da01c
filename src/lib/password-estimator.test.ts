import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { monday } from '../../test/kit/app.ts'
import { heldClock } from '../../test/kit/clocks.ts'
import { checkTimeoutMs, createPasswordEstimator, idleMs, maxInFlight, startWorker } from './password-estimator.ts'

const own = ['nora', 'quist', 'acme phones']
/** A thread that reads the request and never responds. */
const stuckThread = () =>
  new Worker("require('node:worker_threads').parentPort.once('message', () => { for (;;); })", { eval: true })

test('a derived password scores low with a reason, several words and random characters score high', async () => {
  const estimator = createPasswordEstimator(heldClock(monday))

  const derived = await estimator.check('Dr4g0nb4ll12', own)
  const joined = await estimator.check('monkeydragon99', own)
  const personal = await estimator.check('Acme Phones1', own)
  const words = await estimator.check('correct horse', own)
  const random = await estimator.check('x7#kQ9vLp2', own)
  await estimator.stop()

  expect(derived).toMatchObject({ kind: 'estimated', score: 2, suggestions: expect.arrayContaining(['l33t']) })
  expect(joined).toMatchObject({ kind: 'estimated', score: 2 })
  expect(personal).toMatchObject({ kind: 'estimated', warning: 'userInputs' })
  expect([words, random]).toMatchObject([{ score: 3 }, { score: 3 }])
})

test('only the first 64 characters are estimated', async () => {
  const estimator = createPasswordEstimator(heldClock(monday))

  const result = await estimator.check(`${'ab'.repeat(32)} x7#kQ9vLp2 and much more`, own)
  await estimator.stop()

  expect(result).toMatchObject({ kind: 'estimated', score: 0 })
})

test('the thread starts with the first check, ends when idle, and starts again', async () => {
  const clock = heldClock(monday)
  const estimator = createPasswordEstimator(clock)
  const atFirst = estimator.isRunning()
  await estimator.check('correct horse', own)
  clock.advanceMachine(idleMs - 1_000)
  const first = await estimator.check('correct horse', own)
  clock.advanceMachine(idleMs - 1_000)
  const beforeIdle = estimator.isRunning()

  clock.advanceMachine(1_000)
  const afterIdle = estimator.isRunning()
  const second = await estimator.check('correct horse', own)
  await estimator.stop()

  expect([atFirst, beforeIdle, afterIdle]).toEqual([false, true, false])
  expect(second).toEqual(first)
})

test('a check that takes too long is given up, its thread is ended, and the next check gets a new one', async () => {
  const clock = heldClock(monday)
  const threads = [stuckThread()]
  const ended = new Promise((resolve) => threads[0]?.once('exit', resolve))
  const estimator = createPasswordEstimator(clock, { startThread: () => threads.shift() ?? startWorker() })

  const checks = [estimator.check('correct horse', own), estimator.check('another', own)]
  clock.advanceMachine(checkTimeoutMs)
  const results = await Promise.all(checks)
  await ended
  const next = await estimator.check('correct horse', own)
  await estimator.stop()

  expect(results).toEqual([
    { kind: 'unavailable', reason: 'timeout' },
    { kind: 'unavailable', reason: 'timeout' },
  ])
  expect(next).toMatchObject({ kind: 'estimated', score: 3 })
})

test('more checks than the limit are not queued', async () => {
  const clock = heldClock(monday)
  const estimator = createPasswordEstimator(clock, { startThread: stuckThread })

  const queued = Array.from({ length: maxInFlight }, () => estimator.check('correct horse', own))
  const beyond = await estimator.check('correct horse', own)
  clock.advanceMachine(checkTimeoutMs)
  const results = await Promise.all(queued)

  expect(beyond).toEqual({ kind: 'unavailable', reason: 'busy' })
  expect(new Set(results.map((result) => result.kind === 'unavailable' && result.reason))).toEqual(new Set(['timeout']))
})

test('a thread that fails is reported, and the next check gets a new one', async () => {
  const failing = () => new Worker("throw new Error('no memory')", { eval: true })
  const threads = [failing()]
  const estimator = createPasswordEstimator(heldClock(monday), { startThread: () => threads.shift() ?? startWorker() })

  const failed = await estimator.check('correct horse', own)
  const next = await estimator.check('correct horse', own)
  await estimator.stop()

  expect(failed).toMatchObject({ kind: 'unavailable', reason: 'failed', error: { message: 'no memory' } })
  expect(next).toMatchObject({ kind: 'estimated', score: 3 })
})

test.each([
  ['after', 'await estimator.check("correct horse", [])'],
  ['during', 'void estimator.check("correct horse", []); await new Promise((done) => setTimeout(done, 100))'],
])('the process exits by itself %s a check', (_, action) => {
  // A timer keeps the process alive during the awaited check, as an open connection does in the server.
  const program = `
    const { passwordEstimator: estimator } = await import('./src/lib/password-estimator.ts')
    const connection = setInterval(() => {}, 1_000)
    ${action}
    clearInterval(connection)`
  const root = path.resolve(import.meta.dirname, '../..')

  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    { cwd: root, encoding: 'utf8', timeout: idleMs / 2 },
  )

  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
})
