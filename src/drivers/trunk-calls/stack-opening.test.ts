import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { createStackOpening } from './stack-opening.ts'

async function takenPort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return socket.address().port
}

test('one attempt is pending while the SIP port is in use, and none after the stop', async () => {
  const manual = createManualClock(0)
  const clock = { ...manual, machineAfter: manual.after }
  const port = await takenPort()
  let failures = 0
  const opening = createStackOpening(
    {
      clock,
      log: createLog('fatal'),
      bind: '127.0.0.1',
      ports: { udp: port, tcp: port, tls: 0 },
      publicIp: undefined,
      mediaIp: undefined,
      tls: undefined,
      refusesEmergency: true,
    },
    { isNeeded: () => true, opened: () => {}, failed: () => void failures++ },
  )
  // Each change of a trunk asks for the ports.
  for (let change = 0; change < 3; change++) opening.openSoon()
  await opening.attempted()
  expect(failures).toBe(3)

  await manual.advance(5_000)
  await opening.attempted()
  expect(failures).toBe(4)

  await opening.stop()
  opening.openSoon()
  await manual.advance(60_000)
  await opening.attempted()
  expect(failures).toBe(4)
})
