import { describe, expect, onTestFinished, test } from 'vitest'
import { createSipStack, type SipCall, type TrunkSettings } from '../../src/drivers/sip/stack.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { findSipp, runSipp } from '../kit/sipp.ts'
import { observe, ours } from './sip-world.ts'

// The stack against a SIP implementation that is not ours, on real time.

const sipp = findSipp() ?? ''

async function openStack(change: Partial<TrunkSettings> = {}) {
  const stack = createSipStack({
    clock: systemClock(),
    log: createLog('silent'),
    bind: '127.0.0.1',
    ports: { udp: 0, tcp: 0 },
    closeTimeoutMs: 100,
  })
  await stack.start()
  onTestFinished(() => stack.close())
  const trunk = (more: Partial<TrunkSettings> = {}): TrunkSettings => ({
    id: 'trunk',
    host: '127.0.0.1',
    transport: 'udp',
    register: false,
    allowedIps: ['127.0.0.1'],
    numbers: { countryCode: '33' },
    behindNat: false,
    optionsSeconds: 0,
    ...change,
    ...more,
  })
  stack.setTrunks([trunk()])
  return { stack, trunk }
}

/** Rings, and answers except on the number of the cancelled calls. */
function serve(call: SipCall, ended: string[]) {
  call.on((event) => {
    if (event.kind === 'sdp.offer') event.reply(`${ours}a=${event.direction}\r\n`)
    if (event.kind === 'leg.ended') ended.push(event.reason)
  })
  call.progress(180)
  if (call.to !== '+33155509877') call.answer(ours)
}

describe.skipIf(sipp === '').each(['udp', 'tcp'] as const)('against sipp over %s', (transport) => {
  test.each([
    ['calls-in.xml', 'hangup'],
    ['gives-up.xml', 'cancelled'],
  ])('100 calls of %s end as %s', async (scenario, reason) => {
    const { stack } = await openStack()
    const ended: string[] = []
    stack.on((event) => event.kind === 'leg.incoming' && serve(event.call, ended))

    const { failures } = await runSipp(sipp, { scenario, transport, calls: 100, port: stack.ports()[transport] ?? 0 })

    expect(await failures).toBe('')
    expect(ended).toEqual(Array.from({ length: 100 }, () => reason))
    expect(stack.stats().calls).toBe(0)
  })

  test('100 calls from a carrier that authenticates with MD5, the only algorithm that it knows', async () => {
    const inboundAuth = { username: 'carrier', password: 'secret', algorithms: ['MD5'] as const }
    const { stack } = await openStack({ inboundAuth, domain: 'us.test' })
    const ended: string[] = []
    stack.on((event) => event.kind === 'leg.incoming' && serve(event.call, ended))

    const port = stack.ports()[transport] ?? 0
    const authUri = `0155509876@127.0.0.1:${port}`
    const { failures } = await runSipp(sipp, { scenario: 'authenticates.xml', transport, calls: 100, port, authUri })

    expect(await failures).toBe('')
    expect(ended).toEqual(Array.from({ length: 100 }, () => 'hangup'))
  })

  test('100 calls to a carrier that asks for credentials', async () => {
    const { stack, trunk } = await openStack({
      transport,
      username: 'alice',
      password: 'secret',
      domain: 'carrier.test',
    })
    const { port, failures } = await runSipp(sipp, { scenario: 'answers.xml', transport, calls: 100 })
    stack.setTrunks([trunk({ port, optionsSeconds: 0 })])
    const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }

    const reasons: string[] = []
    for (let i = 0; i < 100; i++) {
      const { call, ended } = await dialUntilThere(() => observe(stack.invite(wanted)))
      call.hangup()
      reasons.push((await ended).reason)
    }

    expect(await failures).toBe('')
    expect(new Set(reasons)).toEqual(new Set(['hangup']))
  })

  test('100 calls that we cancel while they ring', async () => {
    const { stack, trunk } = await openStack({ transport })
    const { port, failures } = await runSipp(sipp, { scenario: 'rings.xml', transport, calls: 100 })
    stack.setTrunks([trunk({ port, optionsSeconds: 0 })])
    const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }

    const reasons: string[] = []
    for (let i = 0; i < 100; i++) {
      const { call, ended } = await dialUntilThere(() => observe(stack.invite(wanted)), 'leg.progress')
      call.hangup()
      reasons.push((await ended).reason)
    }

    expect(await failures).toBe('')
    expect(new Set(reasons)).toEqual(new Set(['cancelled']))
  })
})

/** sipp takes a moment to open its port; until then connections are refused. */
async function dialUntilThere(
  dial: () => ReturnType<typeof observe>,
  until: 'leg.answered' | 'leg.progress' = 'leg.answered',
) {
  for (;;) {
    const observed = dial()
    const ended = observed.ended()
    const answered = observed.next(until).then(() => true)
    if (await Promise.race([answered, ended.then(() => false)])) return { call: observed.call, ended }
  }
}
