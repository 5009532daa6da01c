import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import { openOffice } from '../../../../test/kit/phone.ts'
import { qualityPoint } from '../../../domain/quality-series.ts'
import { second } from '../../../lib/clock.ts'
import { deleteCalls } from '../calls/store.ts'
import { addLegQuality, type LegQuality } from './store.ts'

const good = { lossPct: 0, jitterMs: 2, roundTripMs: null }

onBothDatabases('the quality of a leg', (open) => {
  test('is continued by the process that takes over the call, and is deleted with the call', async () => {
    const office = await openOffice(open)
    const { a, db, clock, ada } = office
    const callId = await office.call(await office.line())
    const start = clock.now()
    const leg: LegQuality = {
      callId,
      leg: 'sip-1',
      party: 'agent',
      userId: ada,
      startedAt: start,
      updatedAt: start + 5 * second,
      series: [qualityPoint(0, good, null), qualityPoint(5, good, null)],
    }

    await addLegQuality(db, a.id, leg)
    const later = {
      startedAt: start + 60 * second,
      updatedAt: start + 60 * second,
      series: [qualityPoint(0, good, good)],
    }
    await addLegQuality(db, a.id, { ...leg, ...later })

    const { legs } = (await a.api('GET', `/v1/calls/${callId}/quality`)).json
    expect(legs).toMatchObject([{ party: 'agent', user_id: ada, received: { loss_percent: 0 }, sent: { mos: 4.38 } }])
    const since = (at: string) => (Date.parse(at) - start) / second
    expect(legs[0].samples.map((sample: { at: string }) => since(sample.at))).toEqual([0, 5, 60])
    expect(since(legs[0].ended_at)).toBe(60)

    await deleteCalls(db, a.id, [callId])
    expect(await db.selectFrom('leg_quality').selectAll().execute()).toEqual([])
  })
})
