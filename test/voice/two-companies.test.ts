import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany, testApp } from '../kit/app.ts'
import { answerTo, caller, fresh, type SipPeer, udpPeer } from '../kit/sip-peer.ts'
import { lineDigits, openVoiceOffice } from '../kit/voice.ts'

// Two companies whose carriers share addresses: calls belong to the company that owns the called number.

const digitsOfB = '+14155550160'

async function numberOf(company: TestCompany, digits: string): Promise<number> {
  const { json, status, text } = await company.own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })
  expect(status, text).toBe(201)
  return json.number.id
}

const trunkOf = async (company: TestCompany, settings: object) =>
  (await company.own('POST', '/v1/trunks', { name: 'Carrier', host: '127.0.0.1', prefixes: [], ...settings })).json
    .trunk

const callsOf = async (company: TestCompany) =>
  (await company.api('GET', '/v1/calls')).json.calls.map((call: { raw_digits: string }) => call.raw_digits)

async function calls(peer: SipPeer, to: string, from: string): Promise<string> {
  const far = caller({ transport: 'UDP', port: peer.port, from, to })
  peer.send(far.invite())
  for (;;) {
    const answer = await peer.next('SIP/2.0')
    const status = Number(answer.split(' ')[1])
    if (status < 180) continue
    if (status === 200) peer.send(far.request('ACK'))
    else if (status >= 300) peer.send(far.ofInvite('ACK'))
    return answer.split('\r\n', 1)[0] ?? ''
  }
}

/** Answers the OPTIONS of every new trunk, so that each knows its far end. */
async function known(peer: SipPeer) {
  peer.send(answerTo(await peer.next('OPTIONS'), '200 OK', { tag: fresh('tag') }))
}

onAnyDatabase('companies with the same carrier', (app) => {
  test('each get the calls to their own numbers', async () => {
    const office = await openVoiceOffice(app)
    const { a, b } = office.app
    await numberOf(b, digitsOfB)
    await trunkOf(b, { port: office.carrier.port })
    await known(office.carrier)

    await calls(office.carrier, digitsOfB, '+14155550171')
    await calls(office.carrier, lineDigits, '+14155550172')
    const unassigned = await calls(office.carrier, '+14155550999', '+14155550173')

    expect(unassigned).toBe('SIP/2.0 404 Not Found')
    expect(await callsOf(a)).toEqual(['+1 415-555-0172'])
    expect(await callsOf(b)).toEqual(['+1 415-555-0171'])
  })
  test('a trunk delivers no calls to a number of another company', async () => {
    const office = await openVoiceOffice(app)
    const { a, b } = office.app
    const peer = await udpPeer(() => office.sipPort, '127.0.0.2', { ignoresRepetitions: true })
    await trunkOf(b, { host: '127.0.0.2', port: peer.port })
    await known(peer)

    const answer = await calls(peer, lineDigits, '+14155550171')

    expect(answer).toBe('SIP/2.0 404 Not Found')
    expect(await callsOf(a)).toEqual([])
    expect(await callsOf(b)).toEqual([])
  })

  test('a trunk of the operator serves the companies that it is assigned to, and they cannot change it', async () => {
    const office = await openVoiceOffice(app)
    const { a, b } = office.app
    const { commands } = office.app.app
    const numberId = await numberOf(b, digitsOfB)
    const peer = await udpPeer(() => office.sipPort, '127.0.0.2', { ignoresRepetitions: true })
    const added = await commands['trunks.add']?.({ name: 'Shared', host: '127.0.0.2', port: String(peer.port) })
    const { id } = added as { id: number }
    await known(peer)

    const before = await calls(peer, digitsOfB, '+14155550171')
    await commands['trunks.assign']?.({ id: String(id), companies: [String(b.id)] })
    await calls(peer, digitsOfB, '+14155550172')
    const other = await calls(peer, lineDigits, '+14155550173')
    const seen = (await b.own('GET', '/v1/trunks')).json
    const changed = await b.own('PUT', `/v1/trunks/${id}`, { name: 'Mine' })
    const removed = await b.own('DELETE', `/v1/trunks/${id}`)
    const foreign = await a.own('DELETE', `/v1/trunks/${id}`)
    const ask = b.own('POST', `/v1/trunks/${id}/test_call`, { number_id: numberId, to: '+14155550123' })
    peer.send(answerTo(await peer.next('INVITE'), '486 Busy Here', { tag: fresh('tag') }))
    const tested = await ask

    expect([before, other]).toEqual(['SIP/2.0 404 Not Found', 'SIP/2.0 404 Not Found'])
    expect(await callsOf(b)).toEqual(['+1 415-555-0172'])
    expect(seen.trunks).toEqual([])
    expect(seen.shared_trunks).toMatchObject([{ id, name: 'Shared' }])
    expect(JSON.stringify(seen)).not.toContain('127.0.0.2')
    expect([changed.status, removed.status, foreign.status]).toEqual([403, 403, 404])
    expect(tested.json).toMatchObject({ outcome: 'busy', code: 486 })
  })
})

test('ranges wider than /16 or /32 are reserved for the operator, and one set earlier is ignored', async () => {
  const office = await openVoiceOffice(testApp)
  const { b } = office.app
  const wide = { name: 'Wide', host: '203.0.113.9', prefixes: [] }

  const refusals = await Promise.all(
    ['0.0.0.0/1', '127.0.0.0/15', '2001:db8::/31'].map((range) =>
      b.own('POST', '/v1/trunks', { ...wide, addresses: [range] }),
    ),
  )
  const allowed = await b.own('POST', '/v1/trunks', { ...wide, addresses: ['203.0.0.0/16', '2001:db8::/32'] })
  await numberOf(b, digitsOfB)
  // As an earlier release stored it; the process reads it with the next change.
  const stored = JSON.stringify(['127.0.0.0/8', '127.0.0.8/32'])
  const { id } = allowed.json.trunk
  await office.app.db.updateTable('trunk').set({ addresses: stored }).where('id', '=', id).execute()
  await trunkOf(b, { port: office.carrier.port })
  await known(office.carrier)
  const [stranger, peer] = [
    await udpPeer(() => office.sipPort, '127.0.0.9', { ignoresRepetitions: true }),
    await udpPeer(() => office.sipPort, '127.0.0.8', { ignoresRepetitions: true }),
  ]
  stranger.send(caller({ transport: 'UDP', port: stranger.port, from: '+14155550171', to: digitsOfB }).invite())
  await calls(peer, digitsOfB, '+14155550172')

  expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(refusals[0]?.json.troubleshoot).toContain('reserved for the operator')
  expect(allowed.status).toBe(201)
  expect(stranger.left()).toEqual([])
  expect(await callsOf(b)).toEqual(['+1 415-555-0172'])
})
