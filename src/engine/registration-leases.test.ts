import { expect, test } from 'vitest'
import { onBothDatabases, type TestApp } from '../../test/kit/app.ts'
import { createManualClock } from '../lib/clock.ts'
import { createRegistrationLeases } from './registration-leases.ts'
import type { LineNodeStatus } from './trunk-manager.ts'

const node = (id: string, more: Partial<LineNodeStatus> = {}): LineNodeStatus => ({
  ...{ id, isRemote: false, isConnected: true, isUsable: true, isDraining: false, legs: 0, maxLegs: 100 },
  ...{ release: '1', ...more },
})

async function openTrunk({ a }: TestApp): Promise<string> {
  const { json } = await a.own('POST', '/v1/trunks', { name: 'Carrier', host: '127.0.0.1', prefixes: [] })
  return String(json.trunk.id)
}

/** A process that is connected to these nodes. */
function processWith({ db }: TestApp, nodes: LineNodeStatus[]) {
  let passed = 0
  const clock = { ...createManualClock(0), steadyNow: () => passed }
  const leases = createRegistrationLeases({ db, clock, nodes: () => nodes })
  const pass = (ms: number) => {
    passed += ms
  }
  return { nodes, pass, holder: async (trunk: string) => (await leases.claim([trunk])).get(trunk) }
}

onBothDatabases('the registration of a trunk', (open) => {
  test('is held by the least loaded node, and stays there', async () => {
    const app = await open()
    const trunk = await openTrunk(app)
    const { nodes, holder } = processWith(app, [node('a', { legs: 50 }), node('b', { legs: 10 })])

    const first = await holder(trunk)
    nodes[1] = node('b', { legs: 90 })

    expect([first, await holder(trunk)]).toEqual(['b', 'b'])
  })

  test('moves to another node when it is not renewed for six seconds, whatever the clocks of the hosts show', async () => {
    const app = await open()
    const trunk = await openTrunk(app)
    const first = processWith(app, [node('a')])
    const second = processWith(app, [node('b')])
    await first.holder(trunk)

    const whileRenewed: (string | undefined)[] = []
    for (let n = 0; n < 4; n++) {
      second.pass(2_500)
      await first.holder(trunk)
      whileRenewed.push(await second.holder(trunk))
    }
    second.pass(5_900)
    const before = await second.holder(trunk)
    second.pass(200)

    expect(whileRenewed).toEqual(['a', 'a', 'a', 'a'])
    expect([before, await second.holder(trunk)]).toEqual(['a', 'b'])
    expect(await first.holder(trunk)).toBe('b')
  })

  test('leaves a node that is draining', async () => {
    const app = await open()
    const trunk = await openTrunk(app)
    const { nodes, pass, holder } = processWith(app, [node('a'), node('b', { legs: 1 })])
    await holder(trunk)
    nodes[0] = node('a', { isUsable: false, isDraining: true })

    await holder(trunk)
    pass(6_000)

    expect(await holder(trunk)).toBe('b')
  })

  test('is taken by one of two processes that claim it at the same time', async () => {
    const app = await open()
    const trunk = await openTrunk(app)
    const processes = ['a', 'b', 'c', 'd'].map((id) => processWith(app, [node(id)]))

    await Promise.all(processes.map(({ holder }) => holder(trunk)))

    const holders = await Promise.all(processes.map(({ holder }) => holder(trunk)))
    expect(new Set(holders).size).toBe(1)
  })
})
