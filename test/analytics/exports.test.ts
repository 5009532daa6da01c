import { symlinkSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { enqueue } from '../../src/jobs/queue.ts'
import { day, hour, minute } from '../../src/lib/clock.ts'
import { onBothDatabases, type TestApp } from '../kit/app.ts'
import { addCall } from '../kit/calls.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'

const route = '/v1/analytics/report/export'
const filter = { timezone: 'Europe/Paris', dateFilter: { relative: 'THIS_MONTH' } }
const good = { reportName: 'CALLS_HISTORY', filter }

async function withCalls({ a, ...app }: TestApp, many: number) {
  const { json } = await a.own('POST', '/v1/numbers', { digits: '+33199000001', name: '@Line', validated: true })
  for (let i = 0; i < many; i++) {
    await addCall({ a, ...app }, a, { numberId: json.number.id, startedAt: app.clock.now() - (i + 1) * minute })
  }
}

const filesOf = async ({ dataDir }: TestApp, companyId: number) =>
  readdir(path.join(dataDir, 'files', 'exports', String(companyId))).catch(() => [])

onBothDatabases('an export', (open) => {
  test('is deleted with its file, also while it is being created, and the audit log names it', async () => {
    const app = await open()
    const { a, b, settle, anonymous } = app
    await withCalls(app, 3)
    const create = async (exportName: string) =>
      (await a.own('POST', route, { input: { ...good, exportOptions: { exportName } } })).json.exportID as string
    const remove = (id: string, by = a) => by.own('DELETE', `/v1/analytics/exports/${id}`)
    const done = await create('Weekly')
    await settle()
    const { downloadUrl } = (await a.api('GET', `${route}/${done}`)).json
    const pending = await create('Pending')

    const foreign = await remove(done, b)
    const removed = [await remove(pending), await remove(done.toUpperCase())]
    await settle()

    expect(foreign.status).not.toBe(204)
    expect(removed.map(({ status }) => status)).toEqual([204, 204])
    expect(await filesOf(app, a.id)).toEqual([])
    expect((await anonymous('GET', downloadUrl)).status).toBe(404)
    expect((await a.own('GET', '/v1/analytics/exports')).json.exports).toEqual([])
    expect((await remove(done)).status).toBe(404)
    const { audit_log } = (await a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({
      action: 'export.deleted',
      target: `export:${done}`,
      target_name: 'Weekly',
      details: { name: 'Weekly', report: 'CALLS_HISTORY' },
    })
  })

  test('is requested, created, published once, downloaded by a URL valid for one hour, and deleted after thirty days', async () => {
    const app = await open()
    const { a, b, clock, settle, anonymous } = app
    await withCalls(app, 3)
    const shop = await receiver()
    const hook = await addHook(a.api, shop, ['analytics.report_created', 'analytics.report_failed'])

    const asked = await a.api('POST', route, { input: { ...good, exportOptions: { exportName: 'My = weekly' } } })
    expect(asked.status).toBe(201)
    const { exportID } = asked.json
    expect(asked.json).toEqual({ exportID, createdAt: '2026-06-15T12:00:00.000Z', status: 'PENDING' })
    await settle()

    const made = await a.api('GET', `${route}/${exportID}`)
    const until = new Date(clock.now() + hour).toISOString()
    expect(made.json).toEqual({
      exportID,
      createdAt: '2026-06-15T12:00:00.000Z',
      status: 'COMPLETED',
      format: 'CSV',
      exportName: 'My = weekly',
      isZipCompressed: false,
      downloadUrl: expect.any(String),
      downloadUrlExpiresAt: until,
    })
    const delivered = shop.got.filter(({ body }) => body.event.startsWith('analytics.'))
    expect(delivered.map(({ body }) => [body.event, body.resource])).toEqual([
      ['analytics.report_created', 'analytics'],
    ])
    expect(delivered[0]?.body.data).toEqual({
      export_id: exportID,
      export_name: 'My = weekly',
      status: 'COMPLETED',
      format: 'CSV',
      created_at: '2026-06-15T12:00:00.000Z',
      download_url: made.json.downloadUrl,
      download_url_expires_at: until,
    })
    expect(JSON.stringify(await hook.log())).not.toContain('hookswitch-export')

    const { downloadUrl } = made.json
    const file = await anonymous('GET', downloadUrl)
    expect([file.status, file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="My-weekly.csv"',
    ])
    expect(file.text.split('\r\n')).toHaveLength(5)
    expect(file.text).toContain(",'@Line,")
    for (const wrong of [
      downloadUrl.replace('/exports/', '/exports/1'),
      downloadUrl.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
      downloadUrl.replace(/\?.*/, ''),
    ]) {
      expect([wrong, (await anonymous('GET', wrong)).status]).toEqual([wrong, 403])
    }
    expect((await b.own('GET', `${route}/${exportID}`)).status).toBe(403)
    const listed = (await a.own('GET', '/v1/analytics/exports')).json.exports
    expect(listed).toMatchObject([{ exportID, rows: 3, progress: { done: 3, total: 3 }, reportName: 'CALLS_HISTORY' }])

    await clock.advance(hour)
    expect((await anonymous('GET', downloadUrl)).status).toBe(403)
    const fresh = (await a.api('GET', `${route}/${exportID}`)).json.downloadUrl
    expect((await anonymous('GET', fresh)).status).toBe(200)
    expect(await filesOf(app, a.id)).toHaveLength(1)
    const later = await app.restart(30 * day)
    expect((await later.a.api('GET', `${route}/${exportID}`)).status).toBe(404)
    await later.settle()
    expect(await filesOf(later, a.id)).toEqual([])
  })

  test('reports missing and invalid fields, and needs a plan that includes it', async () => {
    const { a, b, app } = await open()
    const post = async (input: unknown) => (await a.api('POST', route, { input })).status
    const missing = [
      undefined,
      null,
      {},
      { filter },
      { ...good, reportName: '' },
      { reportName: 'CALLS_HISTORY' },
      { ...good, filter: null },
      { ...good, filter: { dateFilter: filter.dateFilter } },
      { ...good, filter: { timezone: 'Europe/Paris' } },
      { ...good, filter: { timezone: ' ', dateFilter: 7 } },
      { reportName: 'NONSENSE', filter: {} },
    ]
    for (const input of missing) expect([input, await post(input)]).toEqual([input, 422])
    const withFilter = (more: object) => ({ ...good, filter: { ...filter, ...more } })
    const dates = (dateFilter: unknown) => withFilter({ dateFilter })
    const range = (fromDate: unknown, toDate: unknown) => dates({ absoluteRange: { fromDate, toDate } })
    const wrong = [
      'CALLS_HISTORY',
      [],
      { ...good, reportName: 'calls_history' },
      { ...good, reportName: 7 },
      { ...good, filter: 'all' },
      { ...good, filter: [filter] },
      withFilter({ timezone: 'Paris' }),
      withFilter({ timezone: '+02:00' }),
      withFilter({ timezone: 7 }),
      dates('TODAY'),
      dates({}),
      dates({ relative: 'TOMORROW' }),
      dates({ relative: 'TODAY', absoluteRange: { fromDate: '2026-06-01', toDate: '2026-06-02' } }),
      dates({ absoluteRange: {} }),
      range('2026-06-02', '2026-06-01'),
      range('2026-02-30', '2026-06-01'),
      range('2026-6-1', '2026-06-02'),
      range('2026-06-01', null),
      ...['userIDs', 'teamIDs', 'callIDs', 'lineIDs', 'tagIDs'].flatMap((name) =>
        [0, -1, 1.5, 'x', {}, [1, 'x'], [[1]], true, []].map((value) => withFilter({ [name]: value })),
      ),
      ...[24, -1, '9', [1.5]].map((hours) => withFilter({ hours })),
      ...['33176360695', '+0', 33176360695, ['+33176360695', '']].map((one) => withFilter({ customerNumbers: one })),
      withFilter({ callTypes: ['inbound'] }),
      withFilter({ teamFilterOption: 'SOME' }),
      ...[5, {}, { min: -1 }, { min: 5, max: 4 }, { max: '5' }].map((duration) => withFilter({ duration })),
      withFilter({ minConnectedDuration: '5' }),
      withFilter({ ivrBranches: [7] }),
      withFilter({ ivrBranches: ' ' }),
      withFilter({ virtualVoiceAgentIDs: [7] }),
      withFilter({ withAiIntervention: 'true' }),
      withFilter({ withVoicemail: 1 }),
      withFilter({ ringAttemptOrigin: 'RING' }),
      withFilter({ userStatuses: ['BUSY'] }),
      withFilter({ nextUserStatuses: ['available'] }),
      { ...good, options: 'DAILY' },
      { ...good, options: { dateBreakdown: 'WEEKLY' } },
      ...[0, 3_601, '20', 1.5].map((n) => ({ ...good, options: { slaTimeToAnswerInSeconds: n } })),
      { ...good, options: { slaIncludedCallUnansweredReasons: ['bored'] } },
      { ...good, exportOptions: 'CSV' },
      { ...good, exportOptions: { format: 'XLSX' } },
      ...['', ' ', 'x'.repeat(101), 7, 'a\u0000b', 'a\nb'].map((name) => ({
        ...good,
        exportOptions: { exportName: name },
      })),
    ]
    for (const input of wrong) expect([input, await post(input)]).toEqual([input, 400])
    const right = [
      { ...good, unknown: 1, filter: { ...filter, unknown: 1, userIDs: '7', hours: 23 }, options: null },
      range('2026-06-01', '2026-06-01'),
      { ...good, exportOptions: { exportName: 'é'.repeat(100) } },
    ]
    for (const input of right) expect([input, await post(input)]).toEqual([input, 201])

    expect((await b.api('POST', route, { input: good })).status).toBe(403)
    expect((await b.api('POST', route, {})).status).toBe(403)
    expect((await b.api('GET', `${route}/x`)).status).toBe(403)
    for (const id of ['x', '00000000-0000-4000-8000-000000000000', "1' or 1=1"]) {
      expect((await a.api('GET', `${route}/${encodeURIComponent(id)}`)).status).toBe(404)
    }
    expect((await b.own('GET', '/v1/analytics/exports')).status).toBe(403)
    expect((await b.own('GET', '/v1/analytics/activity?timezone=Etc/UTC&relative=TODAY')).status).toBe(200)
    for (const query of ['', 'timezone=Etc/UTC', 'timezone=X&relative=TODAY', 'timezone=Etc/UTC&from=2026-01-01']) {
      expect((await a.own('GET', `/v1/analytics/activity?${query}`)).status).toBe(query === '' ? 422 : 400)
    }
    await app.settle()
  })

  test('contains no data older than six months', async () => {
    const app = await open()
    const { a, settle, anonymous, clock } = app
    const { json } = await a.own('POST', '/v1/numbers', { digits: '+33199000001', name: 'Line', validated: true })
    const wall = Date.UTC(2025, 11, 15, 12)
    for (const startedAt of [wall - 1, wall, clock.now()]) {
      await addCall(app, a, { numberId: json.number.id, startedAt })
    }
    const dateFilter = { absoluteRange: { fromDate: '2020-01-01', toDate: '2030-12-31' } }
    const request = (reportName: string) => ({
      input: { reportName, filter: { timezone: 'Etc/UTC', dateFilter }, options: { dateBreakdown: 'DAILY' } },
    })

    const calls = (await a.api('POST', route, request('CALLS_HISTORY'))).json.exportID
    const people = (await a.api('POST', route, request('USER_ACTIVITY_CALLS_HANDLED'))).json.exportID
    await settle()

    const csv = async (id: string) =>
      (await anonymous('GET', (await a.api('GET', `${route}/${id}`)).json.downloadUrl)).text
    expect((await csv(calls)).split('\r\n')).toHaveLength(4)
    const days = (await csv(people))
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 10))
    expect([days[0], days.at(-1), days.length]).toEqual(['2025-12-15', '2026-06-15', 183])
  })

  test('that a killed process had started is created again from the start, and published once', async () => {
    const app = await open()
    const { a, db, dataDir } = app
    await withCalls(app, 3)
    const folder = path.join(dataDir, 'files', 'exports', String(a.id))
    const { exportID } = (await a.api('POST', route, { input: good })).json
    await app.settle()
    // As a kill leaves it: begun, half a file, and the job still there.
    const left = `exports/${a.id}/${exportID}-0123.csv`
    await rm(folder, { recursive: true })
    await mkdir(folder)
    await app.app.services.files.put(left, Buffer.from('half a'))
    await db
      .updateTable('analytics_export')
      .set({ status: 'PENDING', file: left, rows: 1, looked_at: 1, tries: 1, finished_at: null })
      .where('id', '=', exportID)
      .execute()
    await db.deleteFrom('event').where('company_id', '=', a.id).execute()
    const again = await app.restart()
    await enqueue(again.db, 'analytics.export', { companyId: a.id, exportId: exportID }, again.clock.now())
    await enqueue(again.db, 'analytics.export', { companyId: a.id, exportId: exportID }, again.clock.now())
    await again.settle()

    const made = await again.a.api('GET', `${route}/${exportID}`)
    expect(made.json.status).toBe('COMPLETED')
    expect((await again.anonymous('GET', made.json.downloadUrl)).text.split('\r\n')).toHaveLength(5)
    expect(await filesOf(again, a.id)).toHaveLength(1)
    const events = (await again.events(again.a)).filter(({ name }) => name.startsWith('analytics.'))
    expect(events.map(({ name }) => name)).toEqual(['analytics.report_created'])
  })

  test('that cannot be written is retried, then failed and published as failed', async () => {
    const app = await open()
    const { a, clock, dataDir } = app
    await mkdir(path.join(dataDir, 'files'), { recursive: true })
    symlinkSync('/nowhere', path.join(dataDir, 'files', 'exports'))

    const { exportID } = (await a.api('POST', route, { input: good })).json
    await clock.advance(hour)

    const failed = {
      exportID,
      createdAt: '2026-06-15T12:00:00.000Z',
      status: 'FAILED',
      errorMessage: expect.any(String),
    }
    expect((await a.api('GET', `${route}/${exportID}`)).json).toEqual(failed)
    const events = (await app.events(a)).filter(({ name }) => name.startsWith('analytics.'))
    expect(events).toEqual([
      {
        name: 'analytics.report_failed',
        data: {
          export_id: exportID,
          status: 'FAILED',
          error_message: expect.any(String),
          created_at: '2026-06-15T12:00:00.000Z',
        },
      },
    ])
    expect(JSON.stringify(events)).not.toContain('file')
  })
})
