import path from 'node:path'
import { expect, test } from 'vitest'
import { inboundCall } from '../../src/domain/call/new-call.ts'
import { noLine } from '../../src/drivers/no-line.ts'
import { createSimulator } from '../../src/drivers/simulator/network.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { numberFacts } from '../../src/engine/routing-data.ts'
import { createTollGuard } from '../../src/engine/toll-guard.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { type Line, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

/** An engine of its own, which the test stops while calls ring. */
async function openEngine({ app, clock }: Office) {
  const { services } = app
  const folder = await temporaryFolder()
  const simulator = createSimulator({ clock, log: services.log, recordingsFolder: path.join(folder, 'recordings') })
  const metrics = createMetrics()
  const guard = createTollGuard({ services, metrics })
  const parts = {
    services,
    metrics,
    guard,
    silence: noLine(),
    me: '1:test',
    batchSize: 64,
    random: () => 0,
    freed() {},
  }
  const engine = createEngine(parts)
  simulator.on(engine.onVoiceEvent)
  return { engine, simulator }
}

onAnyDatabase('ring attempts', (open) => {
  test('of two calls on one agent never overlap, also when the second begins while the process stops', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, clock, db } = office
    const { engine, simulator } = await openEngine(office)
    await office.connect(ada, bea, cem)
    const ofAda = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    const ofAll = await office.line({
      ring: ringTo([toUser(bea), toUser(cem), toUser(ada)], { max_wait_seconds: 300 }),
      box: voicemail,
    })
    const begin = async (line: Line, key: string) => {
      const number = await numberFacts(db, a.id, line.id)
      if (!number) throw new Error('the line is there')
      const leg = simulator.call({ from: '+33612345678', to: line.digits, script: [], patienceSeconds: null })
      const state = inboundCall({ key, companyId: a.id, callId: null, at: clock.now() }, number, {
        leg,
        from: '+33612345678',
      })
      engine.open(state, simulator, { leg, started() {} })
      await engine.settle()
    }
    await begin(ofAda, 'first')
    await begin(ofAll, 'second')

    // Both decline the second call, which then looks for Ada; before that is processed the process is asked to stop.
    const declined = [bea, cem].map((by) =>
      engine.send('second', { kind: 'command', command: { kind: 'decline', by } }),
    )
    clock.moveTo(clock.now() + 500)
    await engine.stop()
    await Promise.all(declined)

    const rings = await db.selectFrom('ring_attempt').selectAll().where('user_id', '=', ada).orderBy('id').execute()
    for (const [n, ring] of rings.entries()) {
      expect(ring.ended_at).toBeGreaterThanOrEqual(ring.started_at)
      expect(ring.started_at).toBeGreaterThanOrEqual(rings[n - 1]?.ended_at ?? 0)
    }
    expect(rings).toHaveLength(2)
  })
})
