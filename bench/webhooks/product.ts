import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { afterCommit, transaction } from '../../src/db/database.ts'
import type { CompanyId } from '../../src/db/tables.ts'
import { appendEvents } from '../../src/events/log.ts'
import { findContact, lockContact } from '../../src/features/contacts/contacts/store.ts'
import { eventContact } from '../../src/features/contacts/contacts/view.ts'
import { insertContact, updateContact } from '../../src/features/contacts/contacts/write-store.ts'
import { payloads } from '../../src/features/integrations/catalogue/catalogue.ts'
import { basic, sandboxEnvironment } from '../servers.ts'
import { now, serve } from './serve.ts'

// The product as app.ts assembles it, with writers instead of the API.

export interface Store {
  folder: string
  port: number
  /** Of PostgreSQL; without it the embedded store in `folder`. */
  url?: string
}

/** A durable change and its event. */
export interface Commit {
  event: string
  company: number
  resource: string
  at: number
}

export interface Seed {
  /** The urls of the webhooks of each company. */
  companies: string[][]
  contactsEach: number
}

interface Office {
  id: CompanyId
  authorization: string
  contacts: number[]
  webhooks: string[]
}

export interface Writing {
  total: number
  writers: number
  /** Absent: as fast as the writers can. */
  perSecond?: number
}

let opened: App | undefined
let offices: Office[] = []
/** Goes on over all writing, so that every contact gets its turn. */
let turn = 0

const app = (): App => {
  if (!opened) throw new Error('no store is open')
  return opened
}

async function makeOffice(urls: string[], contactsEach: number, index: number): Promise<Office> {
  const { commands, services } = app()
  const made = await commands['company.create']?.({ name: `Office ${index}`, owner_email: `o${index}@example.test` })
  const { company_id: id, ...key } = made as { company_id: CompanyId; api_id: string; api_token: string }
  const office: Office = { id, authorization: basic(key), contacts: [], webhooks: [] }
  await transaction(services.db, async (tx) => {
    for (let i = 0; i < contactsEach; i++) {
      const contact = { firstName: 'Camille', lastName: `Customer ${i}`, companyName: null, information: null }
      office.contacts.push(await insertContact(tx, id, { ...contact, phones: [], emails: [] }, services.clock.now()))
    }
  })
  for (const url of urls) {
    const { webhook } = await call<{ webhook: { webhook_id: string } }>(office, 'POST', '/v1/webhooks', { url })
    office.webhooks.push(webhook.webhook_id)
  }
  return office
}

async function call<T>(office: Office, method: 'GET' | 'POST', url: string, body?: object): Promise<T> {
  const headers = { authorization: office.authorization }
  const answer = await app().http.inject({ method, url, headers, ...(body && { payload: body }) })
  if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json<T>()
}

const padding = 'They like to be called in the morning. '.repeat(45)

/** A contact changes, as features/contacts/actions.ts does it; by hand, because we need the id and the moment. */
async function change(n: number): Promise<Commit> {
  const { db, clock, links } = app().services
  const company = n % offices.length
  const office = offices[company] as Office
  const contactId = office.contacts[Math.floor(n / offices.length) % office.contacts.length] as number
  const resourceKey = `contact:${contactId}`
  let at = 0
  const event = await transaction(db, async (tx) => {
    await lockContact(tx, office.id, contactId)
    const before = await findContact(tx, office.id, contactId)
    if (!before) throw new Error('the contact was made by the seed')
    await updateContact(tx, office.id, before, { information: `${n} ${padding}` }, clock.now())
    const contact = await findContact(tx, office.id, contactId)
    if (!contact) throw new Error('the contact was just changed')
    // Before the events, whose wake-up call must not come first.
    afterCommit(tx, () => {
      at = now()
    })
    const data = payloads['contact.updated'].write(eventContact(links, contact))
    const fact = { name: 'contact.updated', resource: 'contact', resourceKey, occurredAt: clock.now(), data }
    const [written] = await appendEvents(tx, clock, office.id, [fact])
    return written?.id ?? ''
  })
  return { event, company, resource: resourceKey, at }
}

async function write({ total, writers, perSecond }: Writing): Promise<Commit[]> {
  const commits: Commit[] = []
  const started = performance.now()
  let next = 0
  const hand = async () => {
    for (;;) {
      const mine = next++
      if (mine >= total) return
      if (perSecond) await pause(started + (mine * 1_000) / perSecond - performance.now())
      commits.push(await change(turn++))
    }
  }
  await Promise.all(Array.from({ length: writers }, hand))
  return commits
}

const pause = (ms: number) => new Promise<void>((resolve) => (ms > 0 ? setTimeout(resolve, ms) : resolve()))

async function untilAllDelivered(): Promise<void> {
  const { db } = app().services
  for (;;) {
    const open = await db.selectFrom('delivery').select('id').where('state', '=', 'queued').limit(1).executeTakeFirst()
    const out = await db.selectFrom('delivery').select('id').where('state', '=', 'leased').limit(1).executeTakeFirst()
    if (!open && !out) return
    await pause(open ? 20 : 2)
  }
}

/** Wall-clock and CPU time of an operation. */
async function measured(work: () => Promise<void>) {
  const cpu = process.cpuUsage()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return { seconds, cpuMicros: user + system, rssMb: process.memoryUsage.rss() / 1_048_576 }
}

const actions = {
  open: async ({ folder, port, url }: Store) => {
    const env = { ...sandboxEnvironment(folder, port), LOG_LEVEL: 'error', ...(url && { DATABASE_URL: url }) }
    opened = await createApp({ ...readConfig(env), roles: { api: false, calls: false, worker: true } })
  },
  seed: async ({ companies, contactsEach }: Seed) => {
    offices = []
    turn = 0
    for (const [index, urls] of companies.entries()) offices.push(await makeOffice(urls, contactsEach, index))
  },
  start: () => app().start(),
  stop: async () => {
    await opened?.stop()
    opened = undefined
  },
  write: (writing: Writing) => write(writing),
  untilAllDelivered: async () => untilAllDelivered(),
  /** What is committed already, from the start of the dispatcher until the last is delivered and written down. */
  drain: () =>
    measured(async () => {
      await app().start()
      await untilAllDelivered()
    }),
  flow: async (writing: Writing) => {
    let commits: Commit[] = []
    let writingSeconds = 0
    const figures = await measured(async () => {
      const started = performance.now()
      commits = await write(writing)
      writingSeconds = (performance.now() - started) / 1_000
      await untilAllDelivered()
    })
    return { ...figures, commits, writingSeconds }
  },
  /** CPU of changes that come one by one, with the dispatcher or, where it was not started, without. */
  trickle: async (writing: Writing & { delivers: boolean }) => {
    let commits: Commit[] = []
    const figures = await measured(async () => {
      commits = await write(writing)
      if (writing.delivers) await untilAllDelivered()
    })
    return { ...figures, commits }
  },
  /** Every delivery and every attempt in the log: what the receiver got must stand there. */
  logged: async () => {
    const { db } = app().services
    const attempts = await db
      .selectFrom('attempt')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    const delivered = await db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('state', '=', 'delivered')
      .executeTakeFirstOrThrow()
    return { attempts: attempts.n, delivered: delivered.n }
  },
  /** Replays all deliveries of a time range for each company; resolves when all of them are in progress or done. */
  replay: async ({ from, to }: { from: number; to: number }) => {
    const input = { from: Math.floor(from / 1_000), to: Math.ceil(to / 1_000), states: ['delivered'] }
    let total = 0
    for (const office of offices) {
      for (const id of office.webhooks) {
        const { replay } = await call<{ replay: { total: number } }>(
          office,
          'POST',
          `/v1/webhooks/${id}/replays`,
          input,
        )
        total += replay.total
      }
    }
    return total
  },
}

export type ProductActions = typeof actions
serve(actions)
