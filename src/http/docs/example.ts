import { type OpenApiSchema, singular, typesOf } from './schema.ts'

/** Time of the examples: a Monday, noon UTC. */
export const exampleInstant = Date.UTC(2026, 5, 15, 12)
export const exampleToken = '5b1e0f6c9a7d4e3282c4d90b7a6f1e53'

/** Context of an example: base URL and path. */
export interface Setting {
  server: string
  path: string
}

/** A realistic value that fits the schema. Ids are small, so that most examples work on the demo data of a sandbox. */
export function exampleOf(schema: OpenApiSchema, setting: Setting): unknown {
  return sampleOf(schema, '', ownerIn(setting.path), setting)
}

/** Value of a path parameter, a recorded one if there is one: the `:id` of `/v1/teams/:id` is that of a team. */
export function pathExample(name: string, path: string, schema: OpenApiSchema, recorded?: unknown): unknown {
  if (recorded === undefined && schema.examples && schema.examples.length > 0) return schema.examples[0]
  const before = path.slice(0, path.indexOf(`:${name}`))
  const value = recorded ?? knownValue(name, ownerIn(before), { server: '', path }) ?? 1
  return fits(schema, value) ? value : String(value)
}

function sampleOf(schema: OpenApiSchema, name: string, owner: string, setting: Setting): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.format === 'uuid') return webhookId
  const known = knownValue(name, owner, setting)
  if (known !== undefined && fits(schema, known)) return known
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  return madeUp(schema, name, owner, setting)
}

function madeUp(schema: OpenApiSchema, name: string, owner: string, setting: Setting): unknown {
  const [type] = typesOf(schema)
  switch (type) {
    case 'object':
      return objectOf(schema, name === '' ? owner : singular(name), setting)
    case 'array':
      return schema.items ? [sampleOf(schema.items, '', name === '' ? owner : singular(name), setting)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'string':
      return byFormat[schema.format ?? ''] ?? 'text'
    default:
      return null
  }
}

const byFormat: Record<string, string> = {
  'date-time': '2026-06-15T12:00:00.000Z',
  uri: 'https://example.com/file',
}

function objectOf(schema: OpenApiSchema, owner: string, setting: Setting): object {
  const required = schema.required ?? []
  const isAway = schema.properties?.substatus?.enum !== undefined
  const fields = Object.entries(schema.properties ?? {})
    // Fields without effect are omitted in requests; responses contain them, because there they are mandatory.
    .filter(([name, field]) => required.includes(name) || !(field.deprecated || rareAudio.has(name)))
    .map(([name, field]) => {
      // A reason applies only together with this status.
      if (isAway && name === 'availability_status') return [name, 'unavailable']
      // Responses contain our own audio; requests must use a public URL.
      if (!required.includes(name) && audio.has(name)) return [name, `https://example.com/audio/${name}.mp3`]
      return [name, sampleOf(field, name, owner, setting)]
    })
  return Object.fromEntries(fields)
}

function fits(schema: OpenApiSchema, value: unknown): boolean {
  if (schema.enum) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (types.length === 0) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) {
    const { items } = schema
    return types.includes('array') && (!items || value.every((item) => fits(items, item)))
  }
  if (typeof value === 'number') return types.includes('integer') || types.includes('number')
  return types.includes(typeof value)
}

/** `/v1/teams/:id/users` concerns a user, `/v1/company/settings` concerns settings. */
function ownerIn(path: string): string {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  return singular(words.at(-1) ?? '')
}

const ids: Record<string, number> = {
  user: 4,
  number: 1,
  team: 2,
  contact: 7,
  tag: 3,
  webhook: 5,
  phone_number: 7,
  phone_detail: 7,
  email: 5,
  email_detail: 5,
  api_key: 2,
  mail: 1,
}

const names: Record<string, string> = {
  user: 'Dario Ortega',
  number: 'Main line',
  team: 'Night shift',
  tag: 'Follow-up',
  company: 'Demo Company',
  setting: 'Demo Company',
  api_key: 'Reporting',
}

const webhookId = '6f1d2c84-0c3b-4b57-9a55-2f0d8f1c7e21'

const values: Record<string, unknown> = {
  ping: 'pong',
  resource: 'Hookswitch Documentation',
  contact: 'support@example.com',
  email: 'dario.ortega@example.com',
  role_ids: ['agent'],
  first_name: 'Dario',
  last_name: 'Ortega',
  company_name: 'Blue Door Bakery',
  information: 'Prefers calls before noon',
  substatus: 'always_open',
  state: 'always_open',
  available: true,
  time_zone: 'Europe/Paris',
  language: 'en-GB',
  wrap_up_time: 30,
  extension: '004',
  default_number_id: ids.number,
  digits: '+33 1 99 00 01 01',
  country: 'FR',
  countries: ['FR', 'BE'],
  is_ivr: false,
  live_recording_activated: true,
  priority: null,
  color: '#00B388',
  description: null,
  is_shared: true,
  label: 'Work',
  webhook_id: webhookId,
  token: exampleToken,
  url: 'https://example.com/hook',
  custom_name: 'CRM sync',
  events: ['user.created.v2', 'contact.created'],
  active: true,
  signing_secret: 'whsec_3q2+78r+ur4AAQIDBAUGBwgJCgsMDQ4PEBESExQVFhc=',
  event: 'contact.created',
  event_id: 'evt_01K0000000000000000000000A',
  message_id: 'msg_01K0000000000000000000000B',
  delivery_id: 'dlv_01K0000000000000000000000C',
  replay_id: 'rpl_01K0000000000000000000000D',
  resource_id: '12',
  events_action: 'add',
  count: 1,
  total: 42,
  users_count: 8,
  numbers_count: 5,
  current_page: 1,
  per_page: 20,
  page: 1,
  previous_page_link: null,
  status: 'NOT_REGISTERED',
  from: 1_780_272_000,
  to: 1_782_863_999,
  team_id: ids.team,
  user_id: ids.user,
  phone_number_id: ids.phone_number,
  email_id: ids.email,
  phone_number: '+33199000101',
  created_by: 1,
  api_id: 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
  api_token: 'shown once, in this answer',
  inviter_user_id: 1,
  user_ids: [4, 5],
  subject: 'Your invitation',
  text: 'Welcome to Demo Company …',
  error: null,
  hours: { mon: [['09:00', '18:00']], tue: [['09:00', '18:00']] },
  closed_dates: ['2026-12-25'],
  draft: null,
}

const flow = {
  start: 'ring',
  nodes: {
    ring: { type: 'ring_to', targets: [{ type: 'team', id: 2 }], branches: { no_answer: 'box' } },
    box: { type: 'voicemail', media: null },
  },
}

function knownValue(name: string, owner: string, { server, path }: Setting): unknown {
  switch (name) {
    case 'id':
      return ids[owner] ?? 1
    case 'name':
      return names[owner] ?? 'Example'
    case 'digits':
      return path === '/app/v1/numbers' ? '+33199000106' : values.digits
    case 'direct_link':
      return `${server}/${path.startsWith('/v2') ? 'v2' : 'v1'}/${owner}s/${owner === 'webhook' ? webhookId : (ids[owner] ?? 1)}`
    case 'next_page_link':
      return `${server}${path}?page=2&per_page=20`
    case 'value':
      return owner.startsWith('email') ? 'bakery@example.com' : '+33 1 99 00 02 07'
    case 'created_at':
    case 'updated_at':
      return owner === 'contact' ? 1_781_524_800 : '2026-06-15T12:00:00.000Z'
    case 'to':
      return owner === 'mail' ? 'dario.ortega@example.com' : values.to
    case 'start':
      return flow.start
    case 'nodes':
      return flow.nodes
    case 'live':
    case 'flow':
      return { version: 3, ...flow }
    case 'version':
      return 3
    default:
      return audio.has(name) ? `${server}/audio/${name}.wav` : values[name]
  }
}

/** Audio of every flow, and audio that requires a rare widget. */
const commonAudio = ['welcome', 'waiting']
const rareAudio = new Set([
  'ivr',
  'voicemail',
  'closed',
  'callback_later',
  'unanswered_call',
  'after_hours',
  'ringing_tone',
])
const audio = new Set([...commonAudio, ...rareAudio])
