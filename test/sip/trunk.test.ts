import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, makeCertificate, uriIn } from '../kit/sip-peer.ts'
import { ours, type SipWorld, sipWorld } from './sip-world.ts'

const account = { register: true, username: 'alice', password: 'secret', domain: 'carrier.test' }
const registered = (request: string, seconds: number) =>
  answerTo(request, '200 OK', { tag: 'reg', headers: [`Contact: ${headerOf(request, 'contact')};expires=${seconds}`] })

/** The timer that follows an answer is set once the answer was read; another request shows that it was. */
async function read(world: SipWorld) {
  world.peer.send(`OPTIONS sip:127.0.0.1 SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:${world.peer.port};branch=z9hG4bK${Math.floor(world.clock.machineNow())}
From: <sip:a@b.test>;tag=1
To: <sip:c@d.test>
Call-ID: ping-${world.clock.machineNow()}
CSeq: 1 OPTIONS
Content-Length: 0

`)
  await world.peer.next('SIP/2.0 200')
}

test('a trunk registers with its credentials, and again before the time is over; then it is up', async () => {
  const world = await sipWorld({ trunk: account })
  const { peer, advance, trunkState, stack } = world
  const first = await peer.next('REGISTER')
  const headers = ['WWW-Authenticate: Digest realm="carrier.test", nonce="n1", qop="auth", algorithm=SHA-256']
  peer.send(answerTo(first, '401 Unauthorized', { tag: 'reg', headers }))
  const second = await peer.next('REGISTER')
  peer.send(registered(second, 120))
  expect(await trunkState()).toBe(true)
  await read(world)

  advance(89_000)
  expect(peer.left()).toEqual([])
  advance(1_000)
  const again = await peer.next('REGISTER')

  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const cnonce = /cnonce="([^"]+)"/.exec(headerOf(second, 'authorization'))?.[1]
  const middle = `n1:00000001:${cnonce}:auth`
  const response = hash(`${hash('alice:carrier.test:secret')}:${middle}:${hash('REGISTER:sip:carrier.test')}`)
  expect(headerOf(second, 'authorization')).toContain(`response="${response}"`)
  expect(headerOf(again, 'call-id')).toBe(headerOf(first, 'call-id'))
  expect(uriIn(headerOf(first, 'contact'))).toBe(`sip:alice@127.0.0.1:${stack.ports().udp}`)
  expect(uriIn(headerOf(first, 'to'))).toBe('sip:alice@carrier.test')
})

test('a registration that is refused is tried again after longer and longer pauses; the trunk is down until it succeeds', async () => {
  const world = await sipWorld({ trunk: account })
  const { peer, advance, trunkState } = world
  const refuse = async () => {
    peer.send(answerTo(await peer.next('REGISTER'), '503 Service Unavailable', { tag: 'reg' }))
    await read(world)
  }

  await refuse()
  expect(await trunkState()).toBe(false)
  advance(3_900)
  expect(peer.left()).toEqual([])
  advance(2_100)
  await refuse()
  advance(7_900)
  expect(peer.left()).toEqual([])
  advance(4_100)
  peer.send(registered(await peer.next('REGISTER'), 300))

  expect(await trunkState()).toBe(true)
})

test('after a 423 the registration is repeated at once with the minimum of the registrar', async () => {
  const { peer } = await sipWorld({ trunk: account })
  peer.send(
    answerTo(await peer.next('REGISTER'), '423 Interval Too Brief', { tag: 'reg', headers: ['Min-Expires: 900'] }),
  )

  const again = await peer.next('REGISTER')

  expect(headerOf(again, 'expires')).toBe('900')
})

test('behind a router the trunk registers the address that the carrier sees', async () => {
  const { peer } = await sipWorld({ trunk: { ...account, behindNat: true } })
  const seen = registered(await peer.next('REGISTER'), 300).replace(/;rport(?!=)/, ';rport=31000;received=198.51.100.7')
  peer.send(seen)

  const again = await peer.next('REGISTER')

  expect(uriIn(headerOf(again, 'contact'))).toBe('sip:alice@198.51.100.7:31000')
})

test('a removed trunk is unregistered', async () => {
  const { peer, stack, trunkState } = await sipWorld({ trunk: account })
  peer.send(registered(await peer.next('REGISTER'), 300))
  await trunkState()

  stack.setTrunks([])

  expect(headerOf(await peer.next('REGISTER'), 'expires')).toBe('0')
})

test('setting the same trunks again changes nothing', async () => {
  const { peer, stack, trunk, trunkState } = await sipWorld({ trunk: account })
  peer.send(registered(await peer.next('REGISTER'), 300))
  await trunkState()

  stack.setTrunks([{ ...trunk }])

  expect(stack.isUp('trunk')).toBe(true)
  expect(peer.left()).toEqual([])
})

test('a trunk is checked with OPTIONS: down without a response or with 503, and up again', async () => {
  const world = await sipWorld({ trunk: { optionsSeconds: 60 } })
  const { peer, advance, trunkState } = world
  peer.send(answerTo(await peer.next('OPTIONS'), '404 Not Found', { tag: 'o' }))
  expect(await trunkState()).toBe(true)
  await read(world)

  advance(60_000)
  peer.send(answerTo(await peer.next('OPTIONS'), '503 Service Unavailable', { tag: 'o' }))
  expect(await trunkState()).toBe(false)
  await read(world)
  advance(60_000)
  peer.send(answerTo(await peer.next('OPTIONS'), '200 OK', { tag: 'o' }))
  expect(await trunkState()).toBe(true)
  await read(world)
  advance(60_000)
  await peer.next('OPTIONS')
  advance(32_000)

  expect(await trunkState()).toBe(false)
})

test('a call to a registered account takes its number from To', async () => {
  const { peer, incoming, stack } = await sipWorld({ trunk: { ...account, register: false } })
  peer.send(`INVITE sip:alice@127.0.0.1:${stack.ports().udp} SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKaccount
From: "Bob ${'b'.repeat(300)}" <sip:+33155501234@carrier.test>;tag=1
To: <sip:0155509876@carrier.test>
Call-ID: account
CSeq: 1 INVITE
Contact: <sip:bob@127.0.0.1:${peer.port}>
Content-Length: 0

`)

  const { call } = await incoming()

  expect(call).toMatchObject({ to: '+33155509876', from: '+33155501234' })
  expect(call.displayName).toHaveLength(128)
})

test('a trunk registers over TLS, and a call of the carrier arrives on that connection', async () => {
  const world = await sipWorld({ transport: 'tls', trunk: account })
  const { peer, trunkState } = world
  const first = await peer.next('REGISTER')
  const headers = ['WWW-Authenticate: Digest realm="carrier.test", nonce="n1", qop="auth", algorithm=SHA-256']
  peer.send(answerTo(first, '401 Unauthorized', { tag: 'reg', headers }))
  const second = await peer.next('REGISTER')
  peer.send(registered(second, 120))
  expect(await trunkState()).toBe(true)

  const far = caller({ transport: 'TLS', port: peer.port, from: '+14155550199', to: '+14155550150', host: '127.0.0.1' })
  peer.send(far.invite({ body: ours }))

  expect(headerOf(first, 'via')).toMatch(/^SIP\/2\.0\/TLS /)
  expect(headerOf(first, 'contact')).toContain(';transport=tls')
  expect(headerOf(second, 'authorization')).toContain('username="alice"')
  const { call } = await world.incoming()
  expect(call).toMatchObject({ trunkId: 'trunk', to: '+14155550150' })
})

test('a trunk does not register with a host whose certificate is not trusted', async () => {
  const [own, theirs] = [await makeCertificate(), await makeCertificate()]
  const world = await sipWorld({
    transport: 'tls',
    trunk: account,
    stack: { tls: { ...own, caFile: theirs.certFile } },
  })

  expect(await world.trunkState()).toBe(false)
  expect(world.peer.left()).toEqual([])
})
