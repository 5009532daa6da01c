import { type CompiledQuery, DefaultQueryExecutor, type QueryResult } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { EmbeddedAdapter } from '../../src/db/embedded.ts'
import { unsubscribeUrl } from '../../src/features/analytics/scheduled-reports/links.ts'
import { reportRecipients } from '../../src/features/analytics/scheduled-reports/store.ts'
import { updateImportRun } from '../../src/features/imports/runs/store.ts'
import { routes } from '../../src/features/index.ts'
import type { Route } from '../../src/http/route.ts'
import { totpCode, totpStep } from '../../src/lib/totp.ts'
import { sourceStandIn } from '../imports/source-stand-in.ts'
import { type Client, onBothDatabases, type TestApp } from '../kit/app.ts'
import { providerStandIn } from '../kit/hostile-provider.ts'
import { type Colleague, colleague, linkMailedTo, password, visitor } from '../kit/visitor.ts'
import { validBody, validQuery } from './bodies.ts'
import { idsInPath, isEndless, type SeededCompany, scheduledReport, seedCompany } from './companies.ts'

// Every statement on rows of a company has a company condition. Executed statements are checked, not the source: they
// are caught however they were written.

const executed = new Set<string>()
const execute = DefaultQueryExecutor.prototype.executeQuery
DefaultQueryExecutor.prototype.executeQuery = function <R>(query: CompiledQuery) {
  executed.add(query.sql.replace(/\s+/g, ' ').trim())
  return execute.call(this, query) as Promise<QueryResult<R>>
}
const atOnce = EmbeddedAdapter.prototype.atOnce
EmbeddedAdapter.prototype.atOnce = function <R>(db: Db, sql: string, parameters: readonly unknown[]) {
  executed.add(sql.replace(/\s+/g, ' ').trim())
  return atOnce.call(this, db, sql, parameters) as R[] | undefined
}

const sender = 'the dispatcher sends for all companies at once, and finds rows by webhooks it was given'
const engine = 'a process carries the calls of all companies, and finds by its own name what is meant for it'
const sockets = 'a process looks after the sockets of all companies'
const lines = 'a process hands over the messages of all companies'
const cleaner = 'what is old goes, whosever it is'

/** Statements without a company condition, each with its reason. */
const excused: [statement: RegExp, reason: string][] = [
  [/left join api_key as k on k.api_id = /, 'a key identifies the company'],
  [/from "oauth_token" inner join "company" .*"oauth_token"."token_hash" = /, 'a token identifies the company'],
  [/from "oauth_app" where "client_id" = /, 'a client identifies the company'],
  [/^select "id", "company_id" from "oauth_token" where "app_id" = /, 'an app is removed wherever it is installed'],
  [/^delete from "oauth_code" where "expires_at" < /, cleaner],
  [/^delete from "idempotency_key" where .* where "expires_at" <= /, cleaner],
  [/from "session" inner join "company" .*"session"."id_hash" = /, 'a session identifies the company'],
  [/^select "company_id" from "session" where "id_hash" = /, 'a session, as above'],
  [/from "invitation" where "token_hash" = /, 'a mailed link identifies the account'],
  [/^update "invitation" set "used_at" = \S+ where "token_hash" = /, 'a mailed link, as above'],
  [
    /from "user" inner join "company" .* where "user"."email_key" = /,
    'an address may have accounts in several companies',
  ],
  [/^select \* from "mail" where "recipient" = /, 'this test reads its mail'],
  [/^(select|update) .*"mail" .*where "id" = /, 'the worker is given the id of a mail by its own job'],
  [/^select "id", "company_id", "url", .* from "webhook" where "id" in /, sender],
  [/^update webhook set (health|last_success_at) = /, sender],
  [/^select "id", "url", "token", "status", .* from "webhook" where "id" in /, sender],
  [/^select "id" from "replay" where "id" in \(/, sender],
  [/^with taken as \( update delivery set state = 'leased'/, sender],
  [/^select d.id, d.message_id, .* from delivery d join event e on e.row_id = d.event_row /, sender],
  [/^with done as \( update delivery set state = given.state, /, sender],
  [/^update delivery set lease_token = null, /, sender],
  [/^select "id", "company_id" from "webhook" where "status" = \S+ and .*"deleted_at" is null and exists/, cleaner],
  [/^update delivery set state = 'leased', lease_token = /, sender],
  [/^update delivery set state = given.state, /, sender],
  [/^update delivery set next_at = /, sender],
  [/^with recursive w\(id\) as \( select min\(webhook_id\) from delivery /, sender],
  [/^update delivery set state = 'queued', lease_token = null/, sender],
  [/^select "id", .* from "call_command" where "owner" = /, engine],
  [/^select "key", .* from "live_call" where "owner" not in \(/, engine],
  [/^select distinct "owner" from "live_call"$/, engine],
  [/^select "key" from "live_call" where "lost_at" is not null limit /, engine],
  [/^delete from "push_subscription" where "endpoint_hash" = /, 'an endpoint identifies the browser'],
  [/^delete from "bulk_change" where "created_at" < /, cleaner],
  [/^select "owner", "company_id" from "live_call" where "key" = /, 'the key of a call identifies the company'],
  [/^select "u"."id", "u"."company_id" from "user" as "u" where "u"."granular" = \S+ .*"queue_place"/, engine],
  [
    /^select .* from "scheduled_report" where "next_run_at" is not null order by "id"$/,
    'a process schedules the reports of all companies',
  ],
  [/^delete from "call_command" where "(owner" =|key" = \S+ and "created_at" <)/, sockets],
  [/^select "company_id", .* from "phone_session" where "kind" in /, sockets],
  [/^select row_id from event where position is null limit 1$/, 'the sequencer, as below'],
  [/^update event set position = /, 'the sequencer numbers the events of all companies'],
  [/^with todo as \( select row_id, row_number\(\) .* update event set position = /, 'the sequencer, as above'],
  [/^(select "row_id" from|delete from) "event" where "(occurred_at" <|row_id" in)/, cleaner],
  [/^update "delivery" set "state" = .* where "state" = \S+ and "created_at" < /, cleaner],
  [/^(select|delete) .*from "(delivery|attempt)" where "(event_row|delivery_id|id)" in /, cleaner],
  [/^delete from "replay" where "created_at" < /, cleaner],
  [/^delete from "ai_outbound_call" where "created_at" < /, cleaner],
  [/^delete from "short_url" where "id" in \(select "id" from "short_url" where "expires_at" < /, cleaner],
  [/^select "company_id", "number_id" from "message(_callback)?" where .* group by "company_id", "number_id"$/, lines],
  [
    /^select .* from "device" inner join "user" .* order by "device"."id"$/,
    'a process serves the devices of all companies',
  ],
  [/^select .* from "device_contact" where "expires_at" [<>] /, 'a process serves the devices of all companies'],
  [/^update "device" set "setup_hash" = .* where "setup_until" < /, cleaner],
  [/^update "device" set "setup_left" = .* where "setup_hash" = /, 'a setup link identifies the device'],
  [
    /^select .* from "sso" inner join "company" .* order by "sso"."company_id"$/,
    'the sign-in page is for all companies',
  ],
  [/^select .* from "passkey" where "credential_id" = /, 'a credential identifies the company'],
  [
    /^delete from "passkey_challenge" where "(challenge_hash" = |expires_at" <= )/,
    'a challenge identifies the session',
  ],
  [/^delete from "sso_request" where "(state_hash" = |expires_at" <= )/, 'a state identifies the company'],
  [/^select \* from "carrier" order by "id"$/, 'a process opens the carriers of all companies'],
  [/^delete from "message_(callback|arrival)" where "(tried_at|at)" < /, cleaner],
  [/from "short_url" where "id" = /, 'a short URL identifies the company'],
  [/^select "id", "company_id" from "number" where "digits" = /, 'a dialled number identifies the company'],
  [/^update "event" set .* where "row_id" = /, 'the row was written or read in the same transaction'],
  [
    /^delete from "(mail|callback_request|dialer_number|dialled|live_alert|edit|scheduled_report_run)" where "(created_at|expires_at|called|begun_at|raised_at|edited_at)" /,
    'retention is for all companies',
  ],
  [/^delete from "call_command" where "created_at" < /, 'requests between processes are for all companies'],
  [
    /^delete from "ring_reservation" where "key" not in \(select "live_call"/,
    'calls of a lost process are for all companies',
  ],
  [/^with c as \( insert into contact \(company_id,/, 'one statement that names the company in each of its inserts'],
]

const order = ['POST', 'PUT', 'GET', 'DELETE']
/** Deletion order: parts before the whole, members before users. */
const byDepth = (a: Route, b: Route) =>
  order.indexOf(a.method) - order.indexOf(b.method) || b.path.length - a.path.length

/** Every route once, successfully: otherwise its statements would not be seen. */
async function walk(app: TestApp, mine: SeededCompany): Promise<string[]> {
  const { a } = app
  const { services } = app.app
  const failed: string[] = []
  const userId = Number(mine.user[0])
  const confirm = (at: number | null) =>
    app.db
      .updateTable('user')
      .set({ confirmed_at: at })
      .where('company_id', '=', a.id)
      .where('id', '=', userId)
      .execute()
  /** On no call and not ringing: such a user can be called and deleted. */
  const release = async () => {
    await confirm(app.clock.now())
    const key = await services.calls.ofUser(a.id, userId)
    if (!key) return
    await services.calls.send(key, { kind: 'decline', by: userId })
    await services.calls.send(key, { kind: 'hang_up', by: userId })
    await app.settle()
  }
  const campaignIs = (status: 'draft' | 'running' | 'paused') => async () => {
    // The job of an earlier request would finish a campaign without recipients.
    await app.settle()
    await app.db.updateTable('ai_campaign').set({ status, ended_at: null }).where('company_id', '=', a.id).execute()
  }
  const preparations: Record<string, (client: Client, path: string) => Promise<unknown>> = {
    // The user is already a member; joining again would be refused.
    'POST /v1/teams/:team_id/users/:user_id': (client, path) => client('DELETE', path),
    'POST /v1/users/:id/calls': release,
    'POST /v1/users/:id/dial': release,
    'DELETE /v1/users/:id': release,
    'POST /v1/users/:id/invitation': () => confirm(null),
    'POST /v1/users/:id/invitation_link': () => confirm(null),
    'POST /v1/outbound-campaigns/:id/start': campaignIs('draft'),
    'POST /v1/outbound-campaigns/:id/pause': campaignIs('running'),
    'POST /v1/outbound-campaigns/:id/resume': campaignIs('paused'),
    'PUT /v1/outbound-campaigns/:id': campaignIs('draft'),
    'DELETE /v1/outbound-campaigns/:id': campaignIs('draft'),
    // Its calls have ended by then.
    'DELETE /v1/numbers/:id': async () => {
      await release()
      await app.clock.advance(3_600_000)
    },
  }
  // Routes for API keys alone have the handlers of others.
  const others = routes.filter(
    (r) => (r.access === 'api' || r.access === 'app') && !isEndless(r) && !personal.includes(nameOf(r)),
  )
  for (const route of others.sort(byDepth)) {
    const name = nameOf(route)
    const path = idsInPath(route.path).reduce((p, { name: id, kind }) => p.replace(`:${id}`, mine[kind][0]), route.path)
    const body = validBody(route, mine)
    const client = route.access === 'app' ? a.own : a.api
    await preparations[name]?.(client, path)
    const { status, text } = await client(route.method, path + validQuery(route), body)
    if (status >= 300 && !refused.has(name)) failed.push(`${name}: ${status} ${text}`)
  }
  return failed
}

/** Refused unless a call rings, or without an authenticator; their statements precede the refusal. */
// Nothing rings, no passkey signs in, and no AI agent has taken the call.
const refused = new Set([
  'POST /v1/ai_voice_agents/:id/tests/import',
  'POST /v1/me/calls/decline',
  'POST /v1/session/passkeys',
  'POST /v1/passkey_sign_in',
])

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** Operations that a user can do only for themselves, or only once. */
const personal = [
  'POST /v1/session',
  'GET /v1/session',
  'DELETE /v1/session',
  'DELETE /v1/sessions',
  'PUT /v1/session/password',
  'POST /v1/password_resets',
  'POST /v1/account_links/look',
  'POST /v1/account_links/use',
  'POST /v1/report_subscription/look',
  'PUT /v1/report_subscription',
  'POST /v1/me/wrap_up/finish',
  'POST /v1/session/two_step',
  'POST /v1/session/two_step/confirm',
  'POST /v1/session/two_step/recovery_codes',
  'POST /v1/session/two_step/disable',
  'PUT /v1/company/security',
  'DELETE /v1/users/:id/two_step',
  'POST /v1/users/:id/deactivate',
  'POST /v1/users/:id/reactivate',
  'GET /v1/sign_in_options',
  'PUT /v1/company/sso',
  'POST /v1/sso/start',
  'POST /v1/sso/finish',
  'DELETE /v1/company/sso',
  'POST /v1/company_imports/counts',
  'POST /v1/company_imports',
  'GET /v1/company_imports',
  'GET /v1/company_imports/:id',
  'POST /v1/company_imports/:id/stop',
  'POST /v1/company_imports/:id/continue',
]

async function walkSso(
  app: TestApp,
  owner: Colleague,
  goAs: (who: Colleague, method: string, path: string, body?: object) => Promise<Record<string, string>>,
) {
  const provider = await providerStandIn(() => app.clock.machineNow())
  const domains = { domains: ['example.test'], creates_users: true, trusts_email: false }
  const roles = { role_claim: 'sub', role_map: [{ value: 'subject-1', role: 'admin' }], default_role: null }
  const client = { issuer: provider.issuer, client_id: 'phone', client_secret: 'secret' }
  const browser = { ...visitor(app), id: 0, email: 'ada@example.test' }
  await goAs(owner, 'PUT', '/v1/company/sso', { ...client, ...domains, ...roles, forced: false })
  await goAs(browser, 'GET', '/v1/sign_in_options')
  const started = await goAs(browser, 'POST', '/v1/sso/start', { email: browser.email })
  const query = new URL(started.url ?? '').searchParams
  provider.nonce = query.get('nonce') ?? ''
  const answer = { state: query.get('state'), browser: started.browser, code: 'x' }
  await goAs(browser, 'POST', '/v1/sso/finish', answer)
  await goAs(owner, 'DELETE', '/v1/company/sso')
}

/** An import needs a source; the job of the first one ends before it is stopped. */
async function walkImport(
  app: TestApp,
  owner: Colleague,
  go: (method: string, path: string, body?: object) => Promise<unknown>,
) {
  const source = { url: await sourceStandIn(), api_key: 'id', api_token: 'token' }
  await go('POST', '/v1/company_imports/counts', source)
  await go('POST', '/v1/company_imports', source)
  await app.app.settle()
  await go('GET', '/v1/company_imports')
  const { json } = await owner.ask('GET', '/v1/company_imports')
  const { id } = json.imports[0]
  const move = (state: 'running' | 'stopped') => updateImportRun(app.db, app.a.id, id, { state })
  await go('GET', `/v1/company_imports/${id}`)
  await move('running')
  await go('POST', `/v1/company_imports/${id}/stop`)
  await go('POST', `/v1/company_imports/${id}/continue`)
}

async function walkAsPerson(app: TestApp): Promise<string[]> {
  const me = await colleague(app, app.a, 'agent')
  const [owner, other] = [await colleague(app, app.a, 'owner'), await colleague(app, app.a, 'agent')]
  const failed: string[] = []
  const walked = new Set<string>(['POST /v1/account_links/use'])
  const goAs = async (who: Colleague, method: string, path: string, body?: object) => {
    const { status, text, json } = await who.ask(method, path, body)
    walked.add(
      `${method} ${path.replace(`/users/${other.id}/`, '/users/:id/').replace(/company_imports\/\d+/, 'company_imports/:id')}`,
    )
    if (status >= 300) failed.push(`${method} ${path}: ${status} ${text}`)
    return json
  }
  const go = (method: string, path: string, body?: object) => goAs(me, method, path, body)
  const enrol = async (who: Colleague) => {
    const { secret } = await goAs(who, 'POST', '/v1/session/two_step', { password })
    const next = () => {
      app.clock.shiftMachine(30_000)
      return totpCode(secret, totpStep(app.clock.machineNow()))
    }
    await goAs(who, 'POST', '/v1/session/two_step/confirm', { code: next() })
    return next
  }
  await enrol(other)
  await goAs(owner, 'DELETE', `/v1/users/${other.id}/two_step`)
  await goAs(owner, 'POST', `/v1/users/${other.id}/deactivate`)
  await goAs(owner, 'POST', `/v1/users/${other.id}/reactivate`)
  await walkSso(app, owner, goAs)
  await walkImport(app, owner, (method, path, body) => goAs(owner, method, path, body))
  const token = await subscriptionTokenOf(app, owner.id)
  await goAs(owner, 'POST', '/v1/report_subscription/look', { token })
  await goAs(owner, 'PUT', '/v1/report_subscription', { token, subscribed: false })
  const next = await enrol(owner)
  await goAs(owner, 'PUT', '/v1/company/security', { two_step_required: true })
  await goAs(owner, 'PUT', '/v1/company/security', { two_step_required: false })
  await goAs(owner, 'POST', '/v1/session/two_step/recovery_codes', { password, code: next() })
  await goAs(owner, 'POST', '/v1/session/two_step/disable', { password, code: next() })
  await go('PUT', '/v1/session/password', { password, new_password: `${password}!` })
  await go('DELETE', '/v1/session')
  await visitor(app).signIn(me.email, 'wrong')
  await go('POST', '/v1/session', { email: me.email, password: `${password}!` })
  await go('GET', '/v1/session')
  const wrapUp = { wrap_up_call_id: 1, wrap_up_until: app.clock.now() + 1_000 }
  await app.db.updateTable('user').set(wrapUp).where('company_id', '=', app.a.id).where('id', '=', me.id).execute()
  await go('POST', '/v1/me/wrap_up/finish')
  await go('DELETE', '/v1/sessions')
  await go('POST', '/v1/password_resets', { email: me.email })
  await go('POST', '/v1/account_links/look', { token: await linkMailedTo(app, me.email, 'password') })
  expect([...walked].sort()).toEqual(personal.toSorted())
  return failed
}

/** Of the unsubscribe link of a scheduled report. */
async function subscriptionTokenOf({ a, app, db }: TestApp, userId: number): Promise<string> {
  const body = { ...scheduledReport, recipient_user_ids: [userId] }
  const { json } = await a.own('POST', '/v1/analytics/scheduled_reports', body)
  const [recipient] = await reportRecipients(db, a.id, json.scheduled_report.id)
  const { vault, links } = app.services
  return (
    unsubscribeUrl(vault, links, { companyId: a.id, recipientId: recipient?.id ?? 0 })
      .split('/')
      .at(-1) ?? ''
  )
}

const tablesIn = (statement: string) =>
  [...statement.matchAll(/(?:from|join|into|update) "?(\w+)"?/g)].map(([, table = '']) => table)

function namesCompany(statement: string): boolean {
  if (statement.startsWith('insert')) return /\([^)]*company_id[^)]*\)/.test(statement)
  const condition = statement.slice(statement.indexOf(' where '))
  return /company_id"? = /.test(condition)
}

onBothDatabases('queries', (open) => {
  test('every statement on the rows of a company names the company', async () => {
    const app = await open()
    const mine = await seedCompany(app, app.a, 'walker', '+1415555010')
    const tables = await app.db.introspection.getTables()
    const owned = new Set(
      tables.filter(({ columns }) => columns.some(({ name }) => name === 'company_id')).map(({ name }) => name),
    )
    await app.app.settle()
    executed.clear()

    const failed = [...(await walkAsPerson(app)), ...(await walk(app, mine))]
    await app.app.settle()
    await app.clock.advance(15 * 24 * 3_600_000)

    const touching = [...executed].filter((statement) => tablesIn(statement).some((table) => owned.has(table)))
    const unnamed = touching.filter((statement) => !namesCompany(statement))
    const unexcused = unnamed.filter((statement) => !excused.some(([pattern]) => pattern.test(statement)))
    expect(failed).toEqual([])
    expect(unexcused).toEqual([])
    expect(owned.size).toBeGreaterThan(15)
    expect(touching.length).toBeGreaterThan(80)
    console.log(`${touching.length} different statements on ${owned.size} tables, ${unnamed.length} excused`)
  })
})
