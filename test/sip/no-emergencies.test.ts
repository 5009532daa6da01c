import { expect, onTestFinished, test } from 'vitest'
import { createTrunkCalls } from '../../src/drivers/trunk-calls.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { lineTo } from '../kit/line.ts'
import { freePort } from '../kit/postgres.ts'
import { answerTo, fresh, udpPeer } from '../kit/sip-peer.ts'
import { ours } from './sip-world.ts'

// Every app and every driver of the test kit is started so; this is the proof that it helps.

test('with SIP_REFUSE_EMERGENCY no emergency number of any country is dialled, nor a call marked as urgent', async () => {
  const port = await freePort()
  const carrier = await udpPeer(() => port)
  const calls = createTrunkCalls({
    clock: systemClock(),
    log: createLog('silent'),
    bind: '127.0.0.1',
    ports: { udp: port, tcp: port, tls: 0 },
    publicIp: undefined,
    mediaIp: undefined,
    tls: undefined,
    refusesEmergency: true,
  })
  onTestFinished(() => calls.close())
  calls.setTrunks([lineTo(carrier.port)])
  carrier.send(answerTo(await carrier.next('OPTIONS'), '200 OK', { tag: fresh('tag') }))
  const dial = (to: string, more = {}) =>
    calls.dial(to, 't', { trunkIds: ['t'], to, from: '+14155550101', timeoutMs: 30_000, sdpOffer: ours, ...more })

  for (const to of ['911', '112', '999', '17', '110', '+112', '000']) {
    await expect(dial(to), to).rejects.toThrow('emergency numbers are not dialled from here')
  }
  await expect(dial('+14155550101', { urgent: true })).rejects.toThrow('emergency numbers are not dialled from here')
  await dial('+14155550102')

  expect(await carrier.next('INVITE')).toMatch(/^INVITE sip:\+14155550102@/)
  expect(carrier.left()).toEqual([])
})
