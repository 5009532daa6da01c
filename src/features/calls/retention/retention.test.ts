import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { recordedCall } from '../../../../test/kit/sounds.ts'
import { day } from '../../../lib/clock.ts'
import { applyRetention } from './clean.ts'
import { maxPeriods } from './periods.ts'

onAnyDatabase('retention of a company', (open) => {
  test('a shorter period is previewed, confirmed, audited and applied to this company only', async () => {
    const app = await open()
    const mine = await recordedCall(app, app.a, { sounds: ['recording', 'voicemail'] })
    const theirs = await recordedCall(app, app.b, { sounds: ['recording'] })
    await app.clock.advance(10 * day)
    const recent = await recordedCall(app, app.a, { sounds: ['recording'] })
    const retention = { ...maxPeriods, recordings: 7 }

    const preview = (await app.a.own('POST', '/v1/company/retention/preview', retention)).json.would_delete
    const refused = await app.a.own('PUT', '/v1/company/retention', { retention })
    const saved = await app.a.own('PUT', '/v1/company/retention', { retention, confirmation: 'DELETE' })
    await applyRetention(app.app.services)
    const after = (await app.a.own('POST', '/v1/company/retention/preview', retention)).json.would_delete

    expect(preview).toEqual({ calls: 0, recordings: 1, voicemails: 0, transcripts: 0 })
    expect([refused.status, saved.status]).toEqual([400, 200])
    expect(after.recordings).toBe(0)
    const kept = await app.db.selectFrom('call').select(['id', 'recording', 'voicemail']).execute()
    const of = (id: number) => kept.find((call) => call.id === id)
    expect(of(mine.id)).toMatchObject({ recording: null, voicemail: expect.any(String) })
    expect(of(recent.id)?.recording).not.toBeNull()
    expect(of(theirs.id)?.recording).not.toBeNull()
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({ action: 'retention.changed' })
  })

  test('call details are deleted after their period; a longer one needs no confirmation', async () => {
    const app = await open()
    const old = await recordedCall(app, app.a, { sounds: ['recording'] })
    await app.clock.advance(8 * day)
    const put = async (calls: number | null, confirmation?: string) => {
      const retention = { ...maxPeriods, calls }
      return (await app.a.own('PUT', '/v1/company/retention', { retention, ...(confirmation && { confirmation }) }))
        .status
    }

    expect(await put(7, 'DELETE')).toBe(200)
    await applyRetention(app.app.services)
    expect((await app.a.api('GET', `/v1/calls/${old.id}`)).status).toBe(404)
    expect([await put(30), await put(null), await put(6, 'DELETE'), await put(400)]).toEqual([200, 200, 400, 400])
  })
})
