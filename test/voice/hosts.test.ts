import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type OpenApp, onBothDatabases, type TestApp } from '../kit/app.ts'
import { openCarrier } from '../kit/carrier.ts'
import { isFullRun } from '../kit/depth.ts'
import { box } from '../kit/flows.ts'
import { findKamailio, startKamailio } from '../kit/kamailio.ts'
import { killProgramsOf, legsPerNode, startLineNodeService } from '../kit/line-node-service.ts'
import { networkOfHosts, noNetworkOfOurOwn } from '../kit/own-network.ts'
import { freePort } from '../kit/postgres.ts'
import { openRelay } from '../kit/relay.ts'
import { runCommand } from '../kit/server-process.ts'
import { headerOf } from '../kit/sip-peer.ts'
import { dialOut, openOfficeTowards, trunkIsUp } from '../kit/voice.ts'

// Three hosts: server, database and Kamailio on ours; a line node on each of the two others, which are network
// namespaces. The carrier reaches Kamailio only.

const secret = 'a secret that all hosts know, for tests only'
const kamailio = findKamailio() ?? ''
const missing = kamailio === '' ? 'Kamailio is not installed' : noNetworkOfOurOwn()

onBothDatabases('line nodes on two hosts behind Kamailio', (open) => {
  test.skipIf(!isFullRun)('share the calls; one is killed, one is drained, both come back', async ({ skip }) => {
    if (missing || inject('postgres') === null) skip(missing ?? 'PostgreSQL is missing')
    const site = await openSite(open, skip)
    const { office, first, second } = site
    await office.flow({ box: box() }, 'box')

    // Outbound calls are placed by load, inbound ones are spread by the proxy; there is audio in both directions.
    await expect.poll(() => legsPerNode(office.app)).toEqual([0, 0])
    const talks = [await dialOut(office, 'ada', site.here), await dialOut(office, 'bea', site.here)]
    await expect.poll(() => legsPerNode(office.app)).toEqual([2, 2])
    for (const sound of site.carrier.calleeSounds) await sound.received.onlyTone('agent')
    expect(await nodesOf(site, 2)).toEqual([first.address, second.address])

    // A host loses power: its call ends, the other one continues, and new calls reach the host that is left.
    await first.powerOff()
    await expect.poll(() => activeCalls(office.app)).toHaveLength(1)
    await expect.poll(() => legsPerNode(office.app)).toEqual([2])
    await site.reports(first.address, 'down')
    expect(await nodesOf(site, 2)).toEqual([second.address])

    first.start()
    await site.reports(first.address, 'up')
    expect(await nodesOf(site, 2)).toEqual([first.address, second.address])

    // A drained node refuses new calls and ends after its last call, so that another release can start.
    const drained = await runCommand({ app: office.app, env: site.env }, 'line-node', 'drain', second.name)
    expect(drained).toContain('after 2 active legs')
    expect(await nodesOf(site, 2)).toEqual([first.address])
    const [active] = await activeCalls(office.app)
    const talk = talks.find(({ userId }) => userId === active?.user.id)
    await talk?.agent.received.onlyTone('caller')
    const ended = once(second.process(), 'exit')
    expect(await talk?.phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
    await ended
    await site.reports(second.address, 'down')

    second.start()
    await site.reports(second.address, 'up')
    expect(await nodesOf(site, 2)).toEqual([first.address, second.address])

    // A new server process takes over the calls of both nodes.
    const kept = [await dialOut(office, 'eve', site.here), await dialOut(office, 'joe', site.here)]
    await office.app.app.drain()
    const app = await office.app.restart()
    await expect.poll(() => legsPerNode(app)).toEqual([2, 2])
    for (const { agent } of kept) await agent.received.onlyTone('caller')
    expect(await activeCalls(app)).toHaveLength(2)
  })
})

type Site = Awaited<ReturnType<typeof openSite>>

async function openSite(open: OpenApp, skip: (why: string) => void) {
  const { here, beside, hosts } = await networkOfHosts(2)
  const proxyPort = await freePort()
  const carrier = await openCarrier(() => proxyPort, { address: beside, towards: here })
  onTestFinished(() => carrier.close())
  const database = await openRelay(here)
  const shared = { LINE_NODE_SECRET: secret, LINE_NODES: '0' }
  const env: Record<string, string> = { ...shared }

  async function hostAt(n: number) {
    const { address = '', inside = [] } = hosts[n] ?? {}
    const name = `node-${n + 1}`
    const dataDir = path.join(inject('runFolder'), `${name}-${address}`)
    await mkdir(dataDir, { recursive: true })
    let process: ChildProcess | undefined
    return {
      name,
      address,
      process: () => process as ChildProcess,
      start() {
        const own = { DATA_DIR: dataDir, LINE_NODE_LISTEN: `${address}:7001`, LINE_NODE_NAME: name, SIP_BIND: address }
        process = startLineNodeService({ ...env, ...own }, inside)
      },
      async powerOff() {
        process?.kill('SIGKILL')
        await killProgramsOf(dataDir)
      },
    }
  }

  const [first, second] = [await hostAt(0), await hostAt(1)]
  const openWithNodes: OpenApp = async (options) => {
    const app = await open(options)
    if (!app.app.database.shared) skip('nodes on other hosts need PostgreSQL')
    const url = new URL(app.databaseUrl ?? '')
    database.to(app.databaseUrl ?? '')
    url.host = new URL(database.base).host
    Object.assign(env, options?.env, { DATABASE_URL: url.href })
    for (const node of [first, second]) node.start()
    return app
  }
  const at = { bind: here, host: here, port: proxyPort }
  const office = await openOfficeTowards(openWithNodes, at, { domain: beside }, shared)
  const nodes = hosts.map(({ address }) => `${address}:${office.sipPort}`)
  const proxy = await startKamailio(kamailio, {
    host: here,
    port: proxyPort,
    nodes,
    carrier: { address: beside, port: carrier.port },
  })

  /** Resolves when the latest report of the proxy about the node of that address is this one. */
  function reports(address: string, state: 'up' | 'down'): Promise<void> {
    const node = `${address}:${office.sipPort} is`
    return proxy.logged(new RegExp(`${node} ${state}(?![^]*${node})`))
  }

  await trunkIsUp(office.app)
  return { here, office, env, carrier, proxy, first, second, reports }
}

/** Calls one after another to the voicemail, and returns the addresses of the nodes that answered. */
async function nodesOf({ carrier, office }: Site, count: number): Promise<string[]> {
  const addresses = new Set<string>()
  for (let n = 0; n < count; n++) {
    const call = await carrier.call(office.line.digits)
    addresses.add(/@([\d.]+)/.exec(headerOf(await call.answered, 'contact'))?.[1] ?? '')
    call.hangUp()
  }
  return [...addresses].toSorted()
}

// biome-ignore lint/suspicious/noExplicitAny: calls as clients see them
async function activeCalls({ a }: TestApp): Promise<any[]> {
  const { calls } = (await a.api('GET', '/v1/calls?per_page=50')).json
  return calls.filter(({ status }: { status: string }) => status === 'answered')
}
