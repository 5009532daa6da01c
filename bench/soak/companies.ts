import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { seededRandom } from '../../src/lib/random.ts'
import { type Client, client } from '../../test/kit/client.ts'
import type { Installation } from '../fleet/installation.ts'
import { basic, type Demo, readDemo, root } from '../servers.ts'
import type { Loops } from './loops.ts'

// Companies that use the API, each with webhooks to receivers of every kind. The first two have phones, the others
// integrations only.

export interface Company {
  api: Client
  /** Of the simulated network. */
  numbers: Demo['numbers']
  webhooks: { id: string; hook: string }[]
}

export interface ApiTraffic {
  companies: readonly Company[]
  /** Acknowledged changes that a healthy receiver must get: `/healthy/0 contact.updated marker`. */
  changes: string[]
  /** Simulated calls that were accepted. */
  calls: number[]
  /** Text messages that were accepted, by id. */
  messages: string[]
  /** Responses that no client should get, by status and path. */
  wrong: Map<string, number>
}

const random = seededRandom(20_260_718)

export async function openCompanies(installation: Installation, receiver: string): Promise<Company[]> {
  const demo = readDemo(installation.dataDir)
  const { json } = await clientOf(installation, demo.second_company)('GET', '/v1/numbers')
  const more = [await create(installation, 'Third Company'), await create(installation, 'Fourth Company')]
  const companies: Company[] = [
    { api: clientOf(installation, demo), numbers: demo.numbers, webhooks: [] },
    { api: clientOf(installation, demo.second_company), numbers: json.numbers.map(withPlainDigits), webhooks: [] },
    ...more.map((key) => ({ api: clientOf(installation, key), numbers: [], webhooks: [] })),
  ]
  for (const [index, company] of companies.entries()) {
    for (const kind of ['healthy', 'slow', 'failing', 'broken']) {
      const hook = `/${kind}/${index}`
      const events = kind === 'slow' ? { events: slowEvents } : {}
      const made = await company.api('POST', '/v1/webhooks', { url: receiver + hook, ...events })
      if (made.status !== 201) throw new Error(`no webhook: ${made.text}`)
      company.webhooks.push({ id: made.json.webhook.webhook_id, hook })
    }
  }
  return companies
}

/** As many as a receiver can take that needs two seconds for each. */
const slowEvents = ['contact.created', 'contact.updated', 'call.ended']

const withPlainDigits = ({ id, digits }: Demo['numbers'][number]) => ({ id, digits: digits.replace(/[^\d+]/g, '') })

type Key = Parameters<typeof basic>[0]

const clientOf =
  ({ server }: Installation, key: Key): Client =>
  (...request) =>
    client(server().url, { authorization: basic(key) })(...request)

async function create({ dataDir }: Installation, name: string): Promise<Key> {
  const email = `${name.split(' ')[0]?.toLowerCase()}@soak.test`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(root, 'dist', 'main.js'), 'company', 'create', '--name', name, '--owner-email', email, '--json'],
    { env: { PATH: process.env.PATH, HOOKSWITCH_MODE: 'sandbox', DATA_DIR: dataDir } },
  )
  return JSON.parse(stdout)
}

export function startApiTraffic(loops: Loops, companies: readonly Company[]): ApiTraffic {
  const traffic: ApiTraffic = { companies, changes: [], calls: [], messages: [], wrong: new Map() }
  const sees = async ({ api }: Company, ...request: Parameters<Client>) => {
    const answer = await api(...request)
    const [method, target] = request
    const isRefused = answer.status === 503 && answer.headers.has('retry-after')
    if ((answer.status >= 500 && !isRefused) || answer.status === 401) {
      const what = `${answer.status} ${method} ${target.replace(/\d+/g, ':id')}`
      traffic.wrong.set(what, (traffic.wrong.get(what) ?? 0) + 1)
    }
    return answer
  }
  for (const [index, company] of companies.entries()) {
    const contacts: number[] = []
    loops.repeat('contact written', 1_000, async () => {
      const marker = `soak-${++markers}`
      const isKnown = contacts.length >= maxContacts || (contacts.length > 0 && random.next() < 0.7)
      const known = isKnown ? random.pick(contacts) : undefined
      const information = `${marker} ${Date.now()}`
      const body = known === undefined ? { information, phone_numbers: [phone] } : { information }
      const { status, json } = await sees(
        company,
        'POST',
        `/v1/contacts${known === undefined ? '' : `/${known}`}`,
        body,
      )
      if (status !== 200 && status !== 201) return
      if (known === undefined) contacts.push(json.contact.id)
      traffic.changes.push(`/healthy/${index} contact.${known === undefined ? 'created' : 'updated'} ${marker}`)
    })
    loops.repeat('list read', 500, async () => {
      await sees(company, 'GET', random.pick(lists))
    })
    if (company.numbers.length > 0) startPhoneTraffic(loops, company, traffic, sees)
  }
  return traffic
}

let markers = 0
const maxContacts = 500
const phone = { label: 'Work', value: '+33199001234' }
const lists = [
  '/v1/contacts?per_page=50',
  '/v1/contacts/search?email=customer7@customers.test',
  '/v1/calls?order=desc&per_page=50',
  '/v1/calls/search?order=desc&direction=inbound',
  '/v1/users',
  '/v1/teams',
  '/v1/tags',
  '/v1/numbers',
  '/v1/webhooks',
]

type Sees = (company: Company, ...request: Parameters<Client>) => ReturnType<Client>

function startPhoneTraffic(loops: Loops, company: Company, { calls, messages }: ApiTraffic, sees: Sees): void {
  loops.repeat('simulated call', 3_000, async () => {
    const from = `+3361234${String(random.integer(0, 9_999)).padStart(4, '0')}`
    const script = random.pick([
      [{ hear: 20 }, { hang_up: true }],
      [{ press: '1' }, { hear: 15 }, { hang_up: true }],
      [{ voicemail: 10 }],
    ])
    const input = { from, to: random.pick(company.numbers).digits, script, patience: random.integer(20, 60) }
    const { status, json } = await sees(company, 'POST', '/sandbox/v1/calls', input)
    if (status === 201) calls.push(json.call_id)
  })
  loops.repeat('message sent', 2_000, async () => {
    const target = `/v1/numbers/${random.pick(company.numbers).id}/messages/native/send`
    const { status, json } = await sees(company, 'POST', target, { to: '+33612345678', body: 'Your table is ready.' })
    if (status === 200) messages.push(json.id)
  })
}

const autopilot = { answer_after_seconds: 2, talk_seconds: 15, decline_rate: 0.2, finish_wrap_up_after_seconds: 1 }

/** The simulated users of the companies with phones answer by themselves. */
export async function connectUsers(companies: readonly Company[], except: readonly number[]): Promise<void> {
  for (const { api } of companies.filter(({ numbers }) => numbers.length > 0)) {
    const { json } = await api('GET', '/v1/users')
    for (const { id } of json.users.filter((user: { id: number }) => !except.includes(user.id))) {
      await api('POST', `/sandbox/v1/users/${id}/actions`, { action: 'connect' })
      await api('POST', `/sandbox/v1/users/${id}/actions`, { action: 'set_status', availability_status: 'available' })
      await api('PUT', `/sandbox/v1/users/${id}/autopilot`, autopilot)
    }
  }
}
