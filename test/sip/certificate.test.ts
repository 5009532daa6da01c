import { copyFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createSipStack } from '../../src/drivers/sip/stack.ts'
import { minute } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { heldClock } from '../kit/clocks.ts'
import { makeCertificate } from '../kit/sip-peer.ts'

test('a certificate that is replaced on the disk is used without a restart; half of one is not', async () => {
  const [first, second] = [await makeCertificate(), await makeCertificate()]
  const clock = heldClock(0)
  const stack = createSipStack({
    clock,
    log: createLog('silent'),
    bind: '127.0.0.1',
    ports: { tls: 0 },
    tls: first,
  })
  await stack.start()
  onTestFinished(() => stack.close())
  stack.setTrunks([
    {
      id: 'trunk',
      host: '127.0.0.1',
      transport: 'tls',
      register: false,
      allowedIps: ['127.0.0.1'],
      numbers: {},
      behindNat: false,
      optionsSeconds: 0,
    },
  ])
  const shown = () => fingerprintAt(stack.ports().tls ?? 0)
  const before = await shown()

  await copyFile(second.certFile, first.certFile)
  clock.advanceMachine(minute)
  const halfWay = await shown()
  await copyFile(second.keyFile, first.keyFile)
  clock.advanceMachine(minute)
  const after = await shown()
  await writeFile(first.certFile, 'nonsense')
  clock.advanceMachine(minute)

  expect(halfWay).toBe(before)
  expect(after).not.toBe(before)
  expect(await shown()).toBe(after)
})

function fingerprintAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
