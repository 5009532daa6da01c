import { setImmediate as breathe } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTrunkCalls } from '../../src/drivers/trunk-calls.ts'
import { minute } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { heldClock } from '../kit/clocks.ts'
import { lineTo } from '../kit/line.ts'
import { freePort } from '../kit/postgres.ts'
import { answerTo, fresh, udpPeer } from '../kit/sip-peer.ts'

test('of two processes on one machine the second serves no trunks, logs that once, and takes over when the first ends', async () => {
  const port = await freePort()
  const carrier = await udpPeer(() => port)
  const clock = heldClock(0)
  const lines: string[] = []
  const write = (level: string) => (_facts: object, message: string) => void lines.push(`${level} ${message}`)
  const noisy = { ...createLog('silent'), warn: write('warn'), error: write('error') }
  const open = (log = createLog('silent')) => {
    const calls = createTrunkCalls({
      clock,
      log,
      bind: '127.0.0.1',
      ports: { udp: port, tcp: port, tls: 0 },
      publicIp: undefined,
      mediaIp: undefined,
      tls: undefined,
      shared: true,
      refusesEmergency: true,
    })
    onTestFinished(() => calls.close())
    const states: boolean[] = []
    calls.on((fact) => fact.kind === 'trunk.state' && states.push(fact.up))
    calls.setTrunks([lineTo(carrier.port)])
    return { calls, states }
  }
  const first = open()
  carrier.send(answerTo(await carrier.next('OPTIONS'), '200 OK', { tag: fresh('tag') }))
  await expect.poll(() => first.states).toEqual([true])

  const second = open(noisy)
  await expect.poll(() => lines.length).toBe(1)
  for (let i = 0; i < 5; i++) {
    clock.advanceMachine(minute)
    await breathe()
  }
  expect(lines).toEqual([expect.stringMatching(/^warn SIP ports are in use by another process/)])
  expect(second.states).toEqual([])
  expect(second.calls.ports()).toEqual({})

  await first.calls.close()
  await expect
    .poll(() => {
      clock.advanceMachine(minute)
      return second.calls.ports()
    })
    .toEqual({ udp: port, tcp: port })
})
