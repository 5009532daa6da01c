import { expect, test } from 'vitest'
import { trunkForCall } from '../../src/engine/trunk-selection.ts'
import { type TestCompany, testApp } from '../kit/app.ts'
import { answerTo, caller, fresh, type SipPeer, udpPeer } from '../kit/sip-peer.ts'
import { openVoiceOffice, portsOfItsOwn } from '../kit/voice.ts'

// What the settings of a trunk become on the line: rules that also hold for rows stored before the rule existed.

const digits = '+14155550160'

const numberOf = (company: TestCompany) => company.own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })

async function trunkOf(company: TestCompany, settings: object): Promise<number> {
  const body = { name: 'Carrier', host: '203.0.113.9', prefixes: [], ...settings }
  const { json, status, text } = await company.own('POST', '/v1/trunks', body)
  expect(status, text).toBe(201)
  return json.trunk.id
}

const isThere = async (peer: SipPeer) =>
  peer.send(answerTo(await peer.next('OPTIONS'), '200 OK', { tag: fresh('tag') }))

test('an address range that is too wide for a company accepts no calls, not even to a number of that company', async () => {
  const office = await openVoiceOffice(testApp)
  const { app } = office
  await numberOf(app.b)
  const id = await trunkOf(app.b, { addresses: ['203.0.113.0/24'] })
  const wide = { addresses: JSON.stringify(['127.0.0.0/8']) }
  await app.db.updateTable('trunk').set(wide).where('id', '=', id).execute()
  const newest = await udpPeer(() => office.sipPort, '127.0.0.3')
  await trunkOf(app.b, { host: '127.0.0.3', port: newest.port })
  // The trunk added last has been contacted: all trunks were loaded after the row was changed.
  await isThere(newest)

  const stranger = await udpPeer(() => office.sipPort, '127.0.0.9')
  stranger.send(caller({ transport: 'UDP', port: stranger.port, from: '+14155550171', to: digits }).invite())
  newest.send(caller({ transport: 'UDP', port: newest.port, from: '+14155550172', to: digits }).invite())
  // 100 Trying, and the response that the flow of the number leads to.
  await newest.next('SIP/2.0 100')
  await newest.next('SIP/2.0')

  expect(stranger.left()).toEqual([])
  expect((await app.b.api('GET', '/v1/calls')).json.calls).toHaveLength(1)
})

test('with TENANCY=multi nothing is sent to a private host of a company’s trunk; the operator’s trunks may have one', async () => {
  const env = { ...(await portsOfItsOwn()), TENANCY: 'multi', HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '0' }
  const app = await testApp({ env, voice: true, running: true })
  const sipPort = Number(env.SIP_PORT)
  const [ofCompany, ofOperator] = [await udpPeer(() => sipPort, '127.0.0.3'), await udpPeer(() => sipPort, '127.0.0.4')]
  const id = await trunkOf(app.a, { host: 'sip.example.com', port: ofCompany.port, enabled: false })
  await app.db.updateTable('trunk').set({ host: '127.0.0.3', enabled: 1 }).where('id', '=', id).execute()
  const add = app.app.commands['trunks.add']

  await add?.({ name: 'Shared', host: '127.0.0.4', port: String(ofOperator.port) })
  await isThere(ofOperator)

  expect(ofCompany.left()).toEqual([])
})

test('of two trunks that fit a call, the older one is selected', async () => {
  const app = await testApp()
  await numberOf(app.b)
  const [older, newer] = [await trunkOf(app.b, {}), await trunkOf(app.b, {})]
  const foreign = await trunkOf(app.a, {})

  const candidates = [foreign, newer, older].map((id) => ({ trunkId: String(id), to: digits }))

  expect(await trunkForCall(app.db, candidates)).toBe(String(older))
  expect(await trunkForCall(app.db, candidates.slice(0, 1))).toBeUndefined()
})
