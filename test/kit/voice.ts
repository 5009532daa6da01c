import { expect, onTestFinished } from 'vitest'
import { openPhone, type PhoneApp } from '../live/phone-app.ts'
import type { OpenApp, TestApp } from './app.ts'
import { type BrowserPeer, browserPeer } from './browser-peer.ts'
import { type Carrier, type CarrierWays, describe, openCarrier, portIn } from './carrier.ts'
import { freePort } from './postgres.ts'
import { type RtpPeer, rtpPeer } from './rtp-peer.ts'
import { answerTo, caller, fresh, type SipPeer, udpPeer } from './sip-peer.ts'
import type { Voice } from './tones.ts'

// An office with a SIP trunk: a carrier with SIP and RTP on loopback, and phone apps with audio.

export interface VoiceOffice {
  app: TestApp
  carrier: SipPeer
  sipPort: number
  trunkId: number
  line: { id: number; digits: string }
  /** Configuration of the app. */
  env: Record<string, string>
  person(name: string): Promise<number>
  /** A phone app with audio. */
  phone(userId: number): Promise<PhoneApp>
  flow(nodes: object, start: string): Promise<void>
  /** An inbound call over the trunk that sends a tone. */
  call(voice?: Voice): Promise<FarCall>
  /** The carrier answers an outbound call and sends a tone. */
  picksUp(voice?: Voice): Promise<FarCall>
}

/** A call as seen by its far end. */
export interface FarCall {
  sound: RtpPeer
  /** Resolves when we have answered. `beforeSound` gets our RTP port, to which it then sends its tone. */
  answered(beforeSound?: (port: number) => Promise<void>): Promise<void>
  hangUp(): void
  /** Resolves when we have hung up. */
  over(): Promise<void>
  to: string
}

export const lineDigits = '+14155550150'

/** The same with an automatic carrier, for many concurrent calls. */
export interface BusyOffice extends Pick<VoiceOffice, 'app' | 'line' | 'env' | 'person' | 'phone' | 'flow'> {
  carrier: Carrier
}

export async function openBusyOffice(
  open: OpenApp,
  ways?: CarrierWays,
  more: Record<string, string> = {},
): Promise<BusyOffice> {
  const env = { ...(await portsOfItsOwn()), ...more }
  const carrier = await openCarrier(() => Number(env.SIP_PORT), ways)
  onTestFinished(() => carrier.close())
  const office = await openOffice(open, env, carrier.port)
  await trunkIsUp(office.app)
  return { ...office, carrier, env }
}

/** The carrier has answered our OPTIONS. */
export async function trunkIsUp({ db }: TestApp): Promise<void> {
  await expect.poll(async () => (await db.selectFrom('trunk').select('up').executeTakeFirst())?.up).toBe(1)
}

export async function openVoiceOffice(
  open: OpenApp,
  more: Record<string, string> = {},
  trunk: Record<string, unknown> = {},
): Promise<VoiceOffice> {
  const env = { ...(await portsOfItsOwn()), ...more }
  const sipPort = Number(env.SIP_PORT)
  const address = trunk.host === '::1' ? '::1' : '127.0.0.1'
  const host = address === '::1' ? '[::1]' : address
  const carrier = await udpPeer(() => sipPort, address, { ignoresRepetitions: true })
  const office = await openOffice(open, env, carrier.port, trunk)
  // It sends OPTIONS as soon as it knows our address.
  carrier.send(answerTo(await carrier.next('OPTIONS'), '200 OK', { tag: fresh('tag') }))

  async function speaker(voice: Voice): Promise<RtpPeer> {
    const sound = await rtpPeer(voice, { address })
    onTestFinished(() => sound.close())
    return sound
  }

  return {
    ...office,
    env,
    carrier,
    sipPort,
    async call(voice = 'caller') {
      const sound = await speaker(voice)
      const far = caller({ transport: 'UDP', port: carrier.port, from: '+14155550199', to: lineDigits, host })
      carrier.send(far.invite({ body: describe(sound.port, address) }))
      return {
        sound,
        to: lineDigits,
        async answered(beforeSound = async () => {}) {
          const ok = await carrier.next('SIP/2.0 200')
          far.learnTarget(ok)
          carrier.send(far.request('ACK'))
          await beforeSound(portIn(ok))
          sound.sendTone(portIn(ok))
        },
        hangUp: () => carrier.send(far.request('BYE')),
        async over() {
          carrier.send(answerTo(await carrier.next('BYE'), '200 OK'))
        },
      }
    },
    async picksUp(voice = 'caller') {
      const sound = await speaker(voice)
      const invite = await carrier.next('INVITE')
      const tag = fresh('tag')
      carrier.send(answerTo(invite, '180 Ringing', { tag, headers: [contact(host, carrier.port)] }))
      const body = describe(sound.port, address)
      carrier.send(answerTo(invite, '200 OK', { tag, headers: [contact(host, carrier.port)], body }))
      await carrier.next('ACK')
      sound.sendTone(portIn(invite))
      return {
        sound,
        to: /sip:([^@]+)@/.exec(invite.split('\r\n', 1)[0] ?? '')?.[1] ?? '',
        async answered() {},
        hangUp() {
          throw new Error('only the caller of this call hangs up')
        },
        async over() {
          carrier.send(answerTo(await carrier.next('BYE'), '200 OK'))
        },
      }
    },
  }
}

/** The same with a trunk to that address; the server is reachable at the given one. */
export async function openOfficeTowards(
  open: OpenApp,
  at: { bind: string; host: string; port: number },
  trunk: Record<string, unknown> = {},
  more: Record<string, string> = {},
) {
  const env = { ...(await portsOfItsOwn()), SIP_BIND: at.bind, ...more }
  return { ...(await openOffice(open, env, at.port, { host: at.host, ...trunk })), sipPort: Number(env.SIP_PORT) }
}

export async function portsOfItsOwn() {
  const [sipPort, rtpPort, browserPort] = [await freePort(), await freePort(), await freePort()]
  return {
    SIP_PORT: String(sipPort),
    SIP_BIND: '127.0.0.1',
    RTP_PORTS: `${rtpPort}-${rtpPort + 99}`,
    RTP_BROWSER_PORT: String(browserPort),
    CALL_ENDED_DELAY_SECONDS: '0',
  }
}

async function openOffice(open: OpenApp, env: Record<string, string>, carrierPort: number, settings: object = {}) {
  const app = await open({ running: true, voice: true, env })
  const { a } = app
  const number = await a.own('POST', '/v1/numbers', { digits: lineDigits, name: 'Line', validated: true })
  expect(number.status, number.text).toBe(201)
  const line: VoiceOffice['line'] = { id: number.json.number.id, digits: lineDigits }
  const input = { name: 'Carrier', host: '127.0.0.1', port: carrierPort, prefixes: [], ...settings }
  const trunk = await a.own('POST', '/v1/trunks', input)
  expect(trunk.status, trunk.text).toBe(201)
  await app.settle()
  const trunkId: number = trunk.json.trunk.id
  return {
    app,
    trunkId,
    line,
    async person(name: string): Promise<number> {
      const body = { email: `${name}@example.test`, first_name: name, last_name: 'Agent' }
      const made = await a.api('POST', '/v2/users', body)
      expect(made.status, made.text).toBe(201)
      await app.db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', made.json.user.id).execute()
      await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [made.json.user.id] })
      return made.json.user.id
    },
    phone: (userId: number) => openPhone(app, { userId }),
    async flow(nodes: object, start: string): Promise<void> {
      const { status, text } = await a.own('PUT', `/v1/numbers/${line.id}/flow`, { start, nodes })
      expect(status, text).toBe(200)
    },
  }
}

/** A user who has answered a call over the trunk: both send their tones. */
export async function agentOnCall(office: VoiceOffice) {
  const userId = await office.person('ada')
  await office.flow(ringing(userId), 'ring')
  const phone = await office.phone(userId)
  const agent = await soundOf('agent')
  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered()
  return { userId, phone, agent, call }
}

/** The far end sends no audio until it speaks. Returns our RTP port. */
export async function answeredInSilence(call: FarCall): Promise<number> {
  let to = 0
  await call.answered(async (port) => {
    to = port
  })
  call.sound.stopSending()
  return to
}

/** The far end speaks for a second: it sends its tone. */
export async function saysTone({ sound }: FarCall, port: number): Promise<void> {
  sound.sendTone(port)
  const until = sound.received.length + 8_000
  await expect.poll(() => sound.received.length).toBeGreaterThan(until)
  sound.stopSending()
}

/** A flow that rings these users and then hangs up. */
export const ringing = (...users: number[]) => ({
  ring: {
    type: 'ring_to',
    targets: users.map((id) => ({ type: 'user', id })),
    strategy: 'simultaneous',
    max_wait_seconds: 60,
    branches: { no_answer: 'end' },
  },
  end: { type: 'hang_up', media: null },
})

const contact = (host: string, port: number) => `Contact: <sip:carrier@${host}:${port}>`

/** Audio of a phone app: it offers, and sends its tone once answered. */
export async function soundOf(voice: Voice, ways?: Parameters<typeof browserPeer>[1]): Promise<BrowserPeer> {
  const peer = await browserPeer(voice, ways)
  onTestFinished(() => peer.close())
  return peer
}

/** Answers the ringing call, with audio. */
export async function answerWith(phone: PhoneApp, sound: BrowserPeer): Promise<void> {
  await phone.first('ring')
  expect(await phone.ask({ type: 'answer', sdp_offer: sound.offer })).toMatchObject({ ok: true })
  const { sdp_answer } = await phone.first('sdp_answer')
  await sound.accept(sdp_answer)
}

/** An agent calls a customer, who answers. */
export async function dialOut(office: Pick<BusyOffice, 'person' | 'phone' | 'line'>, name: string, address?: string) {
  const userId = await office.person(name)
  const phone = await office.phone(userId)
  const agent = await soundOf('agent', address === undefined ? {} : { address })
  const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  await agent.received.onlyTone('caller')
  return { userId, phone, agent }
}
