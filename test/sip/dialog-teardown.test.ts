import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, newBranch, offer, tagIn, udpPeer } from '../kit/sip-peer.ts'
import { ours, sipWorld } from './sip-world.ts'

// A process has exited; another one, which has only the saved dialog, tears it down.

async function another(port: number) {
  const world = await sipWorld({ trunk: { port } })
  return world.stack
}

test('an answered outgoing call is ended with BYE, its number well above the last', async () => {
  const { peer, dial } = await sipWorld()
  const observed = dial()
  const invite = await peer.next('INVITE')
  const headers = [`Contact: <sip:far@127.0.0.1:${peer.port}>`, `Record-Route: <sip:127.0.0.1:${peer.port};lr>`]
  peer.send(answerTo(invite, '200 OK', { tag: 'far', headers, body: offer }))
  await peer.next('ACK')
  await observed.next('leg.answered')
  const [, saved] = [await observed.next('leg.dialog'), await observed.next('leg.dialog')]

  const second = await another(peer.port)
  const done = second.endDialog(saved.dialog)
  const bye = await peer.next('BYE')
  answerFrom(peer, bye, second.ports().udp, '481 Call/Transaction Does Not Exist')

  await done
  expect(headerOf(bye, 'cseq')).toBe('1002 BYE')
  expect(headerOf(bye, 'call-id')).toBe(headerOf(invite, 'call-id'))
  expect(tagIn(headerOf(bye, 'from'))).toBe(tagIn(headerOf(invite, 'from')))
  expect(tagIn(headerOf(bye, 'to'))).toBe('far')
  expect(headerOf(bye, 'route')).toBe(`<sip:127.0.0.1:${peer.port};lr>`)
})

test('an outgoing call that still rings is cancelled by its branch, and its 487 acknowledged', async () => {
  const { peer, dial } = await sipWorld()
  const observed = dial()
  const invite = await peer.next('INVITE')
  const { dialog } = await observed.next('leg.dialog')
  const second = await another(peer.port)

  const done = second.endDialog(dialog)
  const cancel = await peer.next('CANCEL')
  answerFrom(peer, cancel, second.ports().udp, '200 OK')
  answerFrom(peer, invite, second.ports().udp, '487 Request Terminated')

  await done
  expect(headerOf(cancel, 'via')).toBe(headerOf(invite, 'via'))
  expect(headerOf(await peer.next('ACK'), 'via')).toBe(headerOf(invite, 'via'))
})

test('an outgoing call that was answered meanwhile gets ACK and BYE', async () => {
  const { peer, dial } = await sipWorld()
  const observed = dial()
  const invite = await peer.next('INVITE')
  const { dialog } = await observed.next('leg.dialog')
  const second = await another(peer.port)

  const done = second.endDialog(dialog)
  await peer.next('CANCEL')
  const headers = [`Contact: <sip:far@127.0.0.1:${peer.port}>`]
  answerFrom(peer, invite, second.ports().udp, '200 OK', headers)

  await done
  expect(headerOf(await peer.next('ACK'), 'cseq')).toBe('1 ACK')
  expect(tagIn(headerOf(await peer.next('BYE'), 'to'))).toBe('far')
})

test('an incoming call that still rings is refused in its own dialog', async () => {
  const { peer, incoming } = await sipWorld()
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const observed = await incoming()
  observed.call.progress(180)
  const ringing = await peer.next('SIP/2.0 180')
  const { dialog } = await observed.next('leg.dialog')

  await (await another(peer.port)).endDialog(dialog)

  expect(headerOf(await peer.next('SIP/2.0 480'), 'to')).toBe(headerOf(ringing, 'to'))
})

test('an incoming call that was answered is ended with BYE', async () => {
  const { peer, incoming } = await sipWorld()
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const observed = await incoming()
  observed.call.answer(ours)
  phone.learnTarget(await peer.next('SIP/2.0 200'))
  peer.send(phone.request('ACK'))
  await observed.next('leg.answered')
  const [, saved] = [await observed.next('leg.dialog'), await observed.next('leg.dialog')]

  const second = await another(peer.port)
  const done = second.endDialog(saved.dialog)
  const bye = await peer.next('BYE')
  answerFrom(peer, bye, second.ports().udp, '200 OK')

  await done
  expect(headerOf(bye, 'cseq')).toBe('1001 BYE')
})

test('teardown resolves without a response, and for text that is not a saved dialog', async () => {
  const { peer, dial } = await sipWorld()
  const observed = dial()
  await peer.next('INVITE')
  const { dialog } = await observed.next('leg.dialog')
  const second = await sipWorld({ trunk: { port: peer.port } })

  const done = second.stack.endDialog(dialog)
  await peer.next('CANCEL')
  second.advance(33_000)

  await done
  await second.stack.endDialog('not ours')
  await second.stack.endDialog('{"v":1}')
})

test('a 200 of an unknown call gets ACK and BYE; a retransmission only gets the ACK', async () => {
  const { peer, stack } = await sipWorld()
  const stray = `SIP/2.0 200 OK
Via: SIP/2.0/UDP 127.0.0.1:${stack.ports().udp};branch=${newBranch()}
From: <sip:+33155501234@127.0.0.1>;tag=gone
To: <sip:+33123456789@127.0.0.1>;tag=far
Call-ID: gone
CSeq: 4 INVITE
Contact: <sip:far@127.0.0.1:${peer.port}>
Content-Length: 0

`
  peer.send(stray)
  const ack = await peer.next('ACK')
  const bye = await peer.next('BYE')
  peer.send(stray)
  await peer.next('ACK')

  expect(headerOf(ack, 'cseq')).toBe('4 ACK')
  expect(headerOf(bye, 'cseq')).toBe('5 BYE')
  expect(peer.left()).toEqual([])
})

test('a 200 from an address that is not a trunk gets no response', async () => {
  const { peer, stack } = await sipWorld()
  const stranger = await udpPeer(() => stack.ports().udp ?? 0, '127.0.0.2')
  stranger.send(`SIP/2.0 200 OK
Via: SIP/2.0/UDP 127.0.0.1:${stack.ports().udp};branch=${newBranch()}
From: <sip:a@127.0.0.1>;tag=gone
To: <sip:b@127.0.0.1>;tag=far
Call-ID: gone
CSeq: 4 INVITE
Contact: <sip:victim@127.0.0.1:${peer.port}>
Content-Length: 0

`)
  peer.send(caller({ transport: 'UDP', port: peer.port, from: '1', to: '2' }).request('OPTIONS'))

  await peer.next('SIP/2.0 200')
  expect([...peer.left(), ...stranger.left()]).toEqual([])
})

test('closing hangs up every call', async () => {
  const { peer, dial, stack } = await sipWorld()
  const observed = dial()
  const invite = await peer.next('INVITE')
  peer.send(
    answerTo(invite, '200 OK', { tag: 'far', headers: [`Contact: <sip:far@127.0.0.1:${peer.port}>`], body: offer }),
  )
  await observed.next('leg.answered')

  await stack.close()

  await peer.next('BYE')
  expect(await observed.ended()).toMatchObject({ reason: 'lost' })
})

/** The peer sends to another port than the one it was opened for. */
function answerFrom(
  peer: { sendBytes(bytes: Buffer, port?: number): void },
  request: string,
  port: number | undefined,
  status: string,
  headers: string[] = [],
) {
  peer.sendBytes(Buffer.from(answerTo(request, status, { tag: 'far', headers }).replace(/\r?\n/g, '\r\n')), port)
}
