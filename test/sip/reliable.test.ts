import { describe, expect, onTestFinished, test } from 'vitest'
import { createSipStack, type SipStack, type TrunkSettings } from '../../src/drivers/sip/stack.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { answerTo, bodyOf, caller, headerOf, message, newBranch, type SipPeer, uriIn } from '../kit/sip-peer.ts'
import { findSipp, runSipp } from '../kit/sipp.ts'
import { ours, sipWorld } from './sip-world.ts'

// Reliable provisional responses (RFC 3262), UPDATE (RFC 3311), and offers of both sides at once (RFC 3261 §14.1).

const sipp = findSipp() ?? ''
const theirs = ours.replace('ours', 'theirs')
const moved = ours.replace('20000', '20002')
const sdpIn = (text: string) => bodyOf(text).trim()

test('early media to a caller who supports reliable responses is reliable, and the 200 does not repeat it', async () => {
  const { peer, incoming } = await sipWorld()
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite({ headers: ['Supported: 100rel'] }))
  const { call } = await incoming()

  call.progress(180)
  expect(headerOf(await peer.next('SIP/2.0 180'), 'rseq')).toBe('')
  call.progress(183, ours)
  const early = await peer.next('SIP/2.0 183')
  far.learnTarget(early)
  expect([headerOf(early, 'require'), headerOf(early, 'rseq')]).toEqual(['100rel', '1'])
  call.answer(ours)
  peer.send(far.request('PRACK', { headers: ['RAck: 1 1 INVITE'] }))
  await peer.next('SIP/2.0 200')
  const ok = await peer.next('SIP/2.0 200')

  expect(headerOf(ok, 'cseq')).toBe('1 INVITE')
  expect(sdpIn(ok)).toBe('')
  peer.send(far.request('ACK', { seq: 1 }))
})

test('an INVITE without an offer that requires reliable responses gets ours in the first, and answers with the PRACK', async () => {
  const { peer, incoming } = await sipWorld()
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite({ body: '', headers: ['Require: 100rel'] }))
  const observed = await incoming()
  expect(observed.call.asksForEarlyOffer).toBe(true)

  observed.call.progress(180, ours)
  const ringing = await peer.next('SIP/2.0 180')
  far.learnTarget(ringing)
  peer.send(far.request('PRACK', { headers: ['RAck: 1 1 INVITE'], body: theirs }))
  await peer.next('SIP/2.0 200')

  expect(sdpIn(ringing)).toBe(ours.trim())
  expect((await observed.next('sdp.answer')).sdpAnswer.trim()).toBe(theirs.trim())
})

test('a PRACK with another offer gets our answer', async () => {
  const { peer, incoming } = await sipWorld()
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite({ headers: ['Require: 100rel'] }))
  const observed = await incoming()
  observed.call.progress(183, ours)
  far.learnTarget(await peer.next('SIP/2.0 183'))

  peer.send(far.request('PRACK', { headers: ['RAck: 1 1 INVITE'], body: theirs }))
  const offered = await observed.next('sdp.offer')
  offered.reply(moved)
  const ok = await peer.next('SIP/2.0 200')

  expect([headerOf(ok, 'cseq'), sdpIn(ok)]).toEqual(['2 PRACK', moved.trim()])
})

test('while a call rings, an UPDATE with an offer waits for the answer to the INVITE, and is answered after it', async () => {
  const { peer, incoming } = await sipWorld()
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite({ headers: ['Require: 100rel', 'Allow: UPDATE'] }))
  const observed = await incoming()
  observed.call.progress(180)
  far.learnTarget(await peer.next('SIP/2.0 180'))
  peer.send(far.request('PRACK', { headers: ['RAck: 1 1 INVITE'] }))
  await peer.next('SIP/2.0 200')

  peer.send(far.request('UPDATE', { body: theirs }))
  const early = await peer.next('SIP/2.0 500')
  expect(headerOf(early, 'retry-after')).toMatch(/^\d$/)
  observed.call.progress(183, ours)
  await peer.next('SIP/2.0 183')
  peer.send(far.request('PRACK', { headers: ['RAck: 2 1 INVITE'] }))
  await peer.next('SIP/2.0 200')
  peer.send(far.request('UPDATE', { body: theirs }))
  const offered = await observed.next('sdp.offer')
  offered.reply(moved)

  const ok = await peer.next('SIP/2.0 200')
  expect([headerOf(ok, 'cseq').split(' ')[1], sdpIn(ok)]).toEqual(['UPDATE', moved.trim()])

  const offering = observed.call.offer(ours)
  const update = await peer.next('UPDATE')
  peer.send(answerTo(update, '200 OK', { headers: [`Contact: <sip:c@127.0.0.1:${peer.port}>`], body: theirs }))
  expect((await offering)?.trim()).toBe(theirs.trim())
})

test('reliable responses to our call are acknowledged in their order, and UPDATE works both ways before the answer', async () => {
  const { peer, dial } = await sipWorld()
  const observed = dial()
  const invite = await peer.next('INVITE')
  const respond = (status: string, rseq: number, body = '') =>
    peer.send(
      answerTo(invite, status, {
        tag: 'far',
        body,
        headers: [
          `Contact: <sip:c@127.0.0.1:${peer.port}>`,
          'Allow: UPDATE, PRACK',
          'Require: 100rel',
          `RSeq: ${rseq}`,
        ],
      }),
    )
  expect(headerOf(invite, 'supported')).toContain('100rel')
  const update = (seq: number, body: string) =>
    message(
      `UPDATE ${uriIn(headerOf(invite, 'contact'))} SIP/2.0`,
      [
        `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=${newBranch()};rport`,
        'Max-Forwards: 70',
        `From: ${headerOf(invite, 'to')};tag=far`,
        `To: ${headerOf(invite, 'from')}`,
        `Call-ID: ${headerOf(invite, 'call-id')}`,
        `CSeq: ${seq} UPDATE`,
        `Contact: <sip:c@127.0.0.1:${peer.port}>`,
      ],
      body,
    )

  respond('180 Ringing', 41)
  const first = await peer.next('PRACK')
  peer.send(answerTo(first, '200 OK'))
  // The offer of the INVITE is not answered yet.
  peer.send(update(1, theirs))
  await peer.next('SIP/2.0 491')
  // It has overtaken 42, so it is acknowledged when it is sent again.
  respond('183 Session Progress', 43)
  respond('183 Session Progress', 42, theirs)
  const second = await peer.next('PRACK')
  peer.send(answerTo(second, '200 OK'))
  respond('183 Session Progress', 43)
  const third = await peer.next('PRACK')
  peer.send(answerTo(third, '200 OK'))
  expect([first, second, third].map((text) => headerOf(text, 'rack'))).toEqual([
    '41 1 INVITE',
    '42 1 INVITE',
    '43 1 INVITE',
  ])

  peer.send(update(2, theirs.replace('20000', '30000')))
  const offered = await observed.next('sdp.offer')
  offered.reply(moved)
  expect(sdpIn(await peer.next('SIP/2.0 200'))).toBe(moved.trim())
  const offering = observed.call.offer(moved)
  const own = await peer.next('UPDATE')
  peer.send(answerTo(own, '200 OK', { headers: [`Contact: <sip:c@127.0.0.1:${peer.port}>`], body: theirs }))
  expect((await offering)?.trim()).toBe(theirs.trim())

  // A repeated answer to the INVITE is older than the UPDATE.
  const headers = [`Contact: <sip:c@127.0.0.1:${peer.port}>`]
  peer.send(answerTo(invite, '200 OK', { tag: 'far', headers, body: theirs }))
  expect((await observed.next('leg.answered')).sdpAnswer).toBeUndefined()
  await peer.next('ACK')
})

test('a session refresh by UPDATE that meets an offer of the far end is tried again', async () => {
  const { peer, incoming, advance } = await sipWorld()
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite({ headers: ['Allow: UPDATE', 'Supported: timer', 'Session-Expires: 90;refresher=uas'] }))
  const observed = await incoming()
  observed.call.answer(ours)
  far.learnTarget(await peer.next('SIP/2.0 200'))
  peer.send(far.request('ACK'))
  await observed.next('leg.answered')

  advance(45_000)
  const update = await peer.next('UPDATE')
  peer.send(answerTo(update, '491 Request Pending'))
  await settled(peer)
  // The far end owns the Call-ID, so we wait up to two seconds.
  advance(2_000)
  const second = await peer.next('UPDATE')

  expect(headerOf(second, 'cseq')).not.toBe(headerOf(update, 'cseq'))
  expect(observed.left().filter(({ kind }) => kind === 'leg.ended')).toEqual([])
})

async function openStack(): Promise<{ stack: SipStack; trunk: TrunkSettings }> {
  const stack = createSipStack({
    clock: systemClock(),
    log: createLog('silent'),
    bind: '127.0.0.1',
    ports: { udp: 0, tcp: 0 },
    closeTimeoutMs: 100,
  })
  await stack.start()
  onTestFinished(() => stack.close())
  const trunk: TrunkSettings = {
    id: 'trunk',
    host: '127.0.0.1',
    transport: 'udp',
    register: false,
    allowedIps: ['127.0.0.1'],
    numbers: { countryCode: '33' },
    behindNat: false,
    optionsSeconds: 0,
  }
  stack.setTrunks([trunk])
  return { stack, trunk }
}

const calls = 20

describe.skipIf(sipp === '').each(['udp', 'tcp'] as const)('against sipp over %s', (transport) => {
  test('a carrier acknowledges early media with PRACK and moves its own with UPDATE', async () => {
    const { stack } = await openStack()
    const ended: string[] = []
    stack.on((event) => {
      if (event.kind !== 'leg.incoming') return
      const { call } = event
      call.on((one) => {
        if (one.kind === 'sdp.offer') {
          one.reply(moved)
          call.answer(ours)
        }
        if (one.kind === 'leg.ended') ended.push(one.reason)
      })
      call.progress(183, ours)
    })

    const port = stack.ports()[transport] ?? 0
    const { failures } = await runSipp(sipp, { scenario: 'acknowledges-ringing.xml', transport, calls, port })

    expect(await failures).toBe('')
    expect(ended).toEqual(Array.from({ length: calls }, () => 'hangup'))
  })

  test('a carrier sends early media reliably and moves it with UPDATE', async () => {
    const { stack, trunk } = await openStack()
    const { port, failures } = await runSipp(sipp, { scenario: 'early-media.xml', transport, calls })
    stack.setTrunks([{ ...trunk, port, transport }])
    const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }

    let answered = 0
    // sipp takes a moment to open its port; until then calls fail.
    while (answered < calls) {
      const call = stack.invite(wanted)
      await new Promise<void>((resolve) =>
        call.on((event) => {
          if (event.kind === 'sdp.offer') event.reply(moved)
          if (event.kind === 'leg.ended') resolve()
          if (event.kind !== 'leg.answered') return
          answered++
          call.hangup()
        }),
      )
    }

    expect(await failures).toBe('')
  })

  test('offers of both sides at once are refused with 491 on both sides, and both succeed later', async () => {
    const { stack } = await openStack()
    const answers: (string | undefined)[] = []
    stack.on((event) => {
      if (event.kind !== 'leg.incoming') return
      const { call } = event
      call.on((one) => {
        if (one.kind === 'sdp.offer') one.reply(`${ours}a=${one.direction}\r\n`)
        if (one.kind === 'leg.answered') call.offer(moved).then((answer) => answers.push(answer))
      })
      call.progress(180)
      call.answer(ours)
    })

    const port = stack.ports()[transport] ?? 0
    const { failures } = await runSipp(sipp, { scenario: 'glare.xml', transport, calls, port })

    expect(await failures).toBe('')
    expect(answers).toHaveLength(calls)
    for (const answer of answers) expect(answer).toContain('m=audio 40000')
  })
})

/** Resolves when everything that the peer has sent so far was processed. */
async function settled(peer: SipPeer) {
  const ping = caller({ transport: 'UDP', port: peer.port, from: 'a', to: 'b' })
  peer.send(ping.request('OPTIONS'))
  for (;;) if (headerOf(await peer.next('SIP/2.0 200'), 'call-id') === ping.callId) return
}
