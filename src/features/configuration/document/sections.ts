import { agentSection } from './agents.ts'
import { carrierSection } from './carriers.ts'
import { type Names, userIdsIn } from './names.ts'
import { numberSection } from './numbers.ts'
import { intelligenceSection, messagingSection } from './per-number.ts'
import type { Shape } from './problems.ts'
import { type Fields, isSame, listIn, picked, type Requests } from './requests.ts'
import { suggestionSection } from './suggestions.ts'
import { trunkSection } from './trunks.ts'
import { userSection } from './users.ts'

/** An object of the company, as the document shows it. */
export interface Item {
  id: number | string
  fields: Fields
}

/** An object of the document. */
export interface WantedItem {
  key: string
  /** tags[2] */
  place: string
  fields: Fields
}

export interface SectionContext {
  requests: Requests
  names: Names
}

/** A list of objects of one kind, which are identified by `key`, or a single object. */
export interface DocumentSection {
  name: string
  /** Null: a single object, such as the settings of the company. */
  key: string | null
  /** Names that differ in spelling only identify one object. */
  keyFrom?(name: string): string
  /** Values that are not set follow other parts, such as the time zone of the first Number. */
  follows?: true
  /** Two objects with the same name are a mistake. */
  unique?: true
  fields: readonly string[]
  /** Checked before anything is read or changed, for fields whose value no route checks as it is. */
  shapes?: Readonly<Record<string, Shape>>
  /** Fields that routes call otherwise, in errors. */
  routeNames?: Readonly<Record<string, string>>
  /** Fields that are set when the object is created, and cannot be changed. */
  fixed?: readonly string[]
  /** Stored encrypted and never shown. */
  secrets?: readonly string[]
  /** Lists whose order has no meaning; they are shown sorted. */
  sets?: readonly string[]
  read(context: SectionContext): Promise<Item[]>
  /** Makes the object, with what it cannot be without; `change` does the rest. */
  create?(context: SectionContext, fields: Fields): Promise<number | string>
  /** Before the first change. */
  prepare?(context: SectionContext, current: Map<string, Item>, wanted: readonly WantedItem[]): Promise<void>
  change(context: SectionContext, item: Item, changed: Fields): Promise<void>
  /** Objects that stay although the document does not name them. */
  kept?(context: SectionContext, items: readonly Item[]): Promise<Set<Item['id']>>
  remove?(context: SectionContext, id: number | string): Promise<void>
}

interface Simple {
  name: string
  key: string
  fields: readonly string[]
  list: [route: string, property: string]
  one: string
  property: string
  created: readonly string[]
  id?: string
  /** The route to change takes the whole object. */
  whole?: boolean
  fixed?: readonly string[]
  sets?: readonly string[]
  unique?: true
}

/** Objects whose routes accept the fields they show. */
function simple({
  name,
  key,
  fields,
  list,
  one,
  property,
  created,
  id = 'id',
  whole,
  fixed,
  sets = [],
  unique,
}: Simple): DocumentSection {
  const params = (value: number | string) => ({ [one.split(':')[1] ?? 'id']: value })
  return {
    name,
    key,
    fields,
    sets,
    ...(fixed && { fixed }),
    ...(unique && { unique }),
    async read({ requests }) {
      return (await requests.all(...list)).map((found) => ({
        id: found[id] as number | string,
        fields: withSorted(picked(found, fields), sets),
      }))
    },
    async create({ requests }, given) {
      const made = await requests.ask(list[0].replace('GET', 'POST'), { body: picked(given, created) })
      return (made[property] as Fields)[id] as number | string
    },
    async change({ requests }, item, changed) {
      await requests.ask(`PUT ${one}`, {
        params: params(item.id),
        body: whole ? { ...item.fields, ...changed } : changed,
      })
    },
    async remove({ requests }, value) {
      await requests.ask(`DELETE ${one}`, { params: params(value) })
    },
  }
}

interface Single {
  name: string
  fields: readonly string[]
  route: string
  /** The property of the response that contains the object. */
  property?: string
  body?(all: Fields, changed: Fields): Fields
}

const single = ({ name, fields, route, property, body = (_all, changed) => changed }: Single): DocumentSection => ({
  name,
  key: null,
  fields,
  async read({ requests }) {
    const answer = await requests.ask(`GET ${route}`)
    return [{ id: name, fields: picked(property ? (answer[property] as Fields) : answer, fields) }]
  },
  async change({ requests }, item, changed) {
    await requests.ask(`PUT ${route}`, { body: body({ ...item.fields, ...changed }, changed) })
  },
})

const settings = single({
  name: 'settings',
  fields: ['name', 'mandatory_tagging', 'country', 'embed_origins'],
  route: '/v1/company/settings',
})

const retention = single({
  name: 'retention',
  fields: ['calls', 'recordings', 'voicemails', 'transcripts', 'messages', 'audit_log'],
  route: '/v1/company/retention',
  property: 'retention',
  body: (all) => ({ retention: all, confirmation: 'DELETE' }),
})

/** Settings inside of one property, which are always sent as a whole. */
const recordingAnnouncement = single({
  name: 'recording_announcement',
  fields: ['mode', 'key', 'outbound', 'prompts'],
  route: '/v1/company/recording_notice',
  property: 'recording_notice',
  body: (all) => ({ recording_notice: all }),
})

/** Targets and alert thresholds. The whole object is sent; users are named. */
const livePage: DocumentSection = {
  name: 'live_page',
  key: null,
  follows: true,
  fields: ['time_zone', 'targets', 'thresholds', 'email_users'],
  sets: ['email_users'],
  shapes: { targets: 'object', thresholds: 'object' },
  routeNames: { email_user_ids: 'email_users' },
  async read({ requests, names }) {
    const { email_user_ids: ids, ...settings } = await requests.ask('GET /v1/live/settings')
    const emails = (ids as number[]).map((id) => names.users.nameOf(id))
    return [{ id: 'live_page', fields: { ...settings, email_users: emails.toSorted() } }]
  },
  async change({ requests, names }, { fields }, changed) {
    const { email_users: emails, ...settings } = { ...fields, ...changed }
    const { targets, thresholds } = fields as { targets: Fields; thresholds: Fields }
    const body = {
      ...settings,
      targets: { ...targets, ...(changed.targets as Fields) },
      thresholds: { ...thresholds, ...(changed.thresholds as Fields) },
      email_user_ids: userIdsIn('email_users', emails ?? [], names),
    }
    await requests.ask('PUT /v1/live/settings', { body })
  },
}

const reports: DocumentSection = {
  name: 'reports',
  key: null,
  fields: ['external_recipients'],
  async read({ requests }) {
    const fields = picked(await requests.ask('GET /v1/analytics/scheduled_reports'), ['external_recipients'])
    return [{ id: 'reports', fields }]
  },
  async change({ requests }, _item, changed) {
    await requests.ask('PUT /v1/analytics/report_settings', { body: changed })
  },
}

const callingRules = single({
  name: 'outbound_calling_rules',
  fields: [
    'countries',
    'concurrent',
    'concurrent_per_user',
    'per_minute',
    'per_minute_per_user',
    'daily_spend',
    'rates',
    'max_seconds',
  ],
  route: '/v1/dial_limits',
  property: 'dial_limits',
})

const messageRules = single({
  name: 'outbound_message_rules',
  fields: [
    'countries',
    'per_minute',
    'per_minute_per_user',
    'per_day',
    'per_day_per_user',
    'daily_spend',
    'daily_spend_per_user',
    'rates',
  ],
  route: '/v1/message_limits',
  property: 'message_limits',
})

const tags = simple({
  name: 'tags',
  key: 'name',
  fields: ['name', 'color'],
  list: ['GET /v1/tags', 'tags'],
  one: '/v1/tags/:id',
  property: 'tag',
  created: ['name', 'color'],
})

const templates = simple({
  name: 'sms_templates',
  key: 'name',
  fields: ['name', 'body'],
  list: ['GET /v1/sms/templates', 'templates'],
  one: '/v1/sms/templates/:id',
  property: 'template',
  created: ['name', 'body'],
})

const blockedCallers = simple({
  name: 'blocked_callers',
  key: 'phone',
  unique: true,
  fields: ['phone', 'note'],
  list: ['GET /v1/blocked_callers', 'blocked_callers'],
  one: '/v1/blocked_callers/:id',
  property: 'blocked_caller',
  created: ['phone', 'note'],
})

const guideParts = ['topic', 'playbook', 'summary_template', 'scorecard']
const guides = simple({
  name: 'guides',
  key: 'name',
  fields: ['name', 'kind', 'active', ...guideParts],
  fixed: ['kind'],
  list: ['GET /v1/intelligence/guides', 'guides'],
  one: '/v1/intelligence/guides/:id',
  property: 'guide',
  created: ['name', 'kind', 'active', ...guideParts],
  whole: true,
})

const webhooks = simple({
  name: 'webhooks',
  key: 'custom_name',
  fields: ['custom_name', 'url', 'events', 'active'],
  list: ['GET /v1/webhooks', 'webhooks'],
  one: '/v1/webhooks/:webhook_id',
  property: 'webhook',
  created: ['custom_name', 'url', 'events'],
  id: 'webhook_id',
  sets: ['events'],
})

const teams: DocumentSection = {
  name: 'teams',
  key: 'name',
  fields: ['name', 'users'],
  sets: ['users'],
  async read({ requests }) {
    return (await requests.all('GET /v1/teams', 'teams')).map(({ id, name, users }) => {
      const emails = listIn(users).map(({ email }) => email)
      return { id: id as number, fields: { name, users: emails.toSorted() } }
    })
  },
  async create({ requests }, { name }) {
    return ((await requests.ask('POST /v1/teams', { body: { name } })).team as Fields).id as number
  },
  async change({ requests, names }, { id, fields }, { users }) {
    const before = userIdsIn('users', fields.users, names)
    const after = userIdsIn('users', users ?? [], names)
    const member = (user: unknown) => ({ params: { team_id: id, user_id: user } })
    for (const user of before.filter((one) => !after.includes(one)))
      await requests.ask('DELETE /v1/teams/:team_id/users/:user_id', member(user))
    for (const user of after.filter((one) => !before.includes(one)))
      await requests.ask('POST /v1/teams/:team_id/users/:user_id', member(user))
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/teams/:id', { params: { id } })
  },
}

/** In the order in which objects are created; they are deleted in the opposite one. */
export const sections: readonly DocumentSection[] = [
  tags,
  settings,
  retention,
  recordingAnnouncement,
  callingRules,
  messageRules,
  livePage,
  reports,
  userSection,
  teams,
  trunkSection,
  carrierSection,
  agentSection,
  numberSection,
  messagingSection,
  intelligenceSection,
  suggestionSection,
  guides,
  templates,
  blockedCallers,
  webhooks,
]

export const withSorted = (fields: Fields, sets: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      sets.includes(name) && Array.isArray(value) ? value.toSorted() : value,
    ]),
  )

/** Fields of the document that differ from the object. */
export const differing = (wanted: Fields, now: Fields): Fields =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(value, now[name] ?? null)))
