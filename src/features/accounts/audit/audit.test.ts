import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { type Client, onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { listen, recordedCall } from '../../../../test/kit/sounds.ts'
import { colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'
import { transaction } from '../../../db/database.ts'
import { audit, userActor } from './record.ts'

const check = async ({ own }: { own: Client }) => (await own('GET', '/v1/audit_log/check')).json
const log = async ({ a }: TestApp, query = '') => (await a.own('GET', `/v1/audit_log${query}`)).json

interface Entry {
  action: string
  actor: { kind: string; id: number | null; name: string | null }
  target: string | null
  details: unknown
  address: string | null
}

onAnyDatabase('the audit log', (open) => {
  test('shows the names of objects, also of deleted ones, and none of another company', async () => {
    const app = await open()
    const { a, b } = app
    const me = await colleague(app, a, 'admin')
    const { api_key: key } = (await me.ask('POST', '/v1/api_keys', { name: 'Reports' })).json
    await me.ask('DELETE', `/v1/api_keys/${key.id}`)
    const { webhook } = (
      await a.api('POST', '/v1/webhooks', { url: 'https://hook.example.com/', custom_name: 'CRM sync' })
    ).json
    await me.ask('DELETE', `/v1/webhooks/${webhook.webhook_id}`)
    const added = { name: 'Main trunk', host: 'sip.example.test', transport: 'udp' }
    const { trunk } = (await a.own('POST', '/v1/trunks', added)).json
    await transaction(app.db, async (tx) => {
      const entry = { actor: userActor(me.id), action: 'user.invited', target: `user:${b.ownerId}` }
      await audit(app.app.services, tx, a.id, entry)
      await audit(app.app.services, tx, a.id, { ...entry, action: 'sound.uploaded', target: 'number:999999' })
    })

    const { audit_log } = await log(app, '?per_page=50')

    type Named = Entry & { target_name: string | null; target_exists: boolean }
    const of = (action: string) => {
      const found = (audit_log as Named[]).find((entry) => entry.action === action)
      return [found?.target_name, found?.target_exists]
    }
    expect(trunk.id).toEqual(expect.any(Number))
    expect(of('api_key.revoked')).toEqual(['Reports', false])
    expect(of('webhook.deleted')).toEqual(['CRM sync', false])
    expect(of('trunk.created')).toEqual(['Main trunk', true])
    expect(of('sound.uploaded')).toEqual([null, false])
    expect((audit_log as Named[]).find(({ target }) => target === `user:${b.ownerId}`)).toMatchObject({
      target_name: null,
      target_exists: false,
    })
    expect((audit_log as Named[]).find(({ target }) => target === `user:${me.id}`)).toMatchObject({
      target_name: 'C admin',
      target_exists: true,
    })
  })

  test('is filtered by user, kind and period, and exported as CSV with the same filters', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'admin')
    const peer = await colleague(app, app.a, 'admin')
    await me.ask('POST', '/v1/api_keys', { name: '=SUM(A1)' })
    await peer.ask('POST', '/v1/api_keys', { name: 'Other' })
    const now = Math.floor(app.clock.now() / 1_000)
    const actions = async (query: string) => ((await log(app, query)).audit_log as Entry[]).map(({ action }) => action)

    const ofMe = await actions(`?user_id=${me.id}`)
    const ofKind = await actions(`?user_id=${me.id}&kind=developers`)
    const before = await log(app, `?to=${now - 1}`)
    const since = await log(app, `?from=${now}&per_page=1`)
    const csv = await me.ask('GET', `/v1/audit_log/export?user_id=${me.id}&kind=developers`)
    const wrong = await me.ask('GET', '/v1/audit_log?kind=anything')

    expect(ofMe).toEqual(['api_key.created', 'invitation.accepted'])
    expect(ofKind).toEqual(['api_key.created'])
    expect([before.meta.total, since.meta.total > 4]).toEqual([0, true])
    expect(csv.headers.get('content-type')).toContain('text/csv')
    const lines = csv.text.trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toBe('id,time,actor_kind,actor_id,actor_name,action,target,target_name,details,address')
    expect(lines[1]).toContain(`,user,${me.id},C admin,api_key.created,`)
    expect((await log(app, '?per_page=1')).audit_log[0].action).toBe('audit_log.exported')
    expect(wrong.status).toBe(400)
  })

  test('records sign-ins, passwords, keys, roles, webhooks and recordings with actor and address', async () => {
    const app = await open()
    const { a } = app
    const me = await colleague(app, a, 'admin')
    const { id: call } = await recordedCall(app, a, { sounds: ['recording', 'voicemail'] })

    await visitor(app).signIn(me.email, 'wrong')
    await vi.waitFor(async () => expect((await log(app)).audit_log[0].action).toBe('sign_in.failed'))
    await visitor(app).signIn('nobody@example.test', 'wrong')
    await me.signIn(me.email, password)
    const { api_key: key } = (await me.ask('POST', '/v1/api_keys', { name: 'Reports' })).json
    await me.ask('DELETE', `/v1/api_keys/${key.id}`)
    await a.api('PUT', `/v2/users/${a.ownerId}`, { role_ids: ['agent', 'owner'] })
    const { webhook } = (await a.api('POST', '/v1/webhooks', { url: 'https://hook.example.com/' })).json
    const hook = `/v1/webhooks/${webhook.webhook_id}`
    await me.ask('PUT', hook, { custom_name: 'Mine', active: false })
    await me.ask('POST', `${hook}/secret/rotations`)
    await me.ask('DELETE', hook)
    for (const path of [`/recording/${call}`, `/voicemail/${call}`]) {
      expect((await app.anonymous('GET', path, undefined, { cookie: me.cookie() })).status).toBe(200)
    }
    await me.ask('PUT', '/v1/session/password', { password, new_password: 'another long password' })
    await visitor(app).ask('POST', '/v1/password_resets', { email: me.email })
    const token = await linkMailedTo(app, me.email, 'password')
    await me.ask('POST', '/v1/account_links/use', { token, password })
    await me.ask('DELETE', '/v1/session')
    await me.signIn(me.email, password)
    await me.ask('DELETE', '/v1/sessions')
    await me.signIn(me.email, password)
    const { audit_log: entries }: { audit_log: Entry[] } = (await me.ask('GET', '/v1/audit_log?order=asc&per_page=50'))
      .json

    const mine = { kind: 'user', id: me.id, name: 'C admin' }
    const software = { kind: 'key', id: expect.any(Number), name: 'First key' }
    const hooked = `webhook:${webhook.webhook_id}`
    const rows = entries.map(({ action, actor, target, details }) => [action, actor, target, details])
    expect(rows).toEqual([
      ['user.invited', { kind: 'operator', id: null, name: null }, `user:${a.ownerId}`, { roles: ['owner'] }],
      ['api_key.created', { kind: 'operator', id: null, name: null }, expect.any(String), { name: 'First key' }],
      ['user.invited', software, `user:${me.id}`, { roles: ['admin'] }],
      ['invitation.accepted', mine, null, null],
      ['sign_in.failed', { kind: 'unknown', id: null, name: null }, `user:${me.id}`, null],
      ['sign_in', mine, null, null],
      ['api_key.created', mine, `api_key:${key.id}`, { name: 'Reports' }],
      ['api_key.revoked', mine, `api_key:${key.id}`, null],
      ['role.changed', software, `user:${a.ownerId}`, { before: ['owner'], after: ['agent', 'owner'] }],
      ['webhook.created', software, hooked, null],
      ['webhook.changed', mine, hooked, { fields: ['active', 'custom_name'] }],
      ['webhook.secret_rotated', mine, hooked, null],
      ['webhook.deleted', mine, hooked, { name: 'Mine' }],
      ['recording.opened', mine, `call:${call}`, null],
      ['voicemail.opened', mine, `call:${call}`, null],
      ['password.changed', mine, null, null],
      ['password.reset', mine, null, null],
      ['sign_out', mine, null, null],
      ['sign_in', mine, null, null],
      ['sign_out.everywhere', mine, null, null],
      ['sign_in', mine, null, null],
    ])
    expect(entries.slice(2).every(({ address }) => address === '127.0.0.1')).toBe(true)
    expect(await check({ own: me.ask })).toEqual({ chain: 'intact', entries: entries.length })
    expect((await app.b.own('GET', '/v1/audit_log')).json.meta.total).toBe(2)
  })

  test('playing a recording in the dashboard is audited once, following its signed URL is not', async () => {
    const app = await open()
    const { a } = app
    const me = await colleague(app, a, 'supervisor')
    const stranger = await colleague(app, app.b, 'owner')
    const call = await recordedCall(app, a, { sounds: ['recording', 'voicemail'] })
    const load = (headers: Record<string, string>, kind: 'recording' | 'voicemail' = 'recording') =>
      listen(call.link(kind), { headers })
    const playbacks = async () =>
      (await log(app)).audit_log.filter(({ action }: Entry) => action.endsWith('.opened')) as Entry[]

    const statuses = [(await load({})).status, (await load({ cookie: stranger.cookie() })).status]
    const byAddress = await playbacks()
    for (const range of ['bytes=0-99', 'bytes=100-199']) await load({ cookie: me.cookie(), range })
    await load({ cookie: me.cookie() }, 'voicemail')

    expect([...statuses, byAddress.length]).toEqual([200, 200, 0])
    expect((await playbacks()).map(({ action, actor, target }) => [action, actor.id, target])).toEqual([
      ['voicemail.opened', me.id, `call:${call.id}`],
      ['recording.opened', me.id, `call:${call.id}`],
    ])
    expect((await app.b.own('GET', '/v1/audit_log')).text).not.toContain('.opened')
  })

  test('pages begin with the newest, and every entry has the next number of its company', async () => {
    const app = await open()
    const { a, b, clock } = app
    for (let i = 0; i < 25; i++) {
      const company = i % 5 === 0 ? b : a
      await company.own('POST', '/v1/api_keys', { name: `Key ${i}` })
      await clock.advance(1_000)
    }

    const first = await log(app)
    const second = (await a.own('GET', first.meta.next_page_link)).json
    const ids = [...first.audit_log, ...second.audit_log].map(({ id }: { id: number }) => id)

    expect(first.meta).toMatchObject({ count: 20, total: 22, current_page: 1 })
    expect(ids).toEqual(Array.from({ length: 22 }, (_, i) => 22 - i))
    expect(first.audit_log[0]).toMatchObject({ details: { name: 'Key 24' }, at: '2026-06-15T12:00:24.000Z' })
  })

  test('an entry outlives the deleted user and does not name them', async () => {
    const app = await open()
    const { a, app: parts, db } = app
    const me = await colleague(app, a, 'supervisor')
    await a.api('DELETE', `/v1/users/${me.id}`)
    await parts.settle()

    const [gone, entry] = (await log(app)).audit_log

    expect(gone).toMatchObject({ action: 'user.deleted', actor: { kind: 'key' }, target: `user:${me.id}` })
    expect(entry).toMatchObject({ action: 'invitation.accepted', actor: { kind: 'user', id: me.id, name: null } })
    expect(JSON.stringify(await db.selectFrom('audit').selectAll().execute())).not.toContain(me.email)
  })

  test('many who write at the same moment make one chain', async () => {
    const app = await open()
    const { services } = app.app

    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        transaction(services.db, (tx) =>
          audit(services, tx, app.a.id, { actor: userActor(i), action: 'tried', details: { i } }),
        ),
      ),
    )

    expect((await log(app)).meta.total).toBe(42)
    expect(await check(app.a)).toEqual({ chain: 'intact', entries: 42 })
  })

  test('what rolls back leaves no entry and no gap', async () => {
    const app = await open()
    const { services } = app.app
    const entry = { actor: userActor(1), action: 'tried' }

    const failed = transaction(services.db, async (tx) => {
      await audit(services, tx, app.a.id, entry)
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    await transaction(services.db, (tx) => audit(services, tx, app.a.id, entry))

    const { meta, audit_log } = await log(app)
    expect([meta.total, audit_log[0].id]).toEqual([3, 3])
    expect(await check(app.a)).toEqual({ chain: 'intact', entries: 3 })
  })

  test('the database itself refuses to change or delete an entry', async () => {
    const app = await open()

    await expect(app.db.updateTable('audit').set({ action: 'nothing' }).execute()).rejects.toThrow(/stay as they are/)
    await expect(app.db.deleteFrom('audit').execute()).rejects.toThrow(/stay as they are/)
    expect((await log(app)).meta.total).toBe(2)
  })

  const tampering: [what: string, change: (app: TestApp) => Promise<unknown>, at: number][] = [
    ['another action', ({ db }) => db.updateTable('audit').set({ action: 'sign_in' }).where('n', '=', 3).execute(), 3],
    ['another actor', ({ db }) => db.updateTable('audit').set({ actor_id: 7 }).where('n', '=', 4).execute(), 4],
    ['another time', ({ db }) => db.updateTable('audit').set({ at: 1 }).where('n', '=', 5).execute(), 5],
    ['other details', ({ db }) => db.updateTable('audit').set({ details: '{}' }).where('n', '=', 4).execute(), 4],
    ['another address', ({ db }) => db.updateTable('audit').set({ address: null }).where('n', '=', 6).execute(), 6],
    ['another hash', ({ db }) => db.updateTable('audit').set({ hash: 'ff' }).where('n', '=', 3).execute(), 3],
    ['a missing entry', ({ db }) => db.deleteFrom('audit').where('n', '=', 3).execute(), 3],
    ['a missing end', ({ db }) => db.deleteFrom('audit').where('n', '>', 4).execute(), 5],
    ['an end that was cut off together with its head', cutOff, 4],
    ['an end that was cut off by somebody who knows the chain', cutOffWithHash, 4],
    ['an entry of our own making', forge, 7],
    ['two entries that changed places', swap, 2],
  ]

  test.each(tampering)('%s is found', async (_what, change, at) => {
    const app = await open()
    for (let i = 0; i < 4; i++) await app.a.own('POST', '/v1/api_keys', { name: `Key ${i}` })
    const before = await check(app.a)
    await withoutGuard(app)

    await change(app)

    expect(before).toEqual({ chain: 'intact', entries: 6 })
    expect(await check(app.a)).toEqual({ chain: `broken at ${at}`, entries: at - 1 })
    expect((await check(app.b)).chain).toBe('intact')
  })
})

/** As somebody does who has the whole database in their hands. */
async function withoutGuard({ db }: TestApp): Promise<void> {
  const onServer = [sql`drop trigger audit_append_only on audit`]
  const embedded = [sql`drop trigger audit_no_update`, sql`drop trigger audit_no_delete`]
  const isServer = (await sql`select version()`.execute(db).catch(() => undefined)) !== undefined
  for (const drop of isServer ? onServer : embedded) await drop.execute(db)
}

async function cutOff({ db, a }: TestApp) {
  await db.deleteFrom('audit').where('company_id', '=', a.id).where('n', '>', 4).execute()
  await db.updateTable('audit_head').set({ n: 4 }).where('company_id', '=', a.id).execute()
}

/** The head is made to fit the last entry that is left, as far as the database can tell. */
async function cutOffWithHash(app: TestApp) {
  const { db, a } = app
  const left = db.selectFrom('audit').select('hash').where('company_id', '=', a.id).where('n', '=', 4)
  const { hash } = await left.executeTakeFirstOrThrow()
  await cutOff(app)
  await db.updateTable('audit_head').set({ hash }).where('company_id', '=', a.id).execute()
}

async function forge({ db, a }: TestApp) {
  const last = await db.selectFrom('audit').selectAll().where('company_id', '=', a.id).where('n', '=', 6).execute()
  for (const row of last)
    await db
      .insertInto('audit')
      .values({ ...row, n: 7 })
      .execute()
  await db.updateTable('audit_head').set({ n: 7 }).where('company_id', '=', a.id).execute()
}

async function swap({ db, a }: TestApp) {
  const of = (from: number, to: number) =>
    db.updateTable('audit').set({ n: to }).where('company_id', '=', a.id).where('n', '=', from).execute()
  await of(2, 99)
  await of(3, 2)
  await of(99, 3)
}
