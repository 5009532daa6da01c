import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import type { Kind } from '../cli/installation.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { audit } from './audit.ts'
import { farReceiver } from './far-receiver.ts'
import { createFleet } from './fleet.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'
import { registerHooks, startTraffic } from './traffic.ts'

const stops = 3

/** SIGTERM while requests come in and deliveries are out, and a start after each; on PostgreSQL beside another process. */
async function stopsInOrder(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_616
  const random = seededRandom(seed)
  const place = await placeOf(kind)
  const receiver = await farReceiver(place.folder, seed)
  const fleet = await createFleet(place)
  try {
    const hooks = await registerHooks(fleet, receiver)
    const traffic = startTraffic(fleet, random)
    const codes: (number | null)[] = []
    let stillLeased = 0
    let stopsWithInflight = 0
    for (let stop = 0; stop < stops; stop++) {
      const changes = traffic.acknowledged.length + random.integer(20, 40)
      const isTime = () => traffic.acknowledged.length >= changes && receiver.open() > 1
      traffic.allow(40)
      while (!isTime()) {
        await receiver.until(isTime, 5_000)
        traffic.allow(5)
      }
      const member = random.pick(fleet.members)
      stopsWithInflight += receiver.open() > 1 ? 1 : 0
      codes.push(await fleet.end(member, 'SIGTERM'))
      stillLeased += (await fleet.leased(member)).length
      await fleet.start(member)
    }
    await traffic.stop()
    const promised = (await fleet.deliveries()).map(({ message_id }) => message_id)
    await receiver.until(() => promised.every((id) => receiver.has(id)))
    for (const member of fleet.members) codes.push(await fleet.end(member, 'SIGTERM'))
    stillLeased += (await fleet.leased()).length
    const unfinished = (await fleet.deliveries()).filter(({ state }) => state !== 'delivered').length
    const counts = audit(traffic.acknowledged, hooks, receiver.arrivals())
    const report = { seed, stops, stopsWithInflight, stillLeased, unfinished, ...counts }

    console.log(`graceful stop on ${kind}:`, report, {
      unanswered: traffic.unanswered,
    })
    expect(new Set(codes)).toEqual(new Set([0]))
    expect(report).toMatchObject({ stopsWithInflight: stops, stillLeased: 0, unfinished: 0, lost: 0, duplicates: 0 })
    expect(report).toMatchObject({ altered: 0, disordered: 0, unverified: 0 })
    expect(report.events).toBeGreaterThanOrEqual(stops * 20)
    expect(traffic.wrong).toEqual([])
  } finally {
    await fleet.close()
    await receiver.stop()
  }
}

test('a process that receives a stop signal ends by itself, and nothing is lost or sent twice (embedded store)', () =>
  stopsInOrder('embedded'))

onPostgresInFullRun(
  'a process that receives a stop signal ends by itself, and nothing is lost or sent twice (PostgreSQL)',
  () => stopsInOrder('postgres'),
)
