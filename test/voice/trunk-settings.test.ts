import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { onBothDatabases, testApp } from '../kit/app.ts'
import { describe as audioAt } from '../kit/carrier.ts'
import { answerTo, type Caller, caller, fresh, headerOf, headersOf } from '../kit/sip-peer.ts'
import { lineDigits, openVoiceOffice, ringing } from '../kit/voice.ts'

// Settings of a trunk, from the API route of the dashboard to what the carrier sees.

const account = { inbound_username: 'carrier', inbound_password: 'correct horse' }

/** The Authorization header for a challenge, computed from RFC 7616 alone. */
function authorization(
  challenge: string,
  { uri, nc, password }: { uri: string; nc: string; password: string },
): string {
  const field = (name: string) => new RegExp(`${name}="?([^",]+)"?`).exec(challenge)?.[1] ?? ''
  const [realm, nonce, algorithm] = [field('realm'), field('nonce'), field('algorithm')]
  const hash = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex')
  const account = hash(`carrier:${realm}:${password}`)
  const response = hash(`${account}:${nonce}:${nc}:c0ffee:auth:${hash(`INVITE:${uri}`)}`)
  const fields = `username="carrier", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`
  return `Authorization: Digest ${fields}, algorithm=${algorithm}, qop=auth, nc=${nc}, cnonce="c0ffee"`
}

async function officeWith(settings: object) {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const changed = await office.app.a.own('PUT', `/v1/trunks/${office.trunkId}`, settings)
  expect(changed.status, changed.text).toBe(200)
  await office.app.settle()
  const invitation = () => caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })
  /** The challenges of the 401 response. */
  async function refused(far: Caller, headers: string[] = []): Promise<string[]> {
    office.carrier.send(far.invite({ body: audioAt(40_000), headers }))
    const refusal = await office.carrier.next('SIP/2.0 401')
    office.carrier.send(far.ofInvite('ACK'))
    expect(headerOf(refusal, 'call-id')).toBe(far.callId)
    return headersOf(refusal, 'www-authenticate')
  }
  return { office, phone, invitation, refused, trunk: changed.json.trunk }
}

const uri = `sip:${lineDigits}@127.0.0.1`
const algorithmsIn = (challenges: string[]) => challenges.map((one) => /algorithm=([^,]+)/.exec(one)?.[1])

test('a trunk with credentials for inbound calls offers SHA-256 and then MD5, and either rings the agent', async () => {
  const { office, phone, invitation, refused, trunk } = await officeWith(account)
  const [first, second] = [invitation(), invitation()]

  const challenges = await refused(first)
  const [strong = '', weak = ''] = challenges
  await refused(first, [authorization(strong, { uri, nc: '00000001', password: 'guess' })])
  const rings = () => phone.received.filter(({ type }) => type === 'ring')
  for (const [far, challenge, count] of [
    [first, strong, 1],
    [second, weak, 2],
  ] as const) {
    const headers = [authorization(challenge, { uri, nc: '00000001', password: account.inbound_password })]
    office.carrier.send(far.invite({ body: audioAt(40_000), headers }))
    await office.carrier.next('SIP/2.0 180')
    await expect.poll(rings).toHaveLength(count)
    office.carrier.send(far.ofInvite('CANCEL'))
    await office.carrier.next('SIP/2.0 487')
    office.carrier.send(far.ofInvite('ACK'))
  }

  expect(algorithmsIn(challenges)).toEqual(['SHA-256', 'MD5'])
  expect(trunk).toMatchObject({ inbound_username: 'carrier', has_inbound_password: true, inbound_digest: 'any' })
  expect(rings()).toHaveLength(2)
  await expect.poll(office.app.logged).toContain('sip.inbound_auth_failed')
})

test('a trunk set to MD5 offers nothing else, and credentials that were used once are stale', async () => {
  const { office, invitation, refused } = await officeWith({ ...account, inbound_digest: 'md5' })
  const [first, second] = [invitation(), invitation()]

  const challenges = await refused(first)
  const used = [authorization(challenges[0] ?? '', { uri, nc: '00000001', password: account.inbound_password })]
  office.carrier.send(first.invite({ body: audioAt(40_000), headers: used }))
  await office.carrier.next('SIP/2.0 180')
  const replayed = await refused(second, used)

  expect(algorithmsIn(challenges)).toEqual(['MD5'])
  expect(replayed).toEqual([expect.stringContaining('stale=true')])
})

test('a trunk set to SHA-256 refuses MD5, and without credentials the source address suffices again', async () => {
  const { office, invitation, refused } = await officeWith({ ...account, inbound_digest: 'sha256' })
  const [strong = '', ...others] = await refused(invitation())
  const weakened = strong.replace('SHA-256', 'MD5')
  await refused(invitation(), [authorization(weakened, { uri, nc: '00000001', password: account.inbound_password })])

  const none = { inbound_username: null, inbound_password: null }
  const changed = await office.app.a.own('PUT', `/v1/trunks/${office.trunkId}`, none)
  await office.app.settle()
  office.carrier.send(invitation().invite({ body: audioAt(40_000) }))
  await office.carrier.next('SIP/2.0 180')

  expect(others).toEqual([])
  expect(changed.json.trunk).toMatchObject({ inbound_username: null, has_inbound_password: false })
})

test('a username for inbound calls without its password is refused, and so is an unknown algorithm', async () => {
  const { a } = await testApp()
  const trunk = (more: object) => a.own('POST', '/v1/trunks', { name: 'Carrier', host: 'sip.carrier.example', ...more })

  expect((await trunk({ inbound_username: 'carrier' })).status).toBe(422)
  expect((await trunk({ ...account, inbound_digest: 'sha1' })).status).toBe(400)
  expect((await trunk({ ...account, inbound_username: 'a"b' })).status).toBe(400)
})

test('where the operator serves several companies, the trunk of a company cannot use a private network', async () => {
  const env = { TENANCY: 'multi', WEBHOOK_ALLOW_CIDRS: '10.20.0.0/16' }
  const { a } = await testApp({ env })
  const add = (host: string) => a.own('POST', '/v1/trunks', { name: 'Carrier', host })
  const created = await add('sip.carrier.com')

  const refused = await Promise.all(['10.1.2.3', '192.168.0.10', '169.254.169.254', 'pbx.internal'].map(add))
  const moved = await a.own('PUT', `/v1/trunks/${created.json.trunk?.id}`, { host: '192.168.0.10' })
  const allowed = await add('10.20.30.40')

  expect(created.status, created.text).toBe(201)
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  expect(refused[0]?.text).toContain('must be a public host')
  expect([moved.status, allowed.status]).toEqual([400, 201])
  expect((await a.own('GET', '/v1/trunks')).json.trunks.map(({ host }: { host: string }) => host)).toEqual([
    'sip.carrier.com',
    '10.20.30.40',
  ])
})

test('a company that runs the installation itself may have a trunk on its own network', async () => {
  const { a } = await testApp()

  expect((await a.own('POST', '/v1/trunks', { name: 'PBX', host: '192.168.0.10' })).status).toBe(201)
})

onBothDatabases('the trunk test', (open) => {
  test('requested from a process without calls is made by the one that has them', async ({ skip }) => {
    const office = await openVoiceOffice(open)
    if (!office.app.app.database.shared) skip('one process has every role')
    const other = await office.app.beside({ ROLES: 'api' })

    const tested = other.a.own('POST', `/v1/trunks/${office.trunkId}/test_call`, {
      number_id: office.line.id,
      to: '+14155550123',
    })
    const invite = await office.carrier.next('INVITE')
    office.carrier.send(answerTo(invite, '486 Busy Here', { tag: fresh('tag') }))

    expect((await tested).json).toMatchObject({ outcome: 'busy', code: 486, response: '486 Busy Here' })
  })
})

test('the codecs of a trunk are offered in their order, and duplicates or unknown ones are refused', async () => {
  const { office, trunk } = await officeWith({ codecs: ['g722', 'pcma'] })
  const change = (codecs: unknown) => office.app.a.own('PUT', `/v1/trunks/${office.trunkId}`, { codecs })
  const call = office.app.a.own('POST', `/v1/trunks/${office.trunkId}/test_call`, {
    number_id: office.line.id,
    to: '+14155550123',
  })
  const invite = await office.carrier.next('INVITE')
  office.carrier.send(answerTo(invite, '486 Busy Here', { tag: fresh('tag') }))

  expect(trunk.codecs).toEqual(['g722', 'pcma'])
  expect(invite).toMatch(/m=audio \d+ RTP\/AVP 9 8 101\r\n/)
  expect((await call).json.outcome).toBe('busy')
  for (const codecs of [[], ['g729'], ['pcmu', 'pcmu']]) expect((await change(codecs)).status).toBe(400)
})

onBothDatabases('the codecs of a trunk', (open) => {
  test('are G.711 first and G.722 last unless they are set', async () => {
    const { a } = await open()
    const input = { name: 'Carrier', host: 'sip.carrier.example', prefixes: [] }
    const { trunk } = (await a.own('POST', '/v1/trunks', input)).json
    const changed = await a.own('PUT', `/v1/trunks/${trunk.id}`, { codecs: ['opus', 'g722', 'pcmu', 'pcma'] })

    expect(trunk.codecs).toEqual(['pcmu', 'pcma', 'g722'])
    expect(changed.json.trunk.codecs).toEqual(['opus', 'g722', 'pcmu', 'pcma'])
  })
})
