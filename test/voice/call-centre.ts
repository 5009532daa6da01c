import { expect } from 'vitest'
import type { Random } from '../../src/lib/random.ts'
import type { OpenApp, TestApp } from '../kit/app.ts'
import type { BrowserPeer } from '../kit/browser-peer.ts'
import type { CarrierCall } from '../kit/carrier.ts'
import { addNumber, addUser, box, drawing } from '../kit/flows.ts'
import type { RtpPeer } from '../kit/rtp-peer.ts'
import { noFlaws } from '../kit/stream-continuity.ts'
import { answerWith, type BusyOffice, openBusyOffice, ringing, soundOf } from '../kit/voice.ts'
import { openPhone, type PhoneServer } from '../live/phone-app.ts'

// Callers and agents on real lines, who talk while server processes come and go. Every party counts the RTP packets it
// receives by sequence number, and gets RTCP reports about those it sends.

export interface CallCentre {
  office: BusyOffice
  talks: readonly Talk[]
  /** Callers who are not in conversation, in the order in which they called. */
  visitors: CarrierCall[]
  /** Two inbound calls and an outbound one are answered. */
  talk(servers: readonly PhoneServer[]): Promise<void>
  /** A caller calls, or leaves. */
  visit(random: Random): Promise<void>
  /** Everyone hangs up; resolves when all calls have ended. */
  hangUp(server: PhoneServer): Promise<void>
}

export interface Talk {
  userId: number
  caller: RtpPeer
  agent: BrowserPeer
  hangUp(server: PhoneServer): Promise<void>
}

const boxDigits = '+14155550151'
const deskDigits = '+14155550152'

/** Its app is stopped: the test starts servers on its data. */
export async function openCallCentre(open: OpenApp): Promise<CallCentre> {
  const office = await openBusyOffice(open, { takesReports: true })
  const { app, carrier, line } = office
  const { a } = app
  const ada = await addAgent(app, 'Ada', '+14155550161')
  const bea = await addAgent(app, 'Bea', '+14155550162')
  const cara = await addAgent(app, 'Cara', '+14155550163')
  // No phone app of theirs is connected: calls ring until the caller leaves.
  await addAgent(app, 'Desk', deskDigits)
  await addNumber(a, { digits: boxDigits, validated: true }, drawing({ box: box() }))
  await a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: true })
  await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [cara.userId] })
  await app.settle()
  await app.stop()
  const talks: Talk[] = []
  const visitors: CarrierCall[] = []

  async function answerCall(server: PhoneServer, { userId, digits }: Agent): Promise<void> {
    const phone = await openPhone(server, { userId })
    const agent = await soundOf('agent')
    const call = await carrier.call(digits)
    await answerWith(phone, agent)
    await call.answered
    talks.push({ userId, caller: call.sound, agent, hangUp: async () => call.hangUp() })
  }

  async function placeCall(server: PhoneServer, { userId }: Agent): Promise<void> {
    const phone = await openPhone(server, { userId })
    const agent = await soundOf('agent')
    const dial = { type: 'dial', to: '+14155550123', number_id: line.id, sdp_offer: agent.offer }
    expect(await phone.ask(dial)).toMatchObject({ ok: true })
    await agent.accept((await phone.first('sdp_answer')).sdp_answer)
    await expect.poll(() => carrier.calleeSounds.length).toBe(1)
    const hangUp = (at: PhoneServer) => command(at, userId, 'hang_up')
    talks.push({ userId, caller: carrier.calleeSounds[0] ?? expect.fail(), agent, hangUp })
  }

  return {
    office,
    talks,
    visitors,
    async talk(servers) {
      const [one, other = one] = servers
      if (!one || !other) throw new Error('a server runs')
      await answerCall(one, ada)
      await answerCall(other, bea)
      await placeCall(other, cara)
      await hearEachOther(talks)
    },
    async visit(random) {
      const [first] = visitors.filter(({ hasEnded }) => !hasEnded())
      if (first && random.next() < 0.4) first.hangUp()
      else visitors.push(await carrier.call(random.pick([boxDigits, deskDigits])))
    },
    async hangUp(server) {
      for (const visitor of visitors) visitor.hangUp()
      for (const talk of talks) await talk.hangUp(server)
      await expect
        .poll(async () => (await callsOf(server)).filter(({ status }) => status !== 'done'), { interval: 250 })
        .toEqual([])
    },
  }
}

interface Agent {
  userId: number
  digits: string
}

/** With a number of their own, whose calls are recorded. */
async function addAgent({ a, db }: TestApp, name: string, digits: string): Promise<Agent> {
  const { id: userId } = await addUser(a, name)
  await db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', userId).execute()
  const number = await addNumber(a, { digits, validated: true }, { start: 'ring', nodes: ringing(userId) })
  await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [userId] })
  await a.api('PUT', `/v1/numbers/${number.id}`, { live_recording_activated: true })
  return { userId, digits }
}

/** A command in the phone app of the user, which connects to that server. */
export async function command(server: PhoneServer, userId: number, type: string): Promise<void> {
  const phone = await openPhone(server, { userId })
  expect(await phone.ask({ type })).toMatchObject({ ok: true })
  await phone.close()
}

/** Both parties of every call hear the other one, and nothing else. */
export async function hearEachOther(talks: readonly Talk[]): Promise<void> {
  const heard = talks.flatMap(({ agent, caller }) => [
    agent.received.onlyTone('caller'),
    caller.received.onlyTone('agent'),
  ])
  await Promise.all(heard)
}

/** So much audio was received in a call. */
export async function audioOf({ caller }: Talk, ms: number): Promise<void> {
  const until = caller.received.length + 8 * ms
  await expect.poll(() => caller.received.length, { interval: 10 }).toBeGreaterThanOrEqual(until)
}

// biome-ignore lint/suspicious/noExplicitAny: calls as clients see them
export async function callsOf({ a }: Pick<TestApp, 'a'>): Promise<any[]> {
  return (await a.api('GET', '/v1/calls?per_page=50&order=desc')).json.calls
}

/** Packets that the parties have received, and that the line node has, by its next report; none is missing. */
export async function countPackets(talks: readonly Talk[]): Promise<{ received: number; reported: number }> {
  const peers = talks.flatMap(({ agent, caller }) => [agent, caller])
  let [received, reported] = [0, 0]
  for (const { peer, known } of peers.map((peer) => ({ peer, known: peer.reports.length }))) {
    const { continuity, reports } = peer
    await expect.poll(() => reports.length, { interval: 100 }).toBeGreaterThan(known)
    expect(continuity.flaws).toEqual(noFlaws)
    expect(reports.filter(({ lost }) => lost !== 0)).toEqual([])
    received += continuity.packets
    reported += (reports.at(-1)?.highestSequence ?? 0) - (reports[0]?.highestSequence ?? 0)
  }
  return { received, reported }
}
