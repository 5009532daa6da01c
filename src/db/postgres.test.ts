import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../lib/clock.ts'
import { Ears } from './postgres.ts'

/** A clock whose timers wait until they are told. */
function heldTimers() {
  const waiting = new Set<() => void>()
  const clock: Clock = {
    now: Date.now,
    machineNow: Date.now,
    after: () => () => {},
    machineAfter(_ms, run) {
      waiting.add(run)
      return () => waiting.delete(run)
    },
  }
  const fire = () => {
    const due = [...waiting]
    waiting.clear()
    for (const run of due) run()
  }
  return { clock, waiting, fire }
}

test('while the server is away one attempt at a time tries to listen again, however long it lasts', async () => {
  let attempts = 0
  let hangUp = (_socket: Socket) => {}
  const server = createServer((socket) => {
    attempts++
    hangUp(socket.on('error', () => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { clock, waiting, fire } = heldTimers()
  const ears = new Ears(`postgres://x@127.0.0.1:${port}/x`, clock)

  hangUp = (socket) => socket.destroy()
  await ears.open().catch(() => {})
  for (let round = 1; round <= 6; round++) {
    await expect.poll(() => waiting.size).toBeGreaterThan(0)
    // The hang-up has several effects in the client; all of them must have been seen.
    await new Promise((resolve) => setImmediate(resolve))
    fire()
    await expect.poll(() => attempts).toBeGreaterThan(round)
  }
  await expect.poll(() => waiting.size).toBeGreaterThan(0)
  await ears.close()

  expect(attempts).toBe(7)
})
