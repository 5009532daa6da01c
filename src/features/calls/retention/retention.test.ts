import { expect, test } from 'vitest'
import { monday, onAnyDatabase, type TestApp, type TestCompany } from '../../../../test/kit/app.ts'
import { jumpingClock } from '../../../../test/kit/clocks.ts'
import { recordedCall } from '../../../../test/kit/sounds.ts'
import { day } from '../../../lib/clock.ts'
import { applyMessageRetention } from '../../messages/messages/retention.ts'
import { applyRetention } from './clean.ts'
import { maxPeriods } from './periods.ts'

onAnyDatabase('retention of a company', (open) => {
  test('a shorter period is previewed, confirmed, audited and applied to this company only', async () => {
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const mine = await recordedCall(app, app.a, { sounds: ['recording', 'voicemail'] })
    const theirs = await recordedCall(app, app.b, { sounds: ['recording'] })
    clock.leap(10 * day)
    const recent = await recordedCall(app, app.a, { sounds: ['recording'] })
    const retention = { ...maxPeriods, recordings: 7 }

    const preview = (await app.a.own('POST', '/v1/company/retention/preview', retention)).json.would_delete
    const refused = await app.a.own('PUT', '/v1/company/retention', { retention })
    const saved = await app.a.own('PUT', '/v1/company/retention', { retention, confirmation: 'DELETE' })
    await applyRetention(app.app.services)
    const after = (await app.a.own('POST', '/v1/company/retention/preview', retention)).json.would_delete

    expect(preview).toEqual({ calls: 0, recordings: 1, voicemails: 0, transcripts: 0, messages: 0, audit_log: 0 })
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
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const old = await recordedCall(app, app.a, { sounds: ['recording'] })
    clock.leap(8 * day)
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

  test('messages are deleted with their attachments and empty conversations after their period', async () => {
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const { a, b, db } = app
    const files = app.app.services.files
    const [mine, theirs] = [await messageOf(app, a, 'old'), await messageOf(app, b, 'theirs')]
    clock.leap(40 * day)
    const recent = await messageOf(app, a, 'recent')
    const unsent = await messageOf(app, a, 'unsent')
    await db.updateTable('message').set({ queued: 1, created_at: 1 }).where('row_id', '=', unsent.row).execute()
    const retention = { ...maxPeriods, messages: 30 }

    const { would_delete } = (await a.own('POST', '/v1/company/retention/preview', retention)).json
    const refused = await a.own('PUT', '/v1/company/retention', { retention })
    const saved = await a.own('PUT', '/v1/company/retention', { retention, confirmation: 'DELETE' })
    await applyMessageRetention(app.app.services)

    expect([would_delete.messages, refused.status, saved.status]).toEqual([2, 400, 200])
    const left = await db.selectFrom('message').select('row_id').orderBy('row_id').execute()
    expect(left.map(({ row_id }) => row_id)).toEqual([theirs.row, recent.row, unsent.row])
    const talks = await db.selectFrom('conversation').select('id').execute()
    expect(new Set(talks.map(({ id }) => id))).toEqual(new Set([theirs.talk, recent.talk, unsent.talk]))
    expect(await Promise.all([mine, theirs, recent].map(({ file }) => files.size(file)))).toEqual([undefined, 4, 4])
  })

  test('unread counts of conversations follow their messages', async () => {
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const { a, db } = app
    const { talk } = await messageOf(app, a, 'old')
    await messageOf(app, a, 'old, too', talk)
    clock.leap(40 * day)
    await messageOf(app, a, 'recent', talk)
    const read = await messageOf(app, a, 'read')
    await db.updateTable('conversation').set({ unread: 3, last_at: clock.now() }).where('id', '=', talk).execute()
    const retention = { ...maxPeriods, messages: 30 }
    await a.own('PUT', '/v1/company/retention', { retention, confirmation: 'DELETE' })

    await applyMessageRetention(app.app.services)

    const talks = await db.selectFrom('conversation').select(['id', 'unread']).orderBy('created_at').execute()
    expect(talks).toEqual([
      { id: talk, unread: 1 },
      { id: read.talk, unread: 0 },
    ])
  })

  test('the audit log loses entries after their period, and the rest can be verified', async () => {
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const { a, db } = app
    for (let i = 0; i < 3; i++) await a.own('POST', '/v1/api_keys', { name: `Key ${i}` })
    clock.leap(366 * day)
    await a.own('POST', '/v1/api_keys', { name: 'Later' })
    const retention = { ...maxPeriods, audit_log: 365 }
    const check = async () => (await a.own('GET', '/v1/audit_log/check')).json

    const tooShort = await a.own('PUT', '/v1/company/retention', {
      retention: { ...maxPeriods, audit_log: 364 },
      confirmation: 'DELETE',
    })
    const { would_delete } = (await a.own('POST', '/v1/company/retention/preview', retention)).json
    await a.own('PUT', '/v1/company/retention', { retention, confirmation: 'DELETE' })
    await applyRetention(app.app.services)
    await applyRetention(app.app.services)

    expect([tooShort.status, would_delete.audit_log]).toEqual([400, 5])
    const { audit_log } = (await a.own('GET', '/v1/audit_log')).json
    expect(audit_log.map(({ id, action }: { id: number; action: string }) => `${id} ${action}`)).toEqual([
      '8 audit_log.expired',
      '7 retention.changed',
      '6 api_key.created',
    ])
    expect(await check()).toEqual({ chain: 'intact', entries: 3 })
    await expect(db.deleteFrom('audit').where('n', '=', 6).execute()).rejects.toThrow(/stay as they are/)
    // A start of the log that was moved without the key is detected.
    await db.updateTable('audit_head').set({ start_n: 6 }).where('company_id', '=', a.id).execute()
    await db.deleteFrom('audit').where('n', '=', 6).execute()
    expect((await check()).chain).toBe('broken at 7')
    await applyRetention(app.app.services)
    expect((await a.own('GET', '/v1/audit_log')).json.meta.total).toBe(2)
  })

  test('a client that does not know the later kinds keeps their periods', async () => {
    const { a } = await open()
    const { messages, audit_log, ...known } = maxPeriods
    await a.own('PUT', '/v1/company/retention', {
      retention: { ...maxPeriods, messages: 90, audit_log: 400 },
      confirmation: 'DELETE',
    })

    const saved = await a.own('PUT', '/v1/company/retention', { retention: known })

    expect([messages, audit_log]).toEqual([null, null])
    expect(saved.json.retention).toEqual({ ...maxPeriods, messages: 90, audit_log: 400 })
  })
})

let messages = 0

/** A received message with an attachment, in a conversation of its own or a given one. */
async function messageOf({ app, db, clock }: TestApp, company: TestCompany, body: string, known?: string) {
  const n = ++messages
  const [talk, file, at] = [known ?? `talk-${n}`, `media/${company.id}/file-${n}.bin`, clock.now()]
  await app.services.files.put(file, Buffer.from('file'))
  const who = { company_id: company.id, number_id: 1, external: `+3369900${1_000 + n}` }
  const first = db
    .insertInto('conversation')
    .values({ ...who, id: talk, who: talk, inbox: 1, unread: 0, archived: 0, last_at: at, created_at: at })
  if (known === undefined) await first.execute()
  const { row_id } = await db
    .insertInto('message')
    .values({
      ...who,
      id: `message-${n}`,
      conversation_id: talk,
      mode: 'native',
      direction: 'inbound',
      status: 'received',
      body,
      media: JSON.stringify([{ url: null, name: 'file.bin', type: 'text/plain', file }]),
      queued: 0,
      fetching: 0,
      created_at: at,
      updated_at: at,
      sent_at: at,
    })
    .returning('row_id')
    .executeTakeFirstOrThrow()
  return { row: row_id, talk, file }
}
