import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openSplit, type Split } from '../calls/split.ts'
import { ended } from '../chaos/server.ts'
import { type Carrier, type CarrierCall, openCarrier } from '../kit/carrier.ts'
import { box } from '../kit/flows.ts'
import { findKamailio, type Kamailio, shippedFolder, startKamailio } from '../kit/kamailio.ts'
import { killProgramsOf } from '../kit/line-node-service.ts'
import { freePort } from '../kit/postgres.ts'
import { fresh, headerOf, message, newBranch, type SipPeer, udpPeer } from '../kit/sip-peer.ts'
import { portsOfItsOwn, ringing, soundOf } from '../kit/voice.ts'

// The configuration of deploy/kamailio, with a real Kamailio between a carrier and two processes with the role `calls`.
// The carrier has an address of its own, which no trunk knows: only the proxy may deliver calls.

const kamailio = findKamailio() ?? ''
const isMissing = kamailio === '' || inject('postgres') === null
const carrierAddress = '127.0.0.3'

test.skipIf(kamailio === '')('Kamailio accepts the configuration as it is shipped', () => {
  const check = () => execFileSync(kamailio, ['-c', '-f', path.join(shippedFolder, 'kamailio.cfg')], { stdio: 'pipe' })

  expect(check).not.toThrow()
})

test.skipIf(isMissing)('behind Kamailio calls are spread over two processes, and one replaces the other', async () => {
  const edge = await openEdge()
  const { split, carrier } = edge
  const [ada, bea] = edge.agents

  const first = await talk(edge, ada)
  const second = await talk(edge, bea)
  expect(new Set([nodeOf(first.ok), nodeOf(second.ok)])).toEqual(new Set(edge.sipPorts))

  // The BYE of the caller reaches the process of its call; the other call continues.
  first.call.hangUp()
  await isDone(split, first.agent.line)
  await second.sound.received.onlyTone('caller')
  await second.call.sound.received.onlyTone('agent')
  // The BYE of the agent reaches the carrier.
  expect(await second.phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  expect(await second.call.over).toMatch(/^BYE /)
  await isDone(split, second.agent.line)

  // An outbound call takes the same way.
  const phone = await split.phone(bea.userId)
  const sound = await soundOf('agent')
  const dial = { type: 'dial', to: '+14155550123', number_id: bea.line.id, sdp_offer: sound.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await sound.accept((await phone.first('sdp_answer')).sdp_answer)
  await sound.received.onlyTone('caller')
  expect(await phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  await isDone(split, bea.line, 2)

  const [gone, left] = edge.sipPorts
  await edge.powerOff(1)
  const calls = await Promise.all([carrier.call(edge.voicemail), carrier.call(edge.voicemail)])
  const answers = await Promise.all(calls.map(({ answered }) => answered))
  expect(answers.map(nodeOf)).toEqual([left, left])
  await edge.proxy.logged(new RegExp(`127.0.0.1:${gone} is down`))
  for (const call of calls) call.hangUp()
})

test.skipIf(isMissing)('behind Kamailio a process stops while calls arrive: each one is answered', async () => {
  const edge = await openEdge()
  const { carrier, voicemail } = edge
  const stopped = edge.split.processes[1]?.running.child
  let isStopped = false
  const outcomes: string[] = []
  const callAgain = async () => {
    const call = await carrier.call(voicemail)
    outcomes.push(statusOf(await Promise.race([call.answered, call.over])))
    // Without a pause the proxy would take the carrier for a flood: at most 300 requests in two seconds.
    await expect.poll(() => call.hasEnded() || call.sound.received.length > 1_600).toBe(true)
    call.hangUp()
  }
  // A caller who is refused stops at once: calls without a pause would be taken for a flood, too.
  const isRefused = () => outcomes.some((outcome) => outcome !== '200')
  const callers = Array.from({ length: 4 }, async () => {
    do await callAgain()
    while (!isStopped && !isRefused())
    await callAgain()
  })

  stopped?.kill('SIGTERM')
  if (stopped) await ended(stopped)
  isStopped = true

  await Promise.all(callers)
  expect(new Set(outcomes)).toEqual(new Set(['200']))
})

test.skipIf(kamailio === '')('Kamailio ignores unknown sources, and connects a carrier with nodes only', async () => {
  const port = await freePort()
  const to = () => port
  const [node, carrier] = [await udpPeer(to), await udpPeer(to, carrierAddress)]
  const [stranger, elsewhere] = [await udpPeer(to, '127.0.0.4'), await udpPeer(to, '127.0.0.5')]
  const at = { address: carrierAddress, port: carrier.port }
  const proxy = await startKamailio(kamailio, { port, nodes: [node.port], carrier: at })
  const bye = (target: string, from: SipPeer, address: string) =>
    message(`BYE ${target} SIP/2.0`, [
      `Via: SIP/2.0/UDP ${address}:${from.port};branch=${newBranch()};rport`,
      `Route: <sip:127.0.0.1:${port};lr>`,
      'Max-Forwards: 70',
      `From: <sip:far@${address}>;tag=${fresh('from')}`,
      `To: <sip:near@127.0.0.1>;tag=${fresh('to')}`,
      `Call-ID: ${fresh('call')}`,
      'CSeq: 2 BYE',
    ])

  stranger.send(bye(`sip:127.0.0.1:${node.port}`, stranger, '127.0.0.4'))
  await proxy.logged(/dropped BYE from 127\.0\.0\.4/)
  carrier.send(bye(`sip:127.0.0.5:${elsewhere.port}`, carrier, carrierAddress))
  expect(await carrier.next('SIP/2.0')).toMatch(/^SIP\/2\.0 403 /)
  carrier.send(bye(`sip:127.0.0.1:${node.port}`, carrier, carrierAddress))

  const forwarded = await node.next('BYE')
  expect(headerOf(forwarded, 'from')).toContain(carrierAddress)
  expect([node, stranger, elsewhere].map((peer) => peer.left().filter((text) => !text.startsWith('OPTIONS')))).toEqual([
    [],
    [],
    [],
  ])
})

test.skipIf(kamailio === '')('Kamailio offers a call that a node refuses with 503 to the next one', async () => {
  const port = await freePort()
  const open = async (address: string) => {
    const peer = await openCarrier(() => port, { address })
    onTestFinished(() => peer.close())
    return peer
  }
  const [full, free, carrier] = [await open('127.0.0.1'), await open('127.0.0.1'), await open(carrierAddress)]
  full.callees.picksUp = 'unavailable'
  const at = { address: carrierAddress, port: carrier.port }
  await startKamailio(kamailio, { port, nodes: [full.port, free.port], carrier: at })

  const calls = [await carrier.call('+14155550150'), await carrier.call('+14155550150')]
  const answers = await Promise.all(calls.map(({ answered }) => answered))
  expect(answers.map(nodeOf)).toEqual([free.port, free.port])

  free.callees.picksUp = 'unavailable'
  const refused = await carrier.call('+14155550150')
  expect(await refused.over).toMatch(/^SIP\/2\.0 503 /)
  for (const call of calls) call.hangUp()
})

interface Agent {
  userId: number
  line: { id: number; digits: string }
}

interface Edge {
  split: Split
  carrier: Carrier
  proxy: Kamailio
  proxyPort: number
  /** Of the processes with the role `calls`. */
  sipPorts: number[]
  agents: [Agent, Agent]
  /** A number with a mailbox. */
  voicemail: string
  /** Ends the process at that position with all its programs at once. */
  powerOff(n: number): Promise<void>
}

async function openEdge(): Promise<Edge> {
  const ports = [await portsOfItsOwn(), await portsOfItsOwn()]
  const sipPorts = ports.map(({ SIP_PORT }) => Number(SIP_PORT))
  const proxyPort = await freePort()
  const carrier = await openCarrier(() => proxyPort, { address: carrierAddress })
  onTestFinished(() => carrier.close())
  const split = await openSplit(['api,worker', 'calls', 'calls'], [{}, ...ports])
  const powerOff = async (n: number) => {
    const { running, dataDir } = split.processes[n] ?? {}
    running?.child.kill('SIGKILL')
    if (running) await ended(running.child)
    if (dataDir) await killProgramsOf(dataDir)
  }
  onTestFinished(async () => {
    for (const n of split.processes.keys()) await powerOff(n)
  })
  const nodes = { port: proxyPort, nodes: sipPorts, carrier: { address: carrierAddress, port: carrier.port } }
  const proxy = await startKamailio(kamailio, nodes)
  // No SIP port is open before there is a trunk.
  for (const port of sipPorts) await proxy.logged(new RegExp(`127.0.0.1:${port} is down`))
  const own = await signIn(split)
  const line = async (digits: string, flow: object, start: string) => {
    const { number } = await own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })
    await own('PUT', `/v1/numbers/${number.id}/flow`, { start, nodes: flow })
    return { id: number.id as number, digits }
  }
  const [main] = split.demo.numbers
  const { users } = (await split.ask('GET', `/v1/numbers/${main.id}`)).json.number
  const agent = async (n: number): Promise<Agent> => {
    const userId: number = users[n].id
    await split.ask('PUT', `/v1/users/${userId}`, { availability_status: 'available' })
    return { userId, line: await line(`+1415555015${n}`, ringing(userId), 'ring') }
  }
  const agents: [Agent, Agent] = [await agent(0), await agent(1)]
  const voicemail = '+14155550159'
  await line(voicemail, { box: box() }, 'box')
  const trunk = { name: 'Proxy', host: '127.0.0.1', port: proxyPort, domain: carrierAddress, prefixes: [] }
  await own('POST', '/v1/trunks', trunk)
  for (const port of sipPorts) await proxy.logged(new RegExp(`127.0.0.1:${port} is up`))
  return { split, carrier, proxy, proxyPort, sipPorts, agents, voicemail, powerOff }
}

/** A call to the number of an agent, who answers: both receive the tone of the other. */
async function talk({ split, carrier }: Edge, agent: Agent) {
  const phone = await split.phone(agent.userId)
  const sound = await soundOf('agent')
  const call: CarrierCall = await carrier.call(agent.line.digits)
  await phone.first('ring')
  expect(await phone.ask({ type: 'answer', sdp_offer: sound.offer })).toMatchObject({ ok: true })
  await sound.accept((await phone.first('sdp_answer')).sdp_answer)
  const ok = await call.answered
  await sound.received.onlyTone('caller')
  await call.sound.received.onlyTone('agent')
  return { agent, phone, sound, call, ok }
}

const statusOf = (response: string) => /^SIP\/2\.0 (\d+)/.exec(response)?.[1] ?? response

/** The SIP port in the Contact of the 200. */
const nodeOf = (ok: string) => Number(/@127\.0\.0\.1:(\d+)/.exec(headerOf(ok, 'contact'))?.[1])

/** All calls of the number have ended, and there are so many. */
async function isDone(split: Split, line: { id: number }, count = 1): Promise<void> {
  const statuses = async () => {
    const { calls } = (await split.ask('GET', '/v1/calls?order=desc&per_page=10')).json
    return calls
      .filter(({ number }: { number: { id: number } }) => number.id === line.id)
      .map(({ status }: { status: string }) => status)
  }
  await expect.poll(statuses).toEqual(Array(count).fill('done'))
}

/** Requests of the owner, who may change numbers and trunks. */
async function signIn({ demo, bases }: Split) {
  const origin = bases[0] ?? ''
  const { email, password } = demo.users.find(({ role }: { role: string }) => role === 'owner')
  const send = (method: string, target: string, body: object, headers: Record<string, string>) =>
    fetch(`${origin}/app${target}`, {
      method,
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    })
  const signedIn = await send('POST', '/v1/session', { email, password }, {})
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const { csrf_token } = JSON.parse(await signedIn.text())
  return async (method: string, target: string, body: object) => {
    const response = await send(method, target, body, { cookie, 'x-csrf-token': csrf_token })
    const text = await response.text()
    expect(response.status, text).toBeLessThan(300)
    return JSON.parse(text)
  }
}
