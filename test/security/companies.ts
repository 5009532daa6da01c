import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { transaction } from '../../src/db/database.ts'
import { parseReportParams } from '../../src/domain/analytics/report-params.ts'
import { insertPasskey } from '../../src/features/accounts/passkeys/store.ts'
import { connectUser } from '../../src/features/accounts/presence/actions.ts'
import { insertSession } from '../../src/features/accounts/sign-in/store.ts'
import { insertExport } from '../../src/features/analytics/exports/store.ts'
import { insertImportRun, updateImportRun } from '../../src/features/imports/runs/store.ts'
import { writeEvaluation } from '../../src/features/intelligence/evaluations/store.ts'
import { insertGuide } from '../../src/features/intelligence/guides/store.ts'
import {
  insertActionItem,
  insertInsight,
  insertSpeechLines,
  writeTranscript,
} from '../../src/features/intelligence/results/store.ts'
import { conversationWith, recordMessage } from '../../src/features/messages/inbox/conversations-store.ts'
import { saveLine, setOptOut } from '../../src/features/messages/lines/store.ts'
import { defaultLine } from '../../src/features/messages/lines/view.ts'
import { freshAgent, insertAgent } from '../../src/features/voice-agents/agents/store.ts'
import { freshCampaign } from '../../src/features/voice-agents/campaigns/settings.ts'
import { insertAgentCampaign } from '../../src/features/voice-agents/campaigns/store.ts'
import { insertDocument } from '../../src/features/voice-agents/knowledge/store.ts'
import { insertCallOptOut } from '../../src/features/voice-agents/opt-outs/store.ts'
import { insertOutboundCall } from '../../src/features/voice-agents/outbound-calls/store.ts'
import { insertAgentVersion } from '../../src/features/voice-agents/versions/store.ts'
import type { Route } from '../../src/http/route.ts'
import { hashOf, randomToken } from '../../src/lib/secrets.ts'
import { ulid } from '../../src/lib/ulid.ts'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import type { Client, TestApp, TestCompany } from '../kit/app.ts'
import { install, registerPartner } from '../kit/partner-app.ts'

// Resources of two companies, and the routes that take their ids. Anything missing in these tables fails the matrix:
// new routes cannot be forgotten.

/** One resource of each kind, by every form of its id. */
export type SeededCompany = Record<Kind, [string, ...string[]]>

const kinds = {
  users: 'user',
  sessions: 'session',
  passkeys: 'passkey',
  blocked_callers: 'blocked',
  teams: 'team',
  numbers: 'number',
  contacts: 'contact',
  bulk_changes: 'bulkChange',
  imports: 'userImport',
  company_imports: 'companyImport',
  phone_details: 'phone',
  email_details: 'email',
  tags: 'tag',
  webhooks: 'webhook',
  api_keys: 'key',
  deliveries: 'delivery',
  replays: 'replay',
  phone_numbers: 'queued',
  calls: 'call',
  to_do: 'call',
  filters: 'filter',
  direct_messages: 'user',
  oauth_apps: 'app',
  integrations: 'integration',
  trunks: 'trunk',
  devices: 'device',
  uploads: 'upload',
  export: 'export',
  exports: 'export',
  scheduled_reports: 'scheduledReport',
  carriers: 'carrier',
  message_lines: 'number',
  opt_outs: 'optOut',
  conversations: 'conversation',
  templates: 'text',
  guides: 'guide',
  action_items: 'actionItem',
  coaching: 'call',
  ai_voice_agents: 'voiceAgent',
  versions: 'agentVersion',
  documents: 'agentDocument',
  agents: 'voiceAgent',
  'outbound-calls': 'outboundCall',
  call_opt_outs: 'callOptOut',
  'outbound-campaigns': 'campaign',
} as const

export type Kind = (typeof kinds)[keyof typeof kinds] | 'classic' | 'otherContact'

/** Unknown ids in the same forms as SeededCompany. */
export const unknown: SeededCompany = {
  user: ['999999991', 'nobody%40example.test', 'NOBODY%40EXAMPLE.TEST'],
  team: ['999999991'],
  session: ['0'.repeat(32)],
  passkey: ['999999991'],
  blocked: ['999999991'],
  number: ['999999991'],
  classic: ['999999991'],
  contact: ['999999991'],
  bulkChange: ['999999991'],
  userImport: ['999999992'],
  companyImport: ['999999992'],
  otherContact: ['999999991'],
  filter: ['999999991'],
  phone: ['999999991'],
  email: ['999999991'],
  tag: ['999999991'],
  webhook: ['00000000-0000-4000-8000-000000000000', '999999991'],
  key: ['999999991'],
  delivery: ['dlv_00000000000000000000000000'],
  replay: ['rpl_00000000000000000000000000'],
  queued: ['999999991'],
  call: ['999999991'],
  app: ['999999991'],
  integration: ['999999991', '999999992'],
  trunk: ['999999991'],
  device: ['999999991'],
  upload: ['0'.repeat(32)],
  export: ['00000000-0000-4000-8000-000000000000'],
  scheduledReport: ['999999991'],
  carrier: ['999999991'],
  optOut: ['%2B19995550199'],
  conversation: ['00000000-0000-4000-8000-000000000000'],
  text: ['999999991'],
  guide: ['999999991'],
  actionItem: ['999999991'],
  voiceAgent: ['00000000000000000000000000'],
  agentVersion: ['999999991'],
  agentDocument: ['00000000000000000000000000'],
  outboundCall: ['00000000000000000000000000'],
  callOptOut: ['%2B19995550199'],
  campaign: ['00000000000000000000000000'],
}

/** A body for POST /v1/analytics/scheduled_reports, without recipients. */
export const scheduledReport = {
  name: 'Report',
  frequency: 'weekly',
  weekday: 'mon',
  time: '08:00',
  time_zone: 'Europe/Paris',
  period: 'previous_week',
}

/** Permissions requested by the apps of seedCompany(), by id. */
export const requests = new Map<string, string>()

export async function seedCompany(
  app: TestApp,
  company: TestCompany,
  word: string,
  digits: string,
): Promise<SeededCompany> {
  const made = async (answer: ReturnType<TestCompany['api']>, root: string) => {
    const { status, json, text } = await answer
    expect(status, text).toBe(201)
    return json[root]
  }
  const { api, own } = company
  const person = { email: `${word}@example.test`, first_name: `${word}first`, last_name: `${word}last` }
  const user = await made(api('POST', '/v2/users', person), 'user')
  const team = await made(api('POST', '/v1/teams', { name: `${word} team` }), 'team')
  await made(api('POST', `/v1/teams/${team.id}/users/${user.id}`), 'team')
  const number = await made(own('POST', '/v1/numbers', { digits: `${digits}1`, name: `${word} number` }), 'number')
  const line = { digits: `${digits}2`, name: `${word} classic`, flow_editor_enabled: false, validated: true }
  const classic = await made(own('POST', '/v1/numbers', line), 'number')
  const recipients = { recipient_user_ids: [user.id], recipient_emails: [] }
  const report = await made(
    own('POST', '/v1/analytics/scheduled_reports', { ...scheduledReport, name: `${word} report`, ...recipients }),
    'scheduled_report',
  )
  await own('PUT', `/v1/numbers/${classic.id}/users`, { user_ids: [user.id] })
  await own('PUT', `/v1/numbers/${number.id}/flow?draft=true`, { start: word, nodes: {} })
  const details = {
    phone_numbers: [{ label: word, value: `${digits}3` }],
    emails: [{ label: word, value: `${word}@friends.test` }],
  }
  const contact = await made(
    api('POST', '/v1/contacts', { first_name: word, information: word, ...details }),
    'contact',
  )
  const other = await made(
    api('POST', '/v1/contacts', { last_name: word, phone_numbers: [{ label: word, value: `${digits}7` }] }),
    'contact',
  )
  const rows = [{ first_name: word, phone_numbers: [{ value: `${digits}6` }] }]
  const change = await made(own('POST', '/v1/contacts/imports', { rows, duplicates: 'skip' }), 'change')
  const userRows = [{ email: `${word}.imported@example.test`, first_name: 'Row', last_name: 'One' }]
  const userImport = await made(own('POST', '/v1/users/imports', { rows: userRows, send_invitations: false }), 'import')
  const access = {
    credentialsSealed: app.app.services.vault.seal('{}'),
    merges: false,
    byOperator: false,
    createdBy: null,
  }
  const companyImport = await insertImportRun(
    app.db,
    company.id,
    { source: `https://${word}.test`, ...access },
    app.clock.now(),
  )
  await updateImportRun(app.db, company.id, companyImport, { state: 'done' })
  const view = { page: 'calls', name: word, query: `text=${word}` }
  const filter = await made(own('POST', '/v1/me/filters', view), 'filter')
  const blocked = await made(own('POST', '/v1/blocked_callers', { phone: `${digits}8`, note: word }), 'blocked_caller')
  const passkey = await insertPasskey(app.db, company.id, company.ownerId, {
    credentialId: word,
    publicKey: 'AAAA',
    counter: 0,
    transports: [],
    name: word,
    synced: false,
    createdAt: app.clock.now(),
  })
  const tag = await made(api('POST', '/v1/tags', { name: `${word} tag`, color: '#00ff00' }), 'tag')
  const hook = { url: `https://${word}.example.com/`, custom_name: word, events: ['user.created', 'contact.updated'] }
  const webhook = await made(api('POST', '/v1/webhooks', hook), 'webhook')
  const legacy = await own('GET', `/v1/webhooks/${webhook.webhook_id}`)
  const device = await made(own('POST', `/v1/users/${user.id}/devices`, { name: word }), 'device')
  const trunk = await made(own('POST', '/v1/trunks', { name: word, host: '127.0.0.1', enabled: false }), 'trunk')
  const data = toWav(tones([{ frequency: 440, ms: 100 }], 8_000), 8_000).toString('base64')
  const upload = await made(own('POST', '/v1/sounds/uploads', { name: `${word}.wav`, data }), 'sound')
  const off = { name: word, kind: 'whatsapp', enabled: false }
  await setOptOut(app.db, company.id, number.id, `${digits}9`, app.clock.now())
  const carrier = await made(own('POST', '/v1/carriers', off), 'carrier')
  const written = { direction: 'inbound', body: word, at: app.clock.now() } as const
  const conversation = await transaction(app.db, async (tx) => {
    const started = await conversationWith(tx, company.id, classic.id, { external: `${digits}3` }, app.clock.now())
    await recordMessage(tx, company.id, started.id, written)
    return started.id
  })
  const text = await made(own('POST', '/v1/sms/templates', { name: word, body: word }), 'template')
  await seedMessages(app, company, word, { numberId: number.id, digits })
  const key = await made(own('POST', '/v1/api_keys', { name: word }), 'api_key')
  await api('POST', `/v1/contacts/${contact.id}`, { information: word })
  const log = `/v1/webhooks/${webhook.webhook_id}`
  const [delivery] = (await api('GET', `${log}/deliveries`)).json.deliveries
  const campaign = `/v1/users/${user.id}/dialer_campaign`
  await api('POST', campaign, { phone_numbers: [`${digits}4`] })
  const [queued] = (await api('GET', `${campaign}/phone_numbers`)).json.numbers
  const call = await answeredCall(app, company, word, digits)
  await made(api('POST', `/v1/calls/${call}/tags`, { tags: [tag.id] }), 'call')
  await connect(app, company, user.id)
  const replay = await made(api('POST', `${log}/replays`, { delivery_ids: [delivery.id] }), 'replay')
  const partner = await registerPartner(app, company, { name: `${word} app` })
  requests.set(String(partner.id), partner.query())
  const installed = await install(app, company, partner)
  const me = async (client: Client) => (await client('GET', '/v1/integrations/me')).json.integration.id
  const agent = await someAgent(app, company, word, number.id)
  return {
    app: [String(partner.id)],
    integration: [String(await me(installed.api)), String(await me(api))],
    user: [String(user.id), `${word}%40example.test`, `${word.toUpperCase()}%40EXAMPLE.TEST`],
    team: [String(team.id)],
    session: [await someSession(app, company)],
    blocked: [String(blocked.id)],
    passkey: [String(passkey.id)],
    number: [String(number.id)],
    classic: [String(classic.id)],
    contact: [String(contact.id)],
    bulkChange: [String(change.id)],
    userImport: [String(userImport.id)],
    companyImport: [String(companyImport)],
    otherContact: [String(other.id)],
    filter: [String(filter.id)],
    phone: [String(contact.phone_numbers[0].id)],
    email: [String(contact.emails[0].id)],
    tag: [String(tag.id)],
    webhook: [webhook.webhook_id, String(legacy.json.webhook.id)],
    trunk: [String(trunk.id)],
    device: [String(device.id)],
    upload: [upload.url.slice(-32)],
    carrier: [String(carrier.id)],
    optOut: [encodeURIComponent(`${digits}9`)],
    conversation: [conversation],
    text: [String(text.id)],
    ...(await someInsights(app, company, word, call)),
    voiceAgent: [agent],
    agentVersion: [String(company.id)],
    agentDocument: [await someDocument(app, company, agent)],
    outboundCall: [await someOutboundCall(app, company, agent, number.id)],
    campaign: [await someCampaign(app, company, agent, number.id)],
    callOptOut: [await someCallOptOut(app, company, digits)],
    key: [String(key.id)],
    delivery: [delivery.id],
    replay: [replay.id],
    queued: [String(queued.id)],
    call: [String(call)],
    export: [await someExport(app, company)],
    scheduledReport: [String(report.id)],
  }
}

async function someSession({ db, clock }: TestApp, { id, ownerId }: TestCompany): Promise<string> {
  const idHash = hashOf(randomToken())
  await insertSession(db, id, { idHash, userId: ownerId, csrfHash: idHash, at: clock.machineNow() })
  return idHash.slice(0, 32)
}

/** Written directly: not every plan has them. */
async function someAgent({ db, clock }: TestApp, company: TestCompany, word: string, numberId: number) {
  const settings = { ...freshAgent, name: word, firstMessage: `Hello from ${word}`, numberId }
  const agent = await insertAgent(db, company.id, ulid(clock.machineNow()), settings, clock.now())
  // Each company has a version that the other one lacks.
  const version = { note: null, createdBy: null, at: clock.now() }
  await insertAgentVersion(db, company.id, { ...agent, version: company.id }, version)
  return agent.id
}

async function someDocument({ db, clock }: TestApp, company: TestCompany, agentId: string) {
  const id = ulid(clock.machineNow())
  const sizes = { bytes: 0, characters: 0, passages: 0 }
  const state = { format: null, status: 'failed', problem: null, fetchedAt: null, createdAt: clock.now() } as const
  const url = 'https://faq.example.com/'
  await insertDocument(db, company.id, { id, agentId, name: url, url, ...sizes, ...state })
  return id
}

async function someOutboundCall({ db, clock }: TestApp, company: TestCompany, agentId: string, numberId: number) {
  const id = ulid(clock.machineNow())
  const input = {
    id,
    idempotencyKey: id,
    agentId,
    numberId,
    phone: '+33180000009',
    context: {},
    status: 'COMPLETED' as const,
  }
  const at = clock.now()
  await insertOutboundCall(db, company.id, {
    ...input,
    failureReason: null,
    callId: null,
    expiresAt: at,
    createdAt: at,
  })
  return id
}

async function someCampaign({ db, clock }: TestApp, company: TestCompany, agentId: string, numberId: number) {
  const settings = { ...freshCampaign, name: 'Campaign', agentId, numberIds: [numberId] }
  return (await insertAgentCampaign(db, company.id, ulid(clock.machineNow()), settings, clock.now())).id
}

async function someCallOptOut({ db, clock }: TestApp, company: TestCompany, digits: string) {
  const phone = `${digits}8`
  await insertCallOptOut(db, company.id, { phone, source: 'api', callId: null, createdAt: clock.now() })
  return encodeURIComponent(phone)
}

/** Written directly: not every plan has reports. */
async function someExport({ db, clock }: TestApp, company: TestCompany): Promise<string> {
  const filter = { timezone: 'Etc/UTC', dateFilter: { relative: 'TODAY' } }
  const parsed = parseReportParams({ reportName: 'CALLS_HISTORY', filter })
  if (!('params' in parsed)) throw new Error('the report parameters are invalid')
  const id = randomUUID()
  await insertExport(db, company.id, { id, params: parsed.params, at: clock.now(), by: null })
  return id
}

/** Call results and their definitions, written as by the jobs: not every plan has them. */
async function someInsights({ db, clock }: TestApp, { id }: TestCompany, word: string, call: number) {
  const at = clock.now()
  const lines = [{ side: 'right' as const, text: word, startMs: 0, endMs: 900, at, phone: null }]
  await insertSpeechLines(db, id, call, { sound: 'recording', engine: 'script', language: 'en', lines })
  const utterance = { start: 0, end: 1, text: word, speaker: { side: 'external' as const, phone: word } }
  await writeTranscript(db, id, call, [utterance], at)
  const live = { language: 'en', utterances: [{ ...utterance, at, ms: 900 }] }
  await insertInsight(db, id, call, { kind: 'live', engine: 'model', content: live }, at)
  const csat = { score: 50, drivers: [{ polarity: 'NEUTRAL' as const, label: word }] }
  await insertInsight(db, id, call, { kind: 'csat', engine: 'model', content: csat }, at)
  await insertInsight(db, id, call, { kind: 'topics', engine: 'rules', content: [word] }, at)
  await insertInsight(db, id, call, { kind: 'summary', engine: 'rules', content: word }, at)
  await insertInsight(
    db,
    id,
    call,
    { kind: 'sentiment', engine: 'rules', content: [{ phone: word, value: 'NEUTRAL' }] },
    at,
  )
  const section = { name: 'Section', type: 'PARAGRAPH' as const, content: word, aiGenerated: true, createdAt: at }
  const custom = { name: word, language: 'en', sections: [section] }
  await insertInsight(db, id, call, { kind: 'custom_summary', engine: 'rules', content: custom }, at)
  const topics = [{ name: 'Topic', result: true }]
  const result = { playbook: { id: 1, name: word, language: 'en' }, userId: null, adherence: 1, topics }
  await insertInsight(db, id, call, { kind: 'playbook_result', engine: 'rules', content: result }, at)
  const item = await insertActionItem(db, id, call, { content: word, aiGenerated: true, createdBy: null }, at)
  const times = { createdAt: at, updatedAt: at, reviewedAt: null, createdBy: null, updatedBy: null }
  await writeEvaluation(db, id, call, { aiGenerated: true, ...times, evaluations: [] })
  const phrases = [word]
  const question = { text: word, type: 'BINARY' as const, points: 1, strictness: 1 as const, aiEnabled: true, phrases }
  const document = { description: word, categories: [{ name: word, questions: [question] }] }
  const made = { kind: 'scorecard' as const, name: word, active: true, document, createdAt: at, updatedAt: at }
  const guide: [string] = [String(await insertGuide(db, id, made))]
  const actionItem: [string] = [String(item.id)]
  return { guide, actionItem }
}

/** A Number with messaging, with inbox bypass, and with WhatsApp. */
async function seedMessages(
  { db, clock }: TestApp,
  { id, api }: TestCompany,
  word: string,
  { numberId, digits }: { numberId: number; digits: string },
): Promise<void> {
  await db.updateTable('number').set({ validated: 1 }).where('id', '=', numberId).execute()
  await saveLine(db, id, { ...defaultLine(id, numberId), wabaId: word }, clock.now())
  const configuration = { callbackUrl: `https://${word}.example.com/messages` }
  const path = `/v1/numbers/${numberId}/messages`
  expect((await api('POST', `${path}/configuration`, configuration)).status).toBe(200)
  expect((await api('POST', `${path}/native/send`, { to: `${digits}3`, body: word })).status).toBe(200)
}

/** An active, recorded call answered by the owner. */
async function answeredCall(app: TestApp, company: TestCompany, word: string, digits: string): Promise<number> {
  const { api, own, ownerId } = company
  const { services } = app.app
  const line = await own('POST', '/v1/numbers', { digits: `${digits}5`, name: `${word} line`, validated: true })
  const ring = { type: 'ring_to', targets: [{ type: 'user', id: ownerId }], branches: { no_answer: 'end' } }
  const flow = { start: 'ring', nodes: { ring, end: { type: 'hang_up', media: null } } }
  const { id } = line.json.number
  expect((await own('PUT', `/v1/numbers/${id}/flow`, flow)).status).toBe(200)
  expect((await api('PUT', `/v1/numbers/${id}`, { live_recording_activated: true })).status).toBe(200)
  await connect(app, company, ownerId)
  const input = { from: `${digits}3`, to: `${digits}5`, script: [], patienceSeconds: null }
  const call = await services.sandbox?.network.call(input)
  await app.settle()
  const key = await services.calls.ofUser(company.id, ownerId)
  expect(await services.calls.send(key ?? '', { kind: 'answer', by: ownerId })).toEqual({ ok: true })
  await app.settle()
  return call ?? 0
}

/** Confirmed, and connected to the phone app. */
async function connect({ app, db, clock }: TestApp, { id }: TestCompany, userId: number): Promise<void> {
  await db.updateTable('user').set({ confirmed_at: clock.now() }).where('id', '=', userId).execute()
  const session = { id: `session-${userId}`, userId, name: 'default', kind: 'sandbox', owner: '' } as const
  await connectUser(app.services, id, { ...session, at: clock.now() })
}

export interface Position {
  name: string
  kind: Kind
}

/** The ids in a path, identified by the preceding word. */
export function idsInPath(path: string): Position[] {
  const parts = path.split('/')
  return parts.flatMap((part, i) => {
    if (!part.startsWith(':')) return []
    const word = parts[i - 1] ?? ''
    const kind = Object.hasOwn(kinds, word) ? kinds[word as keyof typeof kinds] : undefined
    if (!kind) throw new Error(`${path}: add what ${part} names to tenant-matrix, and create one in seedCompany()`)
    return [{ name: part.slice(1), kind: kind === 'number' && path.endsWith('/opening_hours') ? 'classic' : kind }]
  })
}

interface Shape {
  properties?: Record<string, Shape>
  type?: string | string[]
  enum?: unknown[]
  items?: Shape
  minimum?: number
  pattern?: string
  examples?: unknown[]
  'x-id'?: boolean
  'x-any'?: boolean
}

/** Fields of bodies and queries that hold ids, or any JSON, which may contain ids. */
export function idFields({ document: { body, query } }: Route): string[] {
  return [body, query].flatMap((schema) =>
    Object.entries((schema as Shape | undefined)?.properties ?? {}).flatMap(([name, shape]) => {
      const isAnything = shape['x-any'] && shape.type === undefined
      const marked = shape['x-id'] || isAnything || shape.items?.['x-id']
      const named = /(^|_)ids?$/.test(name) && !shape.items?.enum
      const nested = idFields({ document: { body: shape } } as Route).map((inner) => `${name}.${inner}`)
      return marked || named ? [name] : nested
    }),
  )
}

/** A body that the schema accepts, so that only the id prevents an effect. */
export function sampleBody({ document: { body } }: Route): Record<string, unknown> | undefined {
  return body && (sample(body as Shape) as Record<string, unknown>)
}

function sample(shape: Shape): unknown {
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type
  if (shape.examples) return shape.examples[0]
  if (shape.enum) return shape.enum[0]
  if (type === undefined) return {}
  if (type === 'object') {
    return Object.fromEntries(Object.entries(shape.properties ?? {}).map(([name, inner]) => [name, sample(inner)]))
  }
  if (type === 'array') return shape.items ? [sample(shape.items)] : []
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return shape.pattern === '^[A-Z]{2}$' ? 'FR' : 'Stolen'
}

/** An endless response: skipped by tests that call every route. */
export const isEndless = ({ document: { reply } }: Route) => 'stream' in reply
