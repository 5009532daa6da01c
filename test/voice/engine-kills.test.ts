import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { auditOffice } from '../calls/office-audit.ts'
import { onBothDatabases, type TestApp } from '../kit/app.ts'
import { seed, times } from '../kit/depth.ts'
import { type ServerProcess, startServer } from '../kit/server-process.ts'
import { audioOf, command, countPackets, hearEachOther, openCallCentre, type Talk } from './call-centre.ts'

// Engine processes are killed at random while callers and agents talk. `TEST_DEPTH=10` kills ten times as often.

const kills = times({ quick: 2, full: 3 })

onBothDatabases('engine processes are killed at random during calls', (open) => {
  test('no call drops, no packet is lost, every event is published once, and recordings are complete', async () => {
    const random = seededRandom(seed)
    const centre = await openCallCentre(open)
    const { office, talks, visitors } = centre
    const crew: ServerProcess[] = [await startServer(office)]
    if (office.app.databaseUrl) crew.push(await startServer(office))
    await centre.talk(crew)
    const [first] = talks
    const backAfterMs: number[] = []

    for (let kill = 0; kill < kills; kill++) {
      await centre.visit(random)
      if (first) await audioOf(first, random.integer(0, 500))
      const [killed] = crew.splice(random.integer(0, crew.length - 1), 1)
      const killedAt = performance.now()
      await killed?.end('SIGKILL')
      await centre.visit(random)
      const starting = startServer(office)
      const [server = await starting] = crew
      for (const { userId } of talks) await command(server, userId, 'mute')
      backAfterMs.push(Math.round(performance.now() - killedAt))
      crew.push(await starting)
      for (const { userId } of talks) await command(random.pick(crew), userId, 'unmute')
      await hearEachOther(talks)
    }

    const dropped = visitors.filter(({ byes }) => byes.length > 0)
    expect(dropped).toEqual([])
    const refused = visitors.filter(({ hasEnded, byes }) => hasEnded() && byes.length === 0).length
    const packets = await countPackets(talks)
    await centre.hangUp(crew[0] ?? expect.fail())
    for (const server of crew) await server.end('SIGTERM')
    const app = await office.app.restart()
    // Jobs of killed processes are due when their leases have expired.
    await app.db.updateTable('job').set({ leased_until: 1 }).where('leased_until', '>', 1).execute()
    const audit = () => auditOffice(app.db, app.a.id, { compare: 'nothing' })
    await expect.poll(async () => (await audit()).problems, { interval: 500 }).toEqual([])
    const { calls, answered } = await audit()
    await recordingsAreComplete(app, talks)
    const database = app.databaseUrl ? 'PostgreSQL' : 'the embedded store'
    console.log(`${kills} kills on ${database}:`, { calls, answered, refused, ...packets, backAfterMs })
  })
})

/** As long as the conversations: one that a kill had interrupted would lack the time until another process runs. */
async function recordingsAreComplete({ db }: TestApp, talks: readonly Talk[]): Promise<void> {
  const users = talks.map(({ userId }) => userId)
  const recorded = () =>
    db.selectFrom('call').selectAll().where('user_id', 'in', users).where('recording_ms', 'is not', null).execute()
  await expect.poll(async () => (await recorded()).length, { interval: 250 }).toBe(talks.length)
  const calls = await recorded()
  for (const { id, answered_at, ended_at, recording_ms } of calls) {
    const missingMs = (ended_at ?? 0) - (answered_at ?? 0) - (recording_ms ?? 0)
    expect(missingMs, `missing from the recording of call ${id}`).toBeLessThan(2_000)
  }
}
