import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSipStack } from '../../src/drivers/sip/stack.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { mailbox } from '../kit/mailbox.ts'
import { answerTo, bodyOf, headerOf } from '../kit/sip-peer.ts'
import { findSipp, runSipp } from '../kit/sipp.ts'
import { observe, ours } from './sip-world.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

test.skipIf(!hasIPv6)('a call over IPv6: addresses stand in brackets, and BYE reaches the far end', async () => {
  const carrier = createSocket('udp6').bind(0, '::1')
  await once(carrier, 'listening')
  const box = mailbox<string>()
  carrier.on('message', (bytes) => box.put(bytes.toString()))
  onTestFinished(() => void carrier.close())
  const { port } = carrier.address()
  const stack = createSipStack({
    clock: systemClock(),
    log: createLog('silent'),
    bind: '::1',
    ports: { udp: 0 },
    closeTimeoutMs: 100,
  })
  await stack.start()
  onTestFinished(() => stack.close())
  const send = (text: string) => carrier.send(text.replace(/\r?\n/g, '\r\n'), stack.ports().udp ?? 0, '::1')
  stack.setTrunks([
    {
      id: 'trunk',
      host: '::1',
      port,
      transport: 'udp',
      register: false,
      allowedIps: ['::1'],
      numbers: {},
      behindNat: false,
      optionsSeconds: 0,
    },
  ])
  const sdp = 'v=0\r\no=ours 1 1 IN IP6 ::1\r\ns=-\r\nc=IN IP6 ::1\r\nt=0 0\r\nm=audio 20000 RTP/AVP 0\r\n'

  const observed = observe(
    stack.invite({ trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp, timeoutMs: 60_000 }),
  )
  const invite = await box.next((text) => text.startsWith('INVITE'))
  send(answerTo(invite, '200 OK', { tag: 'far', headers: [`Contact: <sip:carrier@[::1]:${port}>`], body: sdp }))
  const ack = await box.next((text) => text.startsWith('ACK'))
  await observed.next('leg.answered')
  observed.call.hangup()
  const bye = await box.next((text) => text.startsWith('BYE'))
  send(answerTo(bye, '200 OK'))

  expect(invite).toMatch(/^INVITE sip:\+33123456789@\[::1\]/)
  expect(headerOf(invite, 'via')).toMatch(/^SIP\/2\.0\/UDP \[::1\]:\d+;/)
  expect(headerOf(invite, 'contact')).toMatch(/^<sip:\[::1\]:\d+>$/)
  expect(bodyOf(invite)).toContain('c=IN IP6 ::1')
  for (const request of [ack, bye]) expect(request.split('\r\n', 1)[0]).toContain(`sip:carrier@[::1]:${port}`)
  expect(await observed.ended()).toMatchObject({ reason: 'hangup' })
})

const sipp = findSipp() ?? ''

describe.skipIf(!hasIPv6 || sipp === '').each(['udp', 'tcp'] as const)('against sipp over %s', (transport) => {
  test.each(['::1', '::'])('50 calls over IPv6 to a stack on %s', async (bind) => {
    const stack = createSipStack({
      clock: systemClock(),
      log: createLog('silent'),
      bind,
      ports: { udp: 0, tcp: 0 },
      closeTimeoutMs: 100,
    })
    await stack.start()
    onTestFinished(() => stack.close())
    const trunk = {
      id: 'trunk',
      host: '::1',
      transport,
      register: false,
      allowedIps: [],
      numbers: { countryCode: '33' },
    }
    stack.setTrunks([{ ...trunk, behindNat: false, optionsSeconds: 0 }])
    const ended: string[] = []
    stack.on((event) => {
      if (event.kind !== 'leg.incoming') return
      event.call.on((one) => {
        if (one.kind === 'sdp.offer') one.reply(`${ours}a=${one.direction}\r\n`)
        if (one.kind === 'leg.ended') ended.push(one.reason)
      })
      event.call.progress(180)
      event.call.answer(ours)
    })

    const port = stack.ports()[transport] ?? 0
    const { failures } = await runSipp(sipp, { scenario: 'calls-in.xml', transport, calls: 50, port, address: '::1' })

    expect(await failures).toBe('')
    expect(ended).toEqual(Array.from({ length: 50 }, () => 'hangup'))
  })
})
